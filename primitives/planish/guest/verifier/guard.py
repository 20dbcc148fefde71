"""Calling methods of objects whose class somebody else wrote."""

from __future__ import annotations

import builtins

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType
    from typing import Any

__all__ = [
    "PRIVATE",
    "Module",
    "class_name",
    "guarded",
    "is_a",
    "kind_of",
    "name_of",
    "part_of",
    "signals",
]


def kind_of(value: Any) -> Any:
    """Its class."""
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
    """The name of its class, whatever a metaclass says."""
    return class_name(type(value))


def class_name(kind: type) -> str:
    """The name of a class, whatever its metaclass says."""
    name: str = type.__dict__["__name__"].__get__(kind)
    return name


def is_a(value: object, kind: type | tuple[type, ...]) -> bool:
    """It is of the class, whatever its `__class__` says."""
    return issubclass(type(value), kind)


def part_of(error: BaseException, name: str) -> Any:
    """An attribute of every exception, whatever its class makes of that."""
    return BaseException.__dict__[name].__get__(error)


def guarded(make: Callable[[], str], what: str) -> str:
    """What `make` gives, or a note in angle brackets where it raises or takes over a second."""
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
    """What the module `signal` wraps, and loads enum for."""
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
