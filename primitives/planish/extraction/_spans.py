"""Code within a line of prose, the last resort."""

import re

from planish.extraction._piece import Piece
from planish.extraction._python import defines, is_code, parse

__all__ = ["spans"]

_SPAN = re.compile(
    r"(?<!`)(?P<mark>`++)(?:python[ \t]+)?"
    r"(?P<code>[^`\n]*?\b(?:def|class|lambda)\b[^`\n]++)(?P=mark)(?!`)"
)


def spans(text: str, name: str | None) -> Piece | None:
    """The last span between backticks that defines something, and `name` if that is given.

    A call or an assignment there is mostly an example, so only definitions count.
    """
    last: Piece | None = None
    for span in _SPAN.finditer(text):
        tree = parse(span["code"])
        if tree and is_code(tree) and (name is None or defines(tree, name)):
            last = Piece(span["code"])
    return last
