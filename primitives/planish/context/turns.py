"""Share the event loop among runs that start together, so that no task waits long for it.

An event loop runs all tasks that are ready before it looks at timers and sockets again. Of 1,000
runs that start together, each takes a fraction of a millisecond to its first wait: together they
would keep the loop from everything else for that many times longer.
"""

import threading
from collections import deque
from time import monotonic

import anyio

__all__ = ["Pause", "checkpoint", "take_turn", "take_turn_with_reply"]

_SLICE = 0.010
"""Seconds for which runs may start one after another before the loop gets a turn."""

_SHORT = 0.001
"""Seconds for which a loop of short rounds keeps the event loop."""

_IDLE = 0.1
"""Seconds without a start after which the loop has certainly had a turn."""

_ABANDONED = 1.0
"""Seconds without a start after which those that wait may belong to a loop that is closed."""


class _Turns(threading.local):
    """The turns of the event loop that runs in this thread.

    Attributes:
        begin: When the present slice of time began.
        last: When the last run started.
        queue: The runs that wait for a turn, in their order.
    """

    def __init__(self) -> None:
        self.begin = 0.0
        self.last = 0.0
        self.queue: deque[anyio.Event] = deque()


_turns = _Turns()


async def take_turn_with_reply() -> None:
    """Wait as `take_turn` does, shielded from cancellation, so that no reply of a model is lost.

    Replies to runs that started together arrive together, and each is read and judged in a
    fraction of a millisecond.
    """
    if not _turns.queue and monotonic() - _turns.begin < _SLICE:
        return
    with anyio.CancelScope(shield=True):
        await take_turn()


async def take_turn() -> None:
    """Wait, if other runs have just kept the event loop busy, until it has had a turn.

    Runs that wait start in their order, one each time the loop has looked at timers and sockets.
    Without such runs this returns at once and is no checkpoint.
    """
    turns = _turns
    now = monotonic()
    if now - turns.last > _IDLE:
        turns.begin = now
        if turns.queue and now - turns.last > _ABANDONED:
            turns.queue = deque()
    if not turns.queue and now - turns.begin < _SLICE:
        turns.last = now
        return
    await _wait_in(turns.queue)
    turns.begin = turns.last = monotonic()


async def _wait_in(queue: "deque[anyio.Event]") -> None:
    event = anyio.Event()
    queue.append(event)
    try:
        if queue[0] is not event:
            await event.wait()
        # After each start the loop gets a turn: without this, all that wait would start at once.
        await checkpoint()
    finally:
        first = queue[0] is event
        queue.remove(event)
        if first and queue:
            queue[0].set()


class Pause:
    """Tells a loop of short rounds when it is to let other tasks run: once a millisecond."""

    __slots__ = ("_begin",)

    def __init__(self) -> None:
        self._begin = monotonic()

    def is_due(self) -> bool:
        """Return whether a millisecond has passed since this last returned True."""
        now = monotonic()
        if now - self._begin < _SHORT:
            return False
        self._begin = now
        return True


async def checkpoint() -> None:
    """Let other tasks run, and raise if this one is cancelled."""
    from anyio.lowlevel import checkpoint as anyio_checkpoint  # noqa: PLC0415 - slow to import

    await anyio_checkpoint()
