"""Waiting for a process's answer while its output is read, its time runs, and the host may call."""

from __future__ import annotations

import base64
import os
import select

from .clock import Clock
from .frames import Gone
from .processes import family

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self

    from .processes import Process

__all__ = ["Outcome", "Pipes", "result", "watch"]

_CHUNK = 65536
_TICK = 0.02  # seconds between two looks at the time it takes


class Outcome:
    """How it ended.

    Attributes:
        answer: What the process said; None when it was stopped, or is gone.
        stop: Why it has to be stopped: "seconds", "output_bytes", "cancelled"; None otherwise.
        seconds: Wall time.
        cpu: Processor time; None where /proc does not show it.
        streams: What was written to stdout and stderr, by the descriptor it was read from.
    """

    def __init__(self, streams: tuple[int, ...]) -> None:
        self.answer: dict[str, Any] | None = None
        self.stop: str | None = None
        self.seconds: float = 0.0
        self.cpu: float | None = None
        self.streams: dict[int, bytearray] = {stream: bytearray() for stream in streams}

    def take(self, stream: int, most: int) -> bool:
        """Read once. Whether there may be more."""
        try:
            data = os.read(stream, _CHUNK)
        except BlockingIOError:
            return False
        kept = self.streams[stream]
        kept += data
        if len(kept) > most:
            del kept[most:]
            self.stop = "output_bytes"
            return False
        return bool(data)

    def drain(self, most: int) -> None:
        """Read what is there. Not all that comes: somebody left running may write for ever."""
        for stream in self.streams:
            while self.take(stream, most):
                pass


def watch(
    process: Process, streams: tuple[int, ...], host: int, seconds: float, most: int
) -> Outcome:
    """Until it has answered, is gone, or has to be stopped.

    Args:
        process: Whose answer.
        streams: Where its stdout and stderr are read; they do not block.
        host: The host's descriptor: whatever comes there now means to stop.
        seconds: Of processor, at most; twice as long it may do nothing.
        most: Bytes of each stream.
    """
    outcome = Outcome(streams)
    clock = Clock(seconds, family())
    measured = os.path.exists(f"/proc/{process.pid}/stat")  # noqa: PTH110
    poll = select.poll()
    for number in (process.sock.fileno(), host, *streams):
        poll.register(number, select.POLLIN)
    while outcome.stop is None:
        ready = dict(poll.poll(min(_TICK, clock.wait()) * 1000))
        for stream in streams:
            if stream in ready and not outcome.take(stream, most):
                poll.unregister(stream)
        if outcome.stop is None and process.sock.fileno() in ready:
            _hear(process, outcome)
            break
        if host in ready:
            outcome.stop = "cancelled"
        elif outcome.stop is None and clock.over(family()):
            outcome.stop = "seconds"
    clock.look(family())
    outcome.cpu = clock.cpu if measured else None
    outcome.drain(most)
    if outcome.stop is not None:  # also when it had answered: what printed too much is undone
        outcome.answer = None
    outcome.seconds = clock.wall
    return outcome


def _hear(process: Process, outcome: Outcome) -> None:
    try:
        outcome.answer = process.hear()
    except (Gone, MemoryError):  # it ended, talks nonsense, or too much
        outcome.answer = None


def result(outcome: Outcome, pipes: Pipes, most: int, ended: int | None = None) -> dict[str, Any]:
    """What the host is told of it, when everything that could still write is dead or done.

    Args:
        outcome: How it ended.
        pipes: What they still hold is read.
        most: Bytes of each stream.
        ended: How the process ended that gave no answer: an exit code, or minus a signal.
    """
    outcome.drain(most)
    stdout, stderr = (bytes(outcome.streams[stream]) for stream in pipes.ours)
    answer = outcome.answer or {"exit": ended}
    return {
        "exit": answer.get("exit"),
        "displays": answer.get("displays", ()),
        "limit": outcome.stop,
        "seconds": outcome.seconds,
        "cpu": outcome.cpu,
        "stdout": base64.b64encode(stdout).decode(),
        "stderr": base64.b64encode(stderr).decode(),
    }


class Pipes:
    """Two pipes to read a process's stdout and stderr from. Ours do not block."""

    def __init__(self) -> None:
        out, err = os.pipe(), os.pipe()
        self.ours: tuple[int, int] = (out[0], err[0])
        self.theirs: tuple[int, int] = (out[1], err[1])
        self._open = {*out, *err}
        for number in self.ours:
            os.set_blocking(number, False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for number in self._open:
            os.close(number)

    def close_theirs(self) -> None:
        """Leave the other ends to the process that has them now."""
        for number in self.theirs:
            os.close(number)
            self._open.discard(number)
