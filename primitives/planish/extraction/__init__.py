r"""Extract the code from a model's reply. Pure: text in, text out; never raises for any `str`.

The rules, in order:

1. CRLF and CR become LF; a byte order mark is removed.
2. A reply that is a Python program as a whole is returned unchanged, with any fences in its
   strings.
3. `<think>...</think>` sections are removed. An opening tag that is never closed removes the
   rest of the text; if a fence follows, only the tag.
4. Fenced blocks are found: three or more of ``` or ~~~, indented, quoted (`> `), in lists, with
   any tag or none. A fence of the same character and at least the same length closes a block; if
   it is missing, the opening of the next block or the end of the text does. A fence inside a
   Python string is text. A block is dedented by the indent of its fence, and an interpreter
   session is reduced to its input.
5. Of the blocks in the wanted language or without a tag, the **last that defines the entry
   point** is selected (by `ast`, or by pattern if it does not parse). An earlier block with a
   body is preferred to a stub (docstring, `pass`, `...`, `raise NotImplementedError`).
6. If no block defines the entry point: unfenced code that does; then the last block in the
   language that parses; then the longest.
7. Definitions of names that the selected code uses and does not define are copied from earlier
   blocks.
8. Without fences: of the regions of lines that are code, the one by rule 5, then the longest;
   the prose around it is removed. A definition that does not parse is returned, so that its
   error can be reported.
9. Otherwise the problem is `no_code`; for a reply of white space only, `empty_reply`.

For other languages blocks are selected by tag and definitions are found by pattern. An unfenced
reply is returned as a whole, without the prose before and after its code. Time is linear in the
length of the reply.
"""

from planish.extraction._extract import ExtractedCode, extract

__all__ = ["ExtractedCode", "extract"]
