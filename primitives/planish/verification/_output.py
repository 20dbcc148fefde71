"""What a program wrote: as bounded text, and compared with the expected output."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import zip_longest
from math import isinf

from planish.data.tests import StdioPairs, Tolerance
from planish.guest.protocol import bounded

__all__ = ["text", "wrong_output"]


# Escape sequences of terminals (ECMA-48: CSI, OSC, and the short ones), then what is left of
# the control characters but for tabs and line ends.
_CONTROL = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[ -/]*[0-~]"
    r"|[\x00-\x08\x0b-\x1f\x7f-\x9f]"
)


def text(data: bytes, limit: int) -> str:
    r"""Output as evidence: UTF-8, what is not shown as U+FFFD, bounded.

    Line ends are "\n"; control characters, and escape sequences of terminals whole, are left
    out.

    Args:
        data: What a program wrote.
        limit: Characters to keep; at least 1.
    """
    decoded = data.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
    return bounded(_CONTROL.sub("", decoded), limit)


_SHOWN = 200  # characters of a line or token in a message
_CLOSE = Tolerance(1e-6, 1e-6)  # what most contests allow
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,9})?", re.ASCII)
_WHOLE = re.compile(r"[+-]?[0-9]+", re.ASCII)


def wrong_output(tests: StdioPairs, got: str, wanted: str) -> str | None:
    """Return why an output is not the expected one; None if it is.

    Args:
        tests: How they are compared.
        got: What the program wrote.
        wanted: What it should write.
    """
    if tests.ignore_case:
        got, wanted = got.casefold(), wanted.casefold()
    match tests.compare:
        case "exact":
            return _in_order("line", _lines(got), _lines(wanted))
        case "tokens":
            return _in_order("token", got.split(), wanted.split())
        case "floats":
            tolerance = _CLOSE if tests.tolerance is None else Tolerance.of(tests.tolerance)
            return _floats(got.split(), wanted.split(), tolerance)
        case "lines_any_order":
            return _any_order(_lines(got), _lines(wanted))


def _lines(output: str) -> list[str]:
    lines = [line.rstrip() for line in output.split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def _in_order(unit: str, got: Sequence[str], wanted: Sequence[str]) -> str | None:
    if got == wanted:
        return None
    pairs = enumerate(zip_longest(got, wanted), 1)
    number, (one, other) = next(pair for pair in pairs if pair[1][0] != pair[1][1])
    return f"{unit} {number} of the output is {_shown(one)}, expected {_shown(other)}"


def _floats(got: Sequence[str], wanted: Sequence[str], tolerance: Tolerance) -> str | None:
    for number, (one, other) in enumerate(zip_longest(got, wanted), 1):
        if one == other:
            continue
        reason = "" if one is None or other is None else _apart(one, other, tolerance)
        if reason is not None:
            place = f"token {number} of the output is {_shown(one)}, expected {_shown(other)}"
            return f"{place}{reason}"
    return None


def _apart(one: str, other: str, tolerance: Tolerance) -> str | None:
    """Return why two tokens differ, which may be empty; None if they are the same number."""
    if not (_NUMBER.fullmatch(one) and _NUMBER.fullmatch(other)):
        return ""
    if _WHOLE.fullmatch(one) and _WHOLE.fullmatch(other):
        return None if _plain(one) == _plain(other) else ""
    got, wanted = float(one), float(other)
    if isinf(got) or isinf(wanted):
        return ": it is too large to be compared"
    by = abs(got - wanted)
    allowed = max(tolerance.absolute, tolerance.relative * abs(wanted))
    if by <= allowed:
        return None
    return f": differs by {by:.3g}, more than the tolerance of {allowed:.3g}"


def _plain(whole: str) -> str:
    """Return a whole number without plus sign and leading zeros."""
    sign = "-" if whole.startswith("-") else ""
    digits = whole.lstrip("+-").lstrip("0")
    return f"{sign}{digits}" if digits else "0"


def _any_order(got: Sequence[str], wanted: Sequence[str]) -> str | None:
    one = Counter(line for line in got if line)
    other = Counter(line for line in wanted if line)
    missing, extra = next(iter(other - one), None), next(iter(one - other), None)
    if missing is not None:
        return f"the output lacks the line {_shown(missing)}"
    return None if extra is None else f"the output has a line too many: {_shown(extra)}"


def _shown(text: str | None) -> str:
    return "nothing more" if text is None else repr(text[:_SHOWN])
