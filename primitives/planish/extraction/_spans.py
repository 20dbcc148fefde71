"""Code that stands neither in a block nor on lines of its own: the last resort."""

import re

from planish.extraction._piece import Piece
from planish.extraction._python import defines_any

__all__ = ["spans", "transcript"]

_SPAN = re.compile(
    r"(?<!`)(?P<mark>`++)(?:python[ \t]+)?"
    r"(?P<code>[^`\n]*?\b(?:def|class|lambda)\b[^`\n]++)(?P=mark)(?!`)"
)
_PROMPT = re.compile(r"^[ \t]*+(?:>>>|\.\.\.)(?: [^\n]*+)?$", re.MULTILINE)


def spans(text: str, name: str | None) -> Piece | None:
    """The last span between backticks that defines something, and `name` if that is given.

    A call there is mostly an example, so only definitions count.
    """
    found = [piece for span in _SPAN.finditer(text) if _fits(piece := Piece(span["code"]), name)]
    return found[-1] if found else None


def transcript(text: str, name: str | None) -> Piece | None:
    """The input of an interpreter's transcript, if it defines something, and `name` if given."""
    piece = Piece("\n".join(line[0] for line in _PROMPT.finditer(text)))
    return piece if _fits(piece, name) else None


def _fits(piece: Piece, name: str | None) -> bool:
    if name is not None:
        return piece.tree is not None and piece.defines(name)
    return piece.tree is not None and defines_any(piece.tree)
