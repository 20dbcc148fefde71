"""Coroutines of the other side, awaited on this one.

They run there, on a loop of their own, or on the one that is running there already. What awaits
one here asks now and then whether it is done, so that several awaited at once run at once.
"""

from __future__ import annotations

from . import link

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator
    from typing import Any

__all__ = ["awaited", "poll", "start"]

_SLICE = 0.002  # seconds in which the other side's loop runs before it is asked again
_loops: list[Any] = []


def awaited(value: Any) -> Any:
    """Make a coroutine that runs one of the other process."""
    return _awaited(value)


async def _awaited(value: Any) -> Any:
    task = link.ask("start", value)
    try:
        while True:
            done, result = link.ask("poll", task)
            if done:
                return result
            await _Pause()
    except BaseException:
        # It was cancelled here, as by a time limit: so it is there.
        if not link.ask("call", link.ask("get", task, "done"), (), {}):
            link.ask("call", link.ask("get", task, "cancel"), (), {})
        raise


class _Pause:
    """Lets others run."""

    def __await__(self) -> Generator[None, None, None]:
        yield


def start(coroutine: Any) -> Any:
    """Begin to run a coroutine of this side."""
    import asyncio  # noqa: PLC0415

    return _loop(asyncio).create_task(coroutine)


def _loop(asyncio: Any) -> Any:
    """Return the running event loop, or one that is kept for this."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        if not _loops:
            _loops.append(asyncio.new_event_loop())
        return _loops[0]


def poll(task: Any) -> Any:
    """Run for a moment: whether it is done, and its result."""
    import asyncio  # noqa: PLC0415

    loop = task.get_loop()
    if not task.done() and not loop.is_running():
        # What the other side waits for may itself wait for this side: both get their turns.
        loop.run_until_complete(asyncio.wait({task}, timeout=_SLICE))
    return (True, task.result()) if task.done() else (False, None)
