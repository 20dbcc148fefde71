"""Output of programs: decode it as bounded text, and compare it with the expected output."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import zip_longest
from math import isinf

from planish.data.tests import StdioPairs, Tolerance
from planish.guest.protocol import bounded

__all__ = ["decode_output", "output_difference", "shorten_paths"]


# Terminal escape sequences (ECMA-48: CSI, OSC and the short ones), then the other control
# characters except tabs and line ends.
_CONTROL = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[ -/]*[0-~]"
    r"|[\x00-\x08\x0b-\x1f\x7f-\x9f]"
)
# A line of a traceback, also of one within an exception group. An environment has its packages
# in the folder "site" beside a digest.
_PACKAGE_FILE = re.compile(
    r'^([ |]*File ")/[^"\n]*?/(?:(?:site|dist)-packages|[0-9a-f]{16,}/site)/', re.MULTILINE
)
_LIBRARY_FILE = re.compile(r'^([ |]*File ")/[^"\n]*?/lib(?:64)?/(python3\.[0-9]+/)', re.MULTILINE)
# A frame of the verifier where it was loaded from its files: two lines, and markers below them.
_VERIFIER_FRAME = re.compile(
    r'^([ |]*)File "[^"\n]*planish/guest/verifier/[^"\n]*", line [^\n]*\n(?:\1  [^\n]*\n)*',
    re.MULTILINE,
)
_EXCERPT_CHARACTERS = 200  # of a line or token in a message
_DEFAULT_TOLERANCE = Tolerance(1e-6, 1e-6)  # as most programming contests
# No two parts match the same digits: a program chooses how many there are, and time is linear.
_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,9})?", re.ASCII)
_INTEGER = re.compile(r"[+-]?[0-9]+", re.ASCII)


def decode_output(data: bytes, limit: int) -> str:
    r"""Decode a program's output as bounded text.

    Bytes that are not UTF-8 become U+FFFD, line ends become "\n". Control characters and
    terminal escape sequences are removed.

    Args:
        data: The output.
        limit: Length of the text in characters, at most; at least 1.
    """
    decoded = data.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
    return bounded(_CONTROL.sub("", decoded), limit)


def shorten_paths(text: str) -> str:
    """Replace paths of this machine in a traceback by "site-packages/..." or "python3.11/...".

    A file of an installed package or of the standard library says the same to a model wherever it
    is installed; where that is concerns no model. Frames of the verifier are removed.
    """
    text = _VERIFIER_FRAME.sub("", text)
    text = _PACKAGE_FILE.sub(r"\1site-packages/", text)
    return _LIBRARY_FILE.sub(r"\1\2", text)


def output_difference(tests: StdioPairs, actual: str, expected: str) -> str | None:
    """Return how an output differs from the expected one; None if it is right.

    Args:
        tests: The tests whose options say how to compare.
        actual: The program's output.
        expected: The expected output.
    """
    if tests.ignore_case:
        actual, expected = actual.casefold(), expected.casefold()
    match tests.compare:
        case "exact":
            return _compare_in_order("line", _lines(actual), _lines(expected))
        case "tokens":
            return _compare_in_order("token", actual.split(), expected.split())
        case "floats":
            tolerance = (
                _DEFAULT_TOLERANCE if tests.tolerance is None else Tolerance.of(tests.tolerance)
            )
            return _compare_numbers(actual.split(), expected.split(), tolerance)
        case "lines_any_order":
            return _compare_unordered(_lines(actual), _lines(expected))


def _lines(output: str) -> list[str]:
    lines = [line.rstrip() for line in output.split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def _compare_in_order(unit: str, actual: Sequence[str], expected: Sequence[str]) -> str | None:
    if actual == expected:
        return None
    pairs = enumerate(zip_longest(actual, expected), 1)
    number, (one, other) = next(pair for pair in pairs if pair[1][0] != pair[1][1])
    return f"{unit} {number} of the output is {_excerpt(one)}, expected {_excerpt(other)}"


def _compare_numbers(
    actual: Sequence[str], expected: Sequence[str], tolerance: Tolerance
) -> str | None:
    for number, (one, other) in enumerate(zip_longest(actual, expected), 1):
        if one == other:
            continue
        reason = "" if one is None or other is None else _number_difference(one, other, tolerance)
        if reason is not None:
            place = f"token {number} of the output is {_excerpt(one)}, expected {_excerpt(other)}"
            return f"{place}{reason}"
    return None


def _number_difference(one: str, other: str, tolerance: Tolerance) -> str | None:
    """Return why two tokens differ ("" if they show it); None if they are the same number."""
    if not (_NUMBER.fullmatch(one) and _NUMBER.fullmatch(other)):
        return ""
    if _INTEGER.fullmatch(one) and _INTEGER.fullmatch(other):
        return None if _normalize_integer(one) == _normalize_integer(other) else ""
    actual, expected = float(one), float(other)
    if isinf(actual) or isinf(expected):
        return ": it is too large to be compared"
    by = abs(actual - expected)
    allowed = max(tolerance.absolute, tolerance.relative * abs(expected))
    if by <= allowed:
        return None
    return f": differs by {by:.3g}, more than the tolerance of {allowed:.3g}"


def _normalize_integer(whole: str) -> str:
    """Return an integer's digits without plus sign and leading zeros."""
    sign = "-" if whole.startswith("-") else ""
    digits = whole.lstrip("+-").lstrip("0")
    return f"{sign}{digits}" if digits else "0"


def _compare_unordered(actual: Sequence[str], expected: Sequence[str]) -> str | None:
    one = Counter(line for line in actual if line)
    other = Counter(line for line in expected if line)
    missing, extra = next(iter(other - one), None), next(iter(one - other), None)
    if missing is not None:
        return f"the output lacks the line {_excerpt(missing)}"
    return None if extra is None else f"the output has a line too many: {_excerpt(extra)}"


def _excerpt(text: str | None) -> str:
    return "nothing more" if text is None else repr(text[:_EXCERPT_CHARACTERS])
