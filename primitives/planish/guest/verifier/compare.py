"""Compare a result with the expected value: NaN, tolerance, lists and tuples.

The host and the sandbox both use this file.
"""

from __future__ import annotations

from .guard import is_a, kind_of, name_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["Rules", "difference"]

_NUMBERS = (int, float, complex)
_ROUNDED = (float, complex)
_SEQUENCES = (list, tuple)
_MAPPING: Any = dict
_SETS = (set, frozenset)
_CLOSE = 1e-6  # relative or absolute: where exact comparison fails for rounding alone
_NAN = object()
_INFINITE = float("inf")


class Rules:
    """Hold the rules by which values are compared.

    Attributes:
        absolute: The most a number may differ.
        relative: The same as a part of the expected number; the larger of both counts.
        any_sequence: A list and a tuple of equal items are equal.
    """

    def __init__(
        self, absolute: float = 0.0, relative: float = 0.0, *, any_sequence: bool = False
    ) -> None:
        self.absolute = absolute
        self.relative = relative
        self.any_sequence = any_sequence


def difference(got: Any, expected: Any, rules: Rules, path: str = "") -> str | None:
    """Return None if the values are equal, else a reason, which may be empty.

    Args:
        got: What the candidate gave. Of its own containers the base class's methods are used.
        expected: A plain value.
        rules: What counts as equal.
        path: Where in the whole value this part is, as `[0]['a']`.
    """
    kind = kind_of(expected)
    if kind in _SEQUENCES:
        return _sequence(got, expected, rules, path)
    if kind is dict:
        return _mapping(got, expected, rules, path)
    if kind in _SETS:
        return _members(got, expected, rules)
    if kind in _NUMBERS:
        return _number(got, expected, rules, path)
    return None if bool(got == expected) else ""


def _sequence(got: Any, expected: Any, rules: Rules, path: str) -> str | None:
    base = _base(got, _SEQUENCES)
    if base is None:
        return None if bool(got == expected) else ""
    other = base is not type(expected)
    if other and not rules.any_sequence:
        anyhow = Rules(rules.absolute, rules.relative, any_sequence=True)
        equal = _items(base, got, expected, anyhow, path) is None
        hint = ": sequences='any' takes either" if equal else ""
        return _at(path, f"{name_of(got)} instead of {name_of(expected)}{hint}")
    return _items(base, got, expected, rules, path)


def _items(base: Any, got: Any, expected: Any, rules: Rules, path: str) -> str | None:
    length = base.__len__(got)
    if length != len(expected):
        return _at(path, f"{length} items instead of {len(expected)}")
    for index, (one, other) in enumerate(zip(base.__iter__(got), expected)):  # noqa: B905  # 3.9
        reason = difference(one, other, rules, f"{path}[{index}]")
        if reason is not None:
            return reason
    return None


def _mapping(got: Any, expected: Any, rules: Rules, path: str) -> str | None:
    if not is_a(got, dict):
        return None if bool(got == expected) else ""
    if _MAPPING.__len__(got) != len(expected):
        return _at(path, f"{_MAPPING.__len__(got)} keys instead of {len(expected)}")
    by_key: Any = None
    for key, value in expected.items():
        if _MAPPING.__contains__(got, key):
            found = _MAPPING.__getitem__(got, key)
        else:
            if by_key is None:
                by_key = {_with_nan(one): other for one, other in _MAPPING.items(got)}
            if _with_nan(key) not in by_key:
                return _at(path, f"no key {key!r}"[:200])
            found = by_key[_with_nan(key)]
        reason = difference(found, value, rules, f"{path}[{key!r}]"[:200])
        if reason is not None:
            return reason
    return None


def _members(got: Any, expected: Any, rules: Rules) -> str | None:
    if bool(got == expected):
        return None
    base = _base(got, _SETS)
    if base is None or base.__len__(got) != len(expected):
        return ""
    one = {_with_nan(member) for member in base.__iter__(got)}
    other = {_with_nan(member) for member in expected}
    if one == other:
        return None
    mine, others = _reals(one - other), _reals(other - one)
    if mine is None or others is None or len(mine) != len(others):
        return ""
    pairs = zip(mine, others)  # noqa: B905  # Python 3.9 has no `strict`
    return None if all(_number(a, b, rules, "") is None for a, b in pairs) else ""


def _number(got: Any, expected: Any, rules: Rules, path: str) -> str | None:
    if bool(got == expected):
        return None
    if _base(got, _NUMBERS) is None or type(expected) is bool or is_a(got, bool):
        return ""
    if expected != expected:  # noqa: PLR0124  # NaN
        return None if is_a(got, float) and float.__ne__(got, got) else ""
    try:
        size = abs(expected)
        by = abs(got - expected)
        if size == _INFINITE or not by < _INFINITE:
            return ""
        allowed = max(rules.absolute, rules.relative * size)
        if by <= allowed:
            return None
        if allowed:
            return _at(path, f"differs by {by:.3g}, more than the tolerance of {allowed:.3g}")
        rounded = _base(got, _ROUNDED) is not None or type(expected) in _ROUNDED
        close = rounded and bool(by) and by <= _CLOSE * max(1, size)
        return _at(path, f"differs by {by:.1g}: give a tolerance") if close else ""
    except OverflowError:  # an integer that no float can hold
        return ""


def _base(value: object, kinds: Any) -> Any:
    for kind in kinds:
        if is_a(value, kind):
            return kind
    return None


def _with_nan(value: Any) -> Any:
    """Return the value with one object for every NaN in it: a NaN is not equal to itself."""
    kind = kind_of(value)
    if kind is float and value != value:  # noqa: PLR0124
        return _NAN
    if kind is tuple:
        return tuple([_with_nan(item) for item in value])
    if kind is frozenset:
        return frozenset([_with_nan(item) for item in value])
    return value


def _reals(values: Any) -> Any:
    """Return the numbers in order; None if there is anything else among them."""
    found = list(values)
    if not all(type(value) in (int, float) for value in found):
        return None
    return sorted(found)


def _at(path: str, reason: str) -> str:
    return f"at {path}: {reason}" if path else reason
