"""Wait for a process's answer while its output is read and its time runs."""

from __future__ import annotations

import base64
import os
import time

from ..supervisor.clock import Clock  # noqa: TID252  # beside us, in both interpreters
from ..supervisor.watch import Stream, Watch  # noqa: TID252
from .displays import genuine
from .frames import Gone
from .processes import below

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self

    from .files import Room
    from .processes import Process

__all__ = ["Outcome", "Pipes", "result", "watch"]

_SHARE = 4  # files are not counted before this many times the cost of the last count
_ANY = 1 << 62  # bytes: memory is limited for the session as a whole


class Outcome:
    """How it ended.

    Attributes:
        answer: What the process answered; None when it was stopped, or is gone.
        stop: Why it has to be stopped: a limit ("seconds", "output_bytes", "files", "disk_mb"),
            or "cancelled"; None otherwise.
        seconds: Wall time.
        cpu: Processor time; None where /proc does not show it.
        streams: What was written to stdout and stderr.
    """

    def __init__(self, pipes: tuple[int, ...], most: int) -> None:
        self.answer: dict[str, Any] | None = None
        self.stop: str | None = None
        self.seconds: float = 0.0
        self.cpu: float | None = None
        self.streams: tuple[bytearray, ...] = tuple(bytearray() for _ in pipes)
        self.reading: tuple[Stream, ...] = tuple(
            Stream(pipe, most, data.extend) for pipe, data in zip(pipes, self.streams, strict=True)
        )

    def drain(self) -> None:
        """Read what is there. Not all that comes: a process left running may write for ever."""
        for stream in self.reading:
            stream.drain()
            if stream.over:
                self.stop = "output_bytes"


class _Session:
    """All processes of the session, for `Watch`: their number is limited by the sandbox."""

    def __init__(self, room: Room | None) -> None:
        self._room = room
        self._next = 0.0

    def has_ended(self) -> bool:
        """Return False: the answer of the process tells."""
        return False

    def list_processes(self) -> list[int]:
        """List every process of the session."""
        return below()

    def exceeded_limit(self) -> str | None:
        """Return the limit on files or disk that is passed; None if none is, or if just seen."""
        if self._room is None or time.monotonic() < self._next:
            return None
        begun = time.monotonic()
        limit = self._room.exceeded_limit()
        ended = time.monotonic()
        self._next = ended + _SHARE * (ended - begun)  # also the program waits while it counts
        return limit


def watch(
    process: Process,
    pipes: tuple[int, ...],
    host: int,
    seconds: float,
    most: int,
    room: Room | None = None,
) -> Outcome:
    """Wait until a process has answered, is gone, or has to be stopped.

    Args:
        process: Whose answer.
        pipes: Where its stdout and stderr are read.
        host: The host's descriptor: whatever comes there now means to stop.
        seconds: Of processor, at most; twice as long it may be idle.
        most: Bytes of each stream.
        room: What it may write; None: the sandbox alone limits that.
    """
    outcome = Outcome(pipes, most)
    clock = Clock(seconds, below())
    measured = os.path.exists(f"/proc/{process.pid}/stat")  # noqa: PTH110
    main = process.sock.fileno()
    looking = Watch(_Session(room), clock, _ANY, stops=(host,), main=main, streams=outcome.reading)
    looking.wait()
    outcome.stop = looking.limit
    if outcome.stop is None and looking.ended and room is not None:
        outcome.stop = room.exceeded_limit()
    if outcome.stop is None and looking.ended:
        try:
            outcome.answer = process.receive()
        except (Gone, MemoryError):  # it has ended, or what it sends is no answer, or too much
            outcome.answer = None
    elif outcome.stop is None:
        outcome.stop = "cancelled"
    clock.look(below())
    outcome.cpu = clock.cpu if measured else None
    outcome.drain()
    if outcome.stop is not None:  # also when it had answered: what printed too much is undone
        outcome.answer = None
    outcome.seconds = clock.wall
    return outcome


def result(outcome: Outcome, ended: int | None = None) -> dict[str, Any]:
    """Return what the host receives about it, when all that could still write is dead or done.

    Args:
        outcome: How it ended; what its pipes still hold is read.
        ended: How the process ended that gave no answer: an exit code, or minus a signal.
    """
    outcome.drain()
    answer = outcome.answer or {"exit": ended}
    stdout, stderr = (base64.b64encode(data).decode() for data in outcome.streams)
    return {
        "exit": answer.get("exit"),
        "displays": genuine(answer.get("displays")),
        "limit": outcome.stop,
        "seconds": outcome.seconds,
        "cpu": outcome.cpu,
        "stdout": stdout,
        "stderr": stderr,
    }


class Pipes:
    """Two pipes to read a process's stdout and stderr from."""

    def __init__(self) -> None:
        out, err = os.pipe(), os.pipe()
        self.ours: tuple[int, int] = (out[0], err[0])
        self.theirs: tuple[int, int] = (out[1], err[1])
        self._open = {*out, *err}

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
