r"""Extract the code from a model's reply. Pure: text in, text out; never raises for any `str`.

The rules, in order:

1. CRLF and CR become LF; a byte order mark is removed.
2. A reply that is a Python program as a whole is returned unchanged, with any fences in its
   strings.
3. Reasoning sections are removed, by the marks of `_reasoning.MARKS` (`<think>`, `[THINK]`,
   `◁think▷`, harmony's channels, ...). An opening tag that is never closed removes the rest of
   the text; if the model may have forgotten to close it and a fence follows, only the tag.
4. Fenced blocks are found: three or more of ``` or ~~~, indented, quoted (`> `), in lists, with
   any tag or none. A fence of the same character and at least the same length closes a block; if
   it is missing, the opening of the next block or the end of the text does. A fence inside a
   Python string is text. A block is dedented by the indent of its fence, and an interpreter
   session is reduced to its input. What copying did is repaired where the text means nothing
   else: HTML entities, no-break spaces, typographic quotes, line numbers, notebook magics.
5. Of the blocks in the wanted language or without a tag, the **last that defines the entry
   point** is selected (by `ast`, or by pattern if it does not parse). An earlier block with a
   body is preferred to a stub (docstring, `pass`, `...`, `raise NotImplementedError`), one that
   the reply recommends ("Fixed:") to others, and these to one that it advises against ("Instead
   of:", "do not use"). If several define it differently and the reply does not say which one is
   the answer, that is a finding.
6. If no block defines the entry point: unfenced code that does; then, of the blocks in the
   language that parse, the last that is a whole program (one that reads input, if any does; no
   test script, no part or example); then the longest.
7. Definitions of names that the selected code uses and does not define are copied from other
   blocks.
8. Without fences: of the regions of lines that are code, the one by rule 5, then the longest;
   the prose around it is removed. A definition that does not parse is returned, so that its
   error can be reported.
9. A diff, a SEARCH/REPLACE block or a patch is an edit: of code before it in the reply, or else
   of the previous code. If it fits neither, the problem is `edit_failed`. The code in a JSON
   object is the code.
10. Blocks that the reply names (beside the fence, in the line above it, in the first comment) or
    the files of a JSON object are files, if there are two or more: the one selected by rules 5
    and 6 is the main one.
11. Otherwise the problem is `no_code`; for a reply of white space only, `empty_reply`.

For other languages blocks are selected by tag and definitions are found by pattern. An unfenced
reply is returned as a whole, without the prose before and after its code.

Time is linear in the length of the reply. At most 300,000 characters are parsed; what is beyond
is examined by pattern.
"""

from typing import TYPE_CHECKING

from planish.loading import load_on_use

if TYPE_CHECKING:
    from planish.extraction._extract import extract
    from planish.extraction._extracted import ExtractedCode
    from planish.extraction._reasoning import remove_reasoning

__all__ = ["ExtractedCode", "extract", "remove_reasoning"]

_HOMES = {
    "_extract": "extract",
    "_extracted": "ExtractedCode",
    "_reasoning": "remove_reasoning",
}

if not TYPE_CHECKING:  # else a checker takes any name for an object, misspelt ones too
    __getattr__ = load_on_use(__name__, _HOMES)


def __dir__() -> list[str]:
    return __all__
