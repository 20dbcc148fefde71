"""How much of a text is kept as evidence."""

from __future__ import annotations

__all__ = ["STREAM", "TRACEBACK", "VALUE", "bounded"]

STREAM = 20_000  # characters of stdout, and of stderr: some 5,000 tokens of a model
TRACEBACK = 8_000
VALUE = 2_000  # of one value, one message, one line of code


def bounded(text: str, limit: int) -> str:
    """Shorten a text to its first quarter and last three quarters of the limit.

    A line between them says how many characters were left out; it comes on top of the limit. A
    text that was shortened to this limit before stays as it is.

    Args:
        text: Any text.
        limit: Characters to keep; at least 1.
    """
    more = len(text) - limit
    if more <= 0:
        return text
    head = limit // 4
    line = text[head : head + more] if more <= _LONGEST else ""
    if line.startswith(_BEGIN) and line.endswith(_END):
        return text
    return f"{text[:head]}{_BEGIN}{more}{_END}{text[head - limit :]}"


_BEGIN, _END = "\n... ", " characters left out ...\n"
_LONGEST = 50  # characters of the line between them
