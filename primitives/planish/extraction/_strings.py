"""Where the string literals of Python text are, found in one pass whether or not it parses."""

import re

__all__ = ["Strings"]

_FIRST = re.compile(r"[#\"'\\]")
# Possessive throughout, and escapes are eaten in pairs outside strings too: linear on any text.
_TOKEN = re.compile(
    r"#[^\n]*+"
    r'|"""(?:[^"\\]++|\\(?:.|\Z)|"(?!""))*+(?:"""|\Z)'
    r"|'''(?:[^'\\]++|\\(?:.|\Z)|'(?!''))*+(?:'''|\Z)"
    r'|"(?:[^"\\\n]++|\\.)*+"'
    r"|'(?:[^'\\\n]++|\\.)*+'"
    r"|\\.",
    re.DOTALL,
)


class Strings:
    """The literals of `text` from `start` on, asked about from left to right."""

    def __init__(self, text: str, start: int) -> None:
        self._text = text
        self._begin = start  # of the last literal read
        self._end = start

    def cover(self, position: int) -> bool:
        """Whether `position` is inside a literal; it is never less than the one asked before."""
        # Never looks beyond `position` for where a literal starts, else time were quadratic.
        while self._end <= position:
            first = _FIRST.search(self._text, self._end, position)
            if first is None:
                self._end = position
                return False
            token = _TOKEN.match(self._text, first.start())
            self._begin = first.start()
            self._end = token.end() if token else first.end()
        return self._begin < position
