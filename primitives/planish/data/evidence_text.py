"""Make texts that a candidate has shaped fit for a prompt: readable, bounded, kept in their place.

A candidate chooses its exceptions, its values and its output. Nothing of it ends a fence, looks
like a line of the prompt itself, or hides what it says.
"""

import re

__all__ = ["cut", "cut_beginning", "fenced", "indented", "one_line", "readable"]

_MARK = "\n... {} characters left out ...\n"
# Control characters but tabs and line ends; line and paragraph separators; characters that
# reverse the direction of text, are invisible, or are tags; halves of surrogate pairs.
_UNREADABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff"
    "\U000e0000-\U000e007f]"
)
_FIRST, _LAST = 28, 12  # lines
_BACKTICKS = re.compile(r"`{3,}")


def readable(text: str) -> str:
    r"""Return a text with characters that are not seen, or not encoded, as escapes: "\x1b".

    Line ends are "\n" in the result.
    """
    if _UNREADABLE.search(text) is None:
        return text
    return _UNREADABLE.sub(_escape, text.replace("\r\n", "\n"))


def _escape(found: re.Match[str]) -> str:
    number = ord(found[0])
    if number < 0x100:  # noqa: PLR2004 - two digits are enough
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"  # noqa: PLR2004 - four


def cut(text: str, limit: int) -> str:
    """Return a text with its middle left out if it has more characters than a limit."""
    if len(text) <= limit:
        return text
    mark = _MARK.format(len(text) - limit)
    size = limit - len(mark)
    head = size * 2 // 3
    return text[:head] + mark + text[len(text) - (size - head) :] if size > 0 else text[:limit]


def cut_beginning(text: str, limit: int) -> str:
    """Return a text with its beginning left out if it has more characters than a limit."""
    return text if len(text) <= limit else "..." + text[3 - limit :]


def one_line(text: str, limit: int) -> str:
    """Return a readable text in one line of at most so many characters."""
    line = " ".join(readable(text[: 2 * limit]).split())
    return line if len(line) <= limit else line[: limit - 3] + "..."


def indented(text: str, limit: int) -> str:
    """Return a readable text of at most so many characters whose later lines are indented.

    Of more than 40 lines the first and the last ones are kept. The indentation comes on top.
    """
    lines = _bounded(text, limit).rstrip("\n").split("\n")
    if len(lines) > _FIRST + _LAST:
        note = f"... {len(lines) - _FIRST - _LAST} lines left out ..."
        lines = [*lines[:_FIRST], note, *lines[-_LAST:]]
    return "\n    ".join(lines)


def fenced(text: str, limit: int, *, last: bool = False) -> str:
    """Return a readable text of at most so many characters in a fence that it cannot close.

    Args:
        text: The text.
        limit: Its characters at most, without the fence.
        last: Whether to leave out its beginning instead of its middle.
    """
    text = _bounded(text, limit, last=last)
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    end = "" if text.endswith("\n") else "\n"
    return f"{fence}\n{text}{end}{fence}"


def _bounded(text: str, limit: int, *, last: bool = False) -> str:
    """Return a readable text of at most so many characters, in time that does not depend on it."""
    shorten = cut_beginning if last else cut
    return shorten(readable(shorten(text, limit)), limit)
