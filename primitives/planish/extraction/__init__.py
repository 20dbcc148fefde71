r"""Getting code out of a model's reply. Pure: text in, text out; it never raises for any `str`.

The rules, in order:

1. CRLF and CR become LF; a byte order mark goes.
2. A reply that is wholly a Python program is that program, untouched, fences in its
   strings included.
3. `<think>...</think>` sections are removed. One that is never closed hides all that follows,
   unless a fence follows.
4. Fenced blocks are found: ``` or ~~~ of three or more, indented, quoted (`> `), in lists,
   with any tag or none. A fence is closed by one as long, of the same character; by the
   opening of the next one, when it was forgotten; or by the end. A fence inside a Python
   string is text. A block is dedented by its fence, and an interpreter's transcript is
   reduced to its input.
5. Of the blocks in the wanted language or without a tag, the **last that defines the entry
   point** is taken (by `ast`, or by pattern when it does not parse). A stub (docstring, `pass`,
   `...`, `raise NotImplementedError`) gives way to an earlier block with a body.
6. When none defines it: unfenced code that does; then the last block in the language that
   parses; then the longest.
7. Names the chosen code uses but does not define are brought along from earlier blocks.
8. Without fences: the runs of lines that are code, by rule 5, then the longest; the prose
   around them goes. A definition that does not parse is kept, so that its error can be told.
9. Nothing of this: `no_code`; only white space: `empty_reply`.

For other languages blocks are taken by tag, definitions by pattern, and an unfenced reply whole
but for the prose around it. Time is linear in the length of the reply.
"""

from planish.extraction._extract import Extracted, extract

__all__ = ["Extracted", "extract"]
