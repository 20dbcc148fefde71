"""Call methods of objects whose classes are not ours, and may raise or not return."""

from __future__ import annotations

import builtins
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType
    from typing import Any

__all__ = [
    "PRIVATE",
    "Module",
    "base_names",
    "class_name",
    "guarded",
    "holds_failed_test",
    "in_class",
    "is_a",
    "is_failed_test",
    "is_skip",
    "kind_of",
    "name_of",
    "part_of",
    "signals",
]


def kind_of(value: Any) -> Any:
    """Return the class of a value."""
    own: Any = type
    return own(value)


Module: Any = kind_of(builtins)
"""The class of modules; that of a given one can change."""

PRIVATE: dict[str, Any] = dict(vars(builtins))
"""The builtins as they were before any candidate ran."""

_SECONDS = 1.0  # for one `repr` or `str`; a program has 30 s for all


class _SlowError(BaseException):
    pass


def name_of(value: object) -> str:
    """Return the name of a value's class, without running its metaclass."""
    return class_name(type(value))


def class_name(kind: type) -> str:
    """Return the name of a class, without running its metaclass."""
    name: str = type.__dict__["__name__"].__get__(kind)
    return name


def base_names(value: object) -> list[str]:
    """Return the names of the base classes of a value's class, nearest first, at most eight.

    Names that are no identifiers are left out, and so is `object`.
    """
    kinds: tuple[type, ...] = type.__dict__["__mro__"].__get__(type(value))
    names = [class_name(kind) for kind in kinds[1:-1]]
    return [name for name in names if name.isidentifier() and len(name) <= _NAME][:_BASES]


_NAME, _BASES = 80, 8


def in_class(kind: type, name: str) -> bool:
    """Tell whether a class or a base of it defines a name, without running any of it."""
    mro: tuple[type, ...] = type.__dict__["__mro__"].__get__(kind)
    return any(name in type.__dict__["__dict__"].__get__(one) for one in mro)


def is_a(value: object, kind: type | tuple[type, ...]) -> bool:
    """Tell whether a value is of a class, whatever its `__class__` says."""
    return issubclass(type(value), kind)


def is_failed_test(error: BaseException) -> bool:
    """Tell whether an exception says that a test has failed: of `assert`, or of `pytest.fail`."""
    return name_of(error) == "Failed" or is_a(error, AssertionError)


def is_skip(error: BaseException) -> bool:
    """Tell whether an exception says that a test is skipped, or that an input is not to be tested.

    Any class of Hypothesis' own counts: it leaves inputs out for several of them.
    """
    skips: list[Any] = [getattr(sys.modules.get(module), name, ()) for module, name in _SKIPS]
    return any(is_a(error, skip) for skip in skips)


_SKIPS = (("unittest.case", "SkipTest"), ("hypothesis.errors", "HypothesisException"))


def holds_failed_test(error: BaseException) -> bool:
    """Tell whether an exception says that a test has failed, or was made of one that does.

    One that is in a group, or that was the cause of the exception, or was being handled.
    """
    left: list[Any] = [error]
    seen: set[int] = set()
    while left and len(seen) < _LINKED:
        one = left.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        if is_failed_test(one):
            return True
        left += [part_of(one, name) for name in ("__cause__", "__context__")]
        group = PRIVATE.get("BaseExceptionGroup")  # from Python 3.11 on
        if group is not None and is_a(one, group):
            left += group.__dict__["exceptions"].__get__(one)
    return False


_LINKED = 1_000


def part_of(error: BaseException, name: str) -> Any:
    """Return an attribute that every exception has, without running its class."""
    return BaseException.__dict__[name].__get__(error)


def guarded(make: Callable[[], str], what: str) -> str:
    """Return the result of `make`, or a note in <> if it raises or takes over a second."""
    disarm = _arm()
    try:
        return "".join([make()])  # noqa: FLY002  # of a subclass of str it makes a plain one
    except _SlowError:
        return f"<{what} took more than {_SECONDS:g} s>"
    except BaseException as error:  # noqa: BLE001  # also SystemExit: evidence must not end a run
        return f"<{what} raised {name_of(error)}>"
    finally:
        disarm()


def signals() -> Any:
    """Import `_signal`, because the module `signal` would load enum."""
    return __import__("_signal")


def _arm() -> Callable[[], object]:
    signal = signals()

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise _SlowError

    try:
        before = signal.signal(signal.SIGALRM, stop)
    except (AttributeError, ValueError):  # Windows has no such timer, threads cannot set one
        return lambda: None
    left = signal.setitimer(signal.ITIMER_REAL, _SECONDS)

    def disarm() -> None:
        signal.setitimer(signal.ITIMER_REAL, *left)
        signal.signal(signal.SIGALRM, before)

    return disarm
