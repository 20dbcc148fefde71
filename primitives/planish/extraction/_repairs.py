"""Repair what copying did to Python code: entities, spaces, quotes, line numbers, magics.

A repair is made only where the text cannot mean anything else as Python, or does not parse.
"""

import re
import textwrap
from collections.abc import Callable, Iterator

from planish.extraction._python import StringLiterals

__all__ = ["repairs", "unescape_entities"]

_ENTITY = re.compile(r"&(?:lt|gt|amp|quot|apos|nbsp|#39|#x27|#34|#x22|#60|#62|#38);")
_SPACE = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
_NO_WIDTH = re.compile("[\u200b-\u200d\u2060\ufeff]")
_QUOTE = re.compile("[\u201c\u201d\u201e\u2018\u2019\u201a]")
_NUMBERED = re.compile(r"[ \t]*(?P<number>\d{1,6})(?:[ \t]?[|:.)\u2502](?P<bar>)|(?=[ \t]|$))")
_MAGIC = re.compile(
    r"^(?P<indent>[ \t]*)(?:%time[ \t]+(?P<timed>[A-Za-z_].*)"
    r"|(?P<magic>%{1,2}[A-Za-z]\w*(?:[ \t].*)?|![ \t]*[A-Za-z].*"
    r"|\?{1,2}\w[\w.]*|\w[\w.]*\?{1,2}))$",
    re.MULTILINE,
)


def unescape_entities(text: str) -> str:
    """Replace HTML entities outside string literals and comments.

    Text in which no `<` or `>` is left was escaped as a whole: its literals are replaced too.
    """
    if "&" not in text or not _outside(text, _ENTITY):
        return text
    if "<" not in text and ">" not in text:
        return _ENTITY.sub(_unescape, text)
    return _replace_outside(text, _ENTITY, _unescape)


def repairs(text: str) -> Iterator[str]:
    """Yield the text after each repair that changes it, with those before it."""
    for repair in (_strip_line_numbers, _plain_spaces, _plain_quotes, _comment_magics):
        repaired = repair(text)
        if repaired != text:
            text = repaired
            yield text


def _unescape(entity: re.Match[str]) -> str:
    import html  # noqa: PLC0415 - loads the names of all characters

    return html.unescape(entity[0]).replace("\u00a0", " ")


def _outside(text: str, pattern: re.Pattern[str]) -> bool:
    """Return whether the pattern is found outside string literals and comments."""
    strings = StringLiterals(text, 0)
    return any(not strings.contains(match.start()) for match in pattern.finditer(text))


def _replace_outside(
    text: str, pattern: re.Pattern[str], replacement: Callable[[re.Match[str]], str]
) -> str:
    strings = StringLiterals(text, 0)
    return pattern.sub(
        lambda match: match[0] if strings.contains(match.start()) else replacement(match), text
    )


def _plain_spaces(text: str) -> str:
    if text.isascii():
        return text
    text = _replace_outside(text, _SPACE, lambda _: " ")
    return _replace_outside(text, _NO_WIDTH, lambda _: "")


def _plain_quotes(text: str) -> str:
    if text.isascii():
        return text
    return _replace_outside(
        text, _QUOTE, lambda quote: '"' if quote[0] in "\u201c\u201d\u201e" else "'"
    )


def _strip_line_numbers(text: str) -> str:
    """Remove the numbers before the lines, if they count without a gap and each line has one."""
    lines = text.strip("\n").split("\n")
    numbered: list[str] = []
    expected: int | None = None
    bars = 0
    for line in lines:
        match = _NUMBERED.match(line)
        if match is None:
            return text
        number = int(match["number"])
        if expected is not None and number != expected:
            return text
        expected = number + 1
        bars += match["bar"] is not None
        numbered.append(line[match.end() :])
    if len(lines) < 2 or bars not in (0, len(lines)):  # noqa: PLR2004 - one number counts nothing
        return text
    return textwrap.dedent("\n".join(numbered))


def _comment_magics(text: str) -> str:
    """Make comments of the lines that only a notebook runs; `%time` leaves its statement."""
    if not re.search(r"[%!?]", text):
        return text
    return _replace_outside(text, _MAGIC, _comment)


def _comment(magic: re.Match[str]) -> str:
    if magic["timed"]:
        return f"{magic['indent']}{magic['timed']}"
    # In an indented block it may be the only statement.
    return f"{magic['indent']}pass  # {magic['magic']}" if magic["indent"] else f"# {magic[0]}"
