"""Tracebacks without the harness in them."""

from __future__ import annotations

from .guard import guarded, name_of
from .sources import show_sources

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Any

__all__ = ["OWN", "render", "strip"]

OWN = "<planish>"
"""What the file names of the harness begin with."""
_RUNNERS = (OWN, "/unittest/", "/_pytest/", "/pluggy/", "/asyncio/")


def strip(trace: TracebackType | None) -> TracebackType | None:
    """The traceback from the first frame on that is not the harness."""
    while trace is not None and trace.tb_frame.f_code.co_filename.startswith(OWN):
        trace = trace.tb_next
    return trace


def render(error: BaseException, home: str, shift: tuple[str, int] = ("", 0)) -> str:
    """The traceback as Python prints it, frames of the harness and of test runners left out.

    Args:
        error: The exception; what caused it is shown as well.
        home: The working directory, with a slash; file names in it are shown relative to it.
        shift: A file name and how many lines to take off its line numbers.
    """
    try:
        import traceback  # noqa: PLC0415  # it costs 10 ms, and only failures need it

        show_sources()
        whole = traceback.TracebackException(type(error), error, error.__traceback__)
        _trim(whole, home, shift)
        return "".join(whole.format())
    except BaseException:  # noqa: BLE001  # out of memory, or a module that was tampered with
        return _plain(error)


def _trim(whole: Any, home: str, shift: tuple[str, int]) -> None:
    seen: list[Any] = []
    left = [whole]
    while left:
        one = left.pop()
        if one is None or any(one is other for other in seen):
            continue
        seen.append(one)
        one.stack[:] = [f for f in one.stack if not any(part in f.filename for part in _RUNNERS)]
        for frame in one.stack:
            _place(frame, home, shift)
        left += [one.__cause__, one.__context__, *(getattr(one, "exceptions", None) or ())]


def _place(frame: Any, home: str, shift: tuple[str, int]) -> None:
    """Show the frame's file relative to home, its line as in the candidate's own code."""
    frame.filename = frame.filename.removeprefix(home)
    if frame.filename == shift[0] and shift[1]:
        _ = frame.line  # looks it up by the number that is about to change
        frame.lineno -= shift[1]
        if getattr(frame, "end_lineno", None) is not None:
            frame.end_lineno -= shift[1]


def _plain(error: BaseException) -> str:
    """What a traceback says at least."""
    lines = ["Traceback (most recent call last):"]
    trace = strip(error.__traceback__)
    while trace is not None:
        code = trace.tb_frame.f_code
        lines.append(f'  File "{code.co_filename}", line {trace.tb_lineno}, in {code.co_name}')
        trace = trace.tb_next
    text = guarded(lambda: str(error), "its str")
    return "\n".join([*lines, f"{name_of(error)}: {text}", ""])
