"""Coroutines of the other side, awaited on this one.

They run there, on a loop of their own, or on the one that is running there already. What awaits
one here asks now and then whether it is done, so that several awaited at once run at once.
"""

from __future__ import annotations

import sys

from . import link
from .guard import kind_of
from .proxy import number_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from typing import Any

__all__ = [
    "awaited",
    "awaiting",
    "is_awaited_later",
    "poll",
    "start",
    "swallows",
    "value_of",
    "watch_callbacks",
]

_SLICE = 0.002  # seconds in which the other side's loop runs before it is asked again
_loops: list[Any] = []


_CANCEL, _CANCELLED = "cancel", "cancelled"


def awaited(value: Any) -> Any:
    """Make a coroutine that runs one of the other process."""
    return _awaited(value)


def awaiting(value: Any) -> Any:
    """Return what `await` iterates, of an object of the other process that is no coroutine.

    Where an event loop runs here, it needs one there as well.
    """
    if _is_running():
        return _awaited(value).__await__()
    return link.ask("special", value, "__await__", ())


def value_of(coroutine: Any) -> Any:
    """Return the coroutine of the other process that one which `awaited` has made will run."""
    frame = getattr(coroutine, "cr_frame", None)
    return None if frame is None else frame.f_locals.get("value")


def is_awaited_later(result: Any) -> bool:
    """Take note of a coroutine of the other process that an `__aexit__` gave; False for others."""
    number = number_of(value_of(result))
    if number is not None:
        link.EXITS.add(number)
    return number is not None


def swallows(operation: str, value: Any, result: Any) -> bool:
    """Tell whether an awaited `__aexit__` swallows an exception, or may without being seen to.

    Args:
        operation: What the other process was asked for.
        value: Of which object.
        result: What it answered.
    """
    if number_of(value) not in link.EXITS:
        return False
    number = number_of(result)
    if operation == "start" and number is not None:
        link.EXITS.add(number)
        return False
    if operation == "poll" and kind_of(result) is tuple and len(result) == 2:  # noqa: PLR2004
        return result[0] is not False and result[1] is not None and result[1] is not False
    return True


async def _awaited(value: Any) -> Any:
    import asyncio  # noqa: PLC0415

    if not _is_running():  # it is run step by step
        return await _Steps(value)
    task = link.ask("start", value)
    order, stop = "", None
    try:
        while True:
            done, result = link.ask("poll", task, order)
            if done:
                return result
            if done is None:
                raise RuntimeError("it was not cancelled") if stop is None else stop
            order = order and _CANCELLED
            try:
                await _Pause()
            except asyncio.CancelledError as error:
                # So it is there, where it may clean up, or go on.
                order, stop = _CANCEL, error
    except BaseException:
        # Nothing waits for it any more, as after a time limit of the tests.
        if not link.ask("call", link.ask("get", task, "done"), (), {}):
            link.ask("call", link.ask("get", task, "cancel"), (), {})
        raise


class _Steps:
    """Runs a coroutine of the other process as what runs this one asks for its steps."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __await__(self) -> Any:
        return link.ask("special", self.value, "__await__", ())


class _Pause:
    """Lets others run."""

    def __await__(self) -> Generator[None, None, None]:
        yield


def _is_running() -> bool:
    """Tell whether an event loop runs in this thread."""
    asyncio: Any = sys.modules.get("asyncio")
    return asyncio is not None and asyncio._get_running_loop() is not None  # noqa: SLF001


def start(value: Any) -> Any:
    """Begin to run a coroutine of this side, or to wait for another awaitable object."""
    import asyncio  # noqa: PLC0415

    return asyncio.ensure_future(value, loop=_loop(asyncio))


def _loop(asyncio: Any) -> Any:
    """Return the running event loop, or one that is kept for this."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        if not _loops:
            _loops.append(asyncio.new_event_loop())
        return _loops[0]


def poll(task: Any, order: str = "") -> Any:
    """Run for a moment: whether it is done, and its result.

    Args:
        task: What `start` gave.
        order: "cancel" to cancel it, "cancelled" if it has been. It is then None, not an
            exception, that says that it ended by this.
    """
    import asyncio  # noqa: PLC0415

    loop = task.get_loop()
    if order == _CANCEL:
        task.cancel()
    if not task.done() and not loop.is_running():
        # What the other side waits for may itself wait for this side: both get their turns.
        loop.run_until_complete(asyncio.wait({task}, timeout=_SLICE))
    if order and task.cancelled():
        return None, None
    return (True, task.result()) if task.done() else (False, None)


def watch_callbacks(note: Callable[[BaseException], None]) -> None:
    """Have exceptions noted that end callbacks of event loops and futures, which keep them.

    Args:
        note: Called with each.
    """
    for module, watch in (
        ("asyncio.base_events", _watch_loops),
        ("concurrent.futures._base", _watch_futures),
    ):
        if module in sys.modules and module not in _watched:
            _watched.add(module)
            watch(sys.modules[module], note)


def _watch_loops(module: Any, note: Callable[[BaseException], None]) -> None:
    before = module.BaseEventLoop.call_exception_handler

    def call_exception_handler(self: Any, context: Any) -> None:
        error = context.get("exception")
        if error is not None:
            note(error)
        before(self, context)

    module.BaseEventLoop.call_exception_handler = call_exception_handler


def _watch_futures(module: Any, note: Callable[[BaseException], None]) -> None:
    before = module.Future.add_done_callback

    def add_done_callback(self: Any, fn: Any) -> None:
        def called(future: Any) -> None:
            try:
                fn(future)
            except BaseException as error:
                note(error)
                raise

        before(self, called)

    module.Future.add_done_callback = add_done_callback


_watched: set[str] = set()
