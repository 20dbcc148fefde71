"""Watch a program until it ends, or until a limit or its host ends it.

The limit that is reported, everywhere: `output_bytes` if it printed too much; else the first
that a look finds passed, in the order processes, seconds, memory_mb, files, disk_mb; else, if
the program failed, the one that its sandbox finds to be the cause.
"""

import os
import select
import time

from .memory import exceeds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from typing import Protocol

    from .clock import Clock

    class Isolation(Protocol):
        """The processes of a run, as far as its sandbox shows them."""

        def has_ended(self) -> bool:
            """Reap what has exited; return whether the program's first process has."""
            ...

        def list_processes(self) -> "list[int]":
            """List every process of the program."""
            ...

        def exceeded_limit(self) -> "str | None":
            """Return the limit on processes, files or disk that is passed now, if one is."""
            ...


__all__ = ["Stream", "Watch", "full", "report"]

_TICK = 0.02  # seconds between two looks; one look takes 0.1 ms for a program of one process
_HASTE = 0.005  # the same, when the last look found _RUSH more processes than the one before
_RUSH = 4
_BLIND_TICK = 0.005  # where the kernel does not say when the program has ended
_CHUNK = 65536  # bytes: what a pipe holds
_BEAT = 2.0  # seconds between two signs of life


class Stream:
    """One stream of the program, read up to a limit.

    Args:
        pipe: Where it is read.
        most: Bytes that are passed on.
        take: Takes each piece.

    Attributes:
        pipe: Where it is read.
        over: It has carried more than the limit.
        closed: No process is left that could write to it.
    """

    def __init__(self, pipe: int, most: int, take: "Callable[[bytes], object]") -> None:
        self.pipe = pipe
        self.over: bool = False
        self.closed: bool = False
        self._left = most
        self._take = take
        os.set_blocking(pipe, False)

    def read(self) -> bool:
        """Read once; return whether there may be more."""
        try:
            data = os.read(self.pipe, _CHUNK)
        except BlockingIOError:
            return False
        self.closed = not data
        self.over = self.over or len(data) > self._left
        data = data[: self._left]
        self._left -= len(data)
        if data:
            self._take(data)
        return not (self.closed or self.over)

    def drain(self) -> None:
        """Read what is there, without waiting for more."""
        while not (self.closed or self.over) and self.read():
            pass


class Watch:
    """Looks at a program again and again until it is over.

    Args:
        isolation: Its processes.
        clock: Its time.
        memory: Bytes that its processes may have in memory together.
        stops: Descriptors that are readable once the program is to be ended.
        main: A descriptor that is readable once it has ended; None: `isolation` is asked.
        streams: What is read of it meanwhile.
        heartbeat: Called every two seconds.

    Attributes:
        limit: The limit that it passed, once it is over; None for none.
        stopped: The descriptor because of which it is to be ended; None for none.
        ended: It has ended by itself.
    """

    def __init__(
        self,
        isolation: "Isolation",
        clock: "Clock",
        memory: int,
        *,
        stops: "Collection[int]",
        main: "int | None" = None,
        streams: "Sequence[Stream]" = (),
        heartbeat: "Callable[[], object] | None" = None,
    ) -> None:
        self.limit: str | None = None
        self.stopped: int | None = None
        self.ended: bool = False
        self._isolation = isolation
        self._clock = clock
        self._memory = memory
        self._stops = stops
        self._main = main
        self._streams = {stream.pipe: stream for stream in streams}
        self._heartbeat = heartbeat
        self._poller = select.poll()
        for number in (*stops, *self._streams, *(() if main is None else (main,))):
            self._poller.register(number, select.POLLIN)

    def wait(self) -> None:
        """Return when the program has ended, has passed a limit, or is to be ended."""
        calm = _BLIND_TICK if self._main is None else _TICK
        tick, alive = calm, 1
        beaten = time.monotonic()
        while self.limit is None:
            ready = self._poller.poll(min(tick, self._clock.wait()) * 1000)
            if self._handle([number for number, _ in ready]):
                return
            if self._heartbeat and time.monotonic() - beaten >= _BEAT:
                beaten = time.monotonic()
                self._heartbeat()
            pids = self._isolation.list_processes()
            self.limit = self.limit or self._exceeded_limit(pids)
            tick = _HASTE if len(pids) > alive + _RUSH else calm
            alive = len(pids)

    def _handle(self, ready: "list[int]") -> bool:
        """Read what has come; return whether it is over."""
        for number in ready:
            stream = self._streams.get(number)
            if stream is None:
                continue
            stream.read()
            if stream.over:
                self.limit = "output_bytes"
            if stream.closed:
                self._poller.unregister(number)
        self.ended = self._isolation.has_ended() or self._main in ready
        stops = [number for number in ready if number in self._stops]
        if stops:
            self.stopped = stops[0]
        return self.ended or bool(stops) or self.limit is not None

    def _exceeded_limit(self, pids: "list[int]") -> "str | None":
        own = self._isolation.exceeded_limit()
        if own == "processes":
            return own
        if self._clock.over(pids):
            return "seconds"
        if exceeds(pids, self._memory):
            return "memory_mb"
        return own

    def drain(self) -> None:
        """Read what is left in the streams, when every process that could write is dead."""
        for stream in self._streams.values():
            stream.drain()
            if stream.over:
                self.limit = "output_bytes"


def report(status: int, limit: "str | None", seconds: float, cpu: float) -> bytes:
    """Return the content of an ENDED frame.

    Args:
        status: The exit code of the program, or minus the signal that ended it.
        limit: The limit that it passed, if it did.
        seconds: Its duration.
        cpu: Its processor time in seconds.
    """
    return f"{status} {limit or '-'} {seconds:.6f} {cpu:.6f}".encode()


def full(folder: str) -> "str | None":
    """Return the limit that a program which failed has run into, as its file system tells."""
    room = os.statvfs(folder)
    if room.f_blocks and not room.f_bfree:
        return "disk_mb"
    if room.f_files and not room.f_ffree:
        return "files"
    return None
