"""Calling methods of objects whose class somebody else wrote."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

__all__ = ["guarded"]

_SECONDS = 1.0  # for one `repr` or `str`; a program has 30 s for all


class _SlowError(BaseException):
    pass


def guarded(make: Callable[[], str], what: str) -> str:
    """What `make` gives, or a note in angle brackets where it raises or takes over a second."""
    disarm = _arm()
    try:
        return make()
    except _SlowError:
        return f"<{what} took more than {_SECONDS:g} s>"
    except BaseException as error:  # noqa: BLE001  # also SystemExit: evidence must not end a run
        return f"<{what} raised {type(error).__name__}>"
    finally:
        disarm()


def _arm() -> Callable[[], object]:
    import signal  # noqa: PLC0415  # it loads enum, and few programs need it

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
