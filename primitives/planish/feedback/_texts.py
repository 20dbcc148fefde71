"""Bounded texts of evidence: differences of texts, error signatures."""

import difflib
import re

from planish.data.literal import parse_literal

__all__ = ["shorten", "signature_of", "text_difference"]

_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]+\b")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_SPACE = re.compile(r"\s+")
_SIGNATURE = 200  # characters
_DIFF_LINES = 20
_DIFF_LINE = 200  # characters
_COMPARED_LINES = 400  # of each text: difflib needs quadratic time
_LONG = 60  # characters of a text without line ends that are compared at a glance
_AROUND = 20  # characters shown on each side of the first difference


def signature_of(exception: str, message: str) -> str:
    """Return exception and message with numbers and addresses replaced by "N".

    Args:
        exception: Name of the exception's class.
        message: Its message.
    """
    text = _NUMBER.sub("N", _ADDRESS.sub("N", message[: 2 * _SIGNATURE]))
    return f"{exception}: {_SPACE.sub(' ', text).strip()}"[:_SIGNATURE].rstrip(" :")


def shorten(text: str, limit: int) -> str:
    """Return a text cut in the middle to a number of characters, with a note of what is missing."""
    if len(text) <= limit:
        return text
    note = f" ... {len(text) - limit} characters left out ... "
    head = limit * 2 // 3
    return text[:head] + note + text[len(text) - (limit - head) :]


def text_difference(expected: str, actual: str, *, literal: bool) -> str:
    """Return how two texts differ: a line diff, or the first place of long lines; "" if neither.

    In the diff, "-" marks lines that are expected, "+" lines that the code returned or printed.

    Args:
        expected: The expected text, or its source.
        actual: The actual text, or its source.
        literal: They are source: the result is "" unless both are string literals.
    """
    if literal:
        texts = _literal_text(expected), _literal_text(actual)
        if texts[0] is None or texts[1] is None:
            return ""
        expected, actual = texts[0], texts[1]
    if expected == actual:
        return ""
    if "\n" not in expected.rstrip("\n") and "\n" not in actual.rstrip("\n"):
        return (
            _first_difference(expected, actual) if max(len(expected), len(actual)) > _LONG else ""
        )
    return _line_diff(expected, actual)


def _literal_text(source: str) -> str | None:
    try:
        value = parse_literal(source)
    except ValueError:
        return None
    return value if type(value) is str else None


def _line_diff(expected: str, actual: str) -> str:
    if expected.endswith("\n") and actual.endswith("\n"):
        expected, actual = expected[:-1], actual[:-1]
    before, after = expected.split("\n")[:_COMPARED_LINES], actual.split("\n")[:_COMPARED_LINES]
    rows = difflib.unified_diff(before, after, lineterm="", n=1)
    lines = [shorten(row, _DIFF_LINE) for row in list(rows)[2:]]
    if len(lines) > _DIFF_LINES:
        lines[_DIFF_LINES:] = [f"... {len(lines) - _DIFF_LINES} more lines of the diff ..."]
    return "\n".join(lines)


def _first_difference(expected: str, actual: str) -> str:
    pairs = enumerate(zip(expected, actual, strict=False))
    shorter = min(len(expected), len(actual))
    at = next((index for index, (one, other) in pairs if one != other), shorter)
    part = slice(max(0, at - _AROUND), at + _AROUND)
    return (
        f"from character {at + 1} on: expected ...{expected[part]!r}..., got ...{actual[part]!r}..."
    )
