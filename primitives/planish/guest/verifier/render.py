"""Render tracebacks without the verifier's own frames, those of the other process among them."""

from __future__ import annotations

from .guard import PRIVATE, is_a, name_of, part_of
from .sources import line_of, show_sources

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Any

__all__ = ["FAR", "describe_traceback", "far_of", "render", "strip"]

FAR = "#far"
"""Among an exception's own attributes; no name that a program could write after a dot."""

_OWN = "<planish>"  # what the verifier's file names begin with
_RUNNERS = (_OWN, "/unittest/", "/_pytest/", "/pluggy/", "/asyncio/")
_MANY = 50  # frames, above which repeated ones are counted


def strip(trace: TracebackType | None) -> TracebackType | None:
    """Strip the verifier's first frames from a traceback."""
    while trace is not None and trace.tb_frame.f_code.co_filename.startswith(_OWN):
        trace = trace.tb_next
    return trace


def far_of(error: BaseException) -> Any:
    """Return what the other process sent: frames, text, and where this process's frames belong.

    None where the exception is of this side.
    """
    return part_of(error, "__dict__").get(FAR)


def render(error: BaseException, message: str, home: str, shift: tuple[str, int]) -> str:
    """Format a traceback without frames of the verifier and of test runners.

    Args:
        error: The exception; what caused it is shown as well.
        message: What it says.
        home: The working directory, with a slash; file names in it are shown relative to it.
        shift: A file name and how many lines to take off its line numbers.
    """
    frames = _frames(part_of(error, "__traceback__"))
    far = far_of(error)
    if far is not None and far[1]:
        return _joined(frames, far[1], far[2], home, shift)
    if len(frames) <= _MANY and _alone(error):
        return _brief(error, message, frames, home, shift)
    try:
        import traceback  # noqa: PLC0415  # it costs 10 ms

        show_sources()
        whole = traceback.TracebackException(type(error), error, error.__traceback__)
        _trim(whole, home, shift)
        return "".join(whole.format())
    except BaseException:  # noqa: BLE001  # out of memory, or a module that was tampered with
        return _brief(error, message, frames[-_MANY:], home, shift)


def describe_traceback(error: BaseException, text: str, most: int, *place: Any) -> Any:
    """Return frames, a traceback, and the index in it behind the head of its last part.

    Args:
        error: The exception.
        text: What it says.
        most: Characters of the traceback.
        place: `home` and `shift`, as of `render`. Default: no traceback, only the frames.
    """
    frames: list[tuple[str, int]] = []
    trace = part_of(error, "__traceback__")
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if not file.startswith(_OWN):
            frames.append((file, trace.tb_lineno))
        trace = trace.tb_next
    if len(frames) > 2 * _FRAMES:
        frames = frames[:_FRAMES] + frames[-_FRAMES:]
    if not place or not (frames or part_of(error, "__context__")):
        return tuple(frames), "", -1
    shown = render(error, text[:2_000], *place)[-most:]
    at = -1
    index = 0
    for line in shown.splitlines(keepends=True):
        index += len(line)
        if line.startswith(_HEADS):
            at = index
    return tuple(frames), shown, at


_FRAMES = 200  # of a deeper traceback: so many of its first, and of its last
_HEADS = ("Traceback (most recent call last):\n", "  + Exception Group Traceback (most recent")


def _alone(error: BaseException) -> bool:
    """There is no more to tell than what it says and where it was raised."""
    if part_of(error, "__context__") is not None or part_of(error, "__cause__") is not None:
        return False
    if is_a(error, SyntaxError) or "__notes__" in part_of(error, "__dict__"):
        return False
    return not is_a(error, PRIVATE.get("BaseExceptionGroup", SyntaxError))


def _frames(trace: TracebackType | None) -> list[TracebackType]:
    frames: list[TracebackType] = []
    while trace is not None:
        if not _hidden(trace.tb_frame.f_code.co_filename):
            frames.append(trace)
        trace = trace.tb_next
    return frames


def _hidden(file: str) -> bool:
    return any(part in file for part in _RUNNERS)


def _brief(
    error: BaseException,
    message: str,
    frames: list[TracebackType],
    home: str,
    shift: tuple[str, int],
) -> str:
    """Return what a traceback says of one exception, without loading the module of that name."""
    lines = ["Traceback (most recent call last):", *_lines(frames, home, shift)]
    module: Any = type.__dict__["__module__"].__get__(type(error))
    name = name_of(error)
    if module not in ("builtins", "__main__"):
        name = f"{module}.{name}"
    return "\n".join([*(lines if frames else []), f"{name}: {message}" if message else name, ""])


def _joined(frames: list[TracebackType], far: str, at: int, home: str, shift: Any) -> str:
    """Put the frames of this side where they belong into what the other side says."""
    lines = _lines(frames[:_MANY], home, shift)
    if at < 0:
        return "\n".join(["Traceback (most recent call last):", *lines, far] if lines else [far])
    edge = "  | " if far[:at].rpartition("\n  + ")[1] or far.startswith("  + ") else ""
    return far[:at] + "".join(f"{edge}{line}\n" for line in lines) + far[at:]


def _lines(frames: list[TracebackType], home: str, shift: tuple[str, int]) -> list[str]:
    lines: list[str] = []
    for frame in frames:
        code = frame.tb_frame.f_code
        file = code.co_filename.removeprefix(home)
        number = frame.tb_lineno - (shift[1] if file == shift[0] else 0)
        lines.append(f'  File "{file}", line {number}, in {code.co_name}')
        text = line_of(code.co_filename, frame.tb_lineno)
        lines += [f"    {line}" for line in (text.strip(), _carets(frame, text)) if line]
    return lines


def _carets(frame: TracebackType, text: str) -> str:
    """Mark the part of a line that was being run; nothing where that is all of it."""
    code: Any = frame.tb_frame.f_code
    if not hasattr(code, "co_positions"):  # before Python 3.11
        return ""
    first, last, start, end = list(code.co_positions())[frame.tb_lasti // 2]
    if None in (first, last, start, end) or first != last:
        return ""
    raw = text.encode()
    start, end = len(raw[:start].decode(errors="replace")), len(raw[:end].decode(errors="replace"))
    indent = len(text) - len(text.lstrip())
    if end - start >= len(text.strip()):
        return ""
    return " " * (start - indent) + "^" * (end - start)


def _trim(whole: Any, home: str, shift: tuple[str, int]) -> None:
    seen: list[Any] = []
    left = [whole]
    while left:
        one = left.pop()
        if one is None or any(one is other for other in seen):
            continue
        seen.append(one)
        one.stack[:] = [frame for frame in one.stack if not _hidden(frame.filename)]
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
