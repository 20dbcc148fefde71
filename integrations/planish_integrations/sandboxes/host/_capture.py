"""Keep what a program writes to its two streams, up to a limit."""

import os
from collections.abc import Awaitable, Callable
from functools import partial

import anyio

from planish.abc import OnOutput

__all__ = ["ProgramOutput"]

_CHUNK = 65536  # bytes: what a pipe holds


class _Stream:
    """Reads one of a program's streams and keeps its beginning.

    Args:
        pipe: The descriptor that it is read from, which must not block.
        most: Bytes that are kept.
        on_data: Called with each piece of what is kept, as it is read; no more once it has raised.

    Attributes:
        data: At most `most` bytes of it; never is more than one byte above that held.
        over: It has written more than that.
        closed: No process is left that could write more.
        error: What `on_data` has raised.
    """

    def __init__(
        self, pipe: int, most: int, on_data: Callable[[bytes], None] | None = None
    ) -> None:
        self._pipe = pipe
        self._on_data = on_data
        self._most = most
        self.closed: bool = False
        self.data: bytearray = bytearray()
        self.over: bool = False
        self.error: BaseException | None = None

    async def record(self) -> None:
        """Read until the stream is closed, has passed its limit, or `on_data` has raised."""
        while not (self.closed or self.over or self.error):
            await anyio.wait_readable(self._pipe)
            self._take()

    def take_rest(self) -> None:
        """Read what the pipe still holds, without waiting for more."""
        while not (self.closed or self.over) and self._take():
            pass

    def _take(self) -> bool:
        """Read once; return whether there was anything."""
        try:
            data = os.read(self._pipe, min(_CHUNK, self._most + 1 - len(self.data)))
        except BlockingIOError:
            return False
        self.closed = not data
        known = len(self.data)
        self.data += data
        if len(self.data) > self._most:
            self.over = True
            del self.data[self._most :]
        if self._on_data is not None and len(self.data) > known:
            try:
                self._on_data(bytes(self.data[known:]))
            except BaseException as error:  # noqa: BLE001  # raised when the program has ended
                self._on_data, self.error = None, error
        return True


class ProgramOutput:
    """Reads both streams of a program and keeps the beginning of each.

    Args:
        stdout: The descriptor of its standard output, which must not block.
        stderr: The same of its standard error.
        most: Bytes that are kept of each.
        on_output: Called with the stream's name and each piece of what is kept.
        stop: Ends the program; called once one stream has passed its limit or `on_output` raised.
    """

    def __init__(
        self,
        stdout: int,
        stderr: int,
        most: int,
        on_output: OnOutput | None,
        *,
        stop: Callable[[], None],
    ) -> None:
        self._stdout = _Stream(stdout, most, on_output and partial(on_output, "stdout"))
        self._stderr = _Stream(stderr, most, on_output and partial(on_output, "stderr"))
        self._streams = (self._stdout, self._stderr)
        self._stop = stop

    async def record_while(self, follow: Callable[[], Awaitable[None]]) -> None:
        """Read both streams until `follow`, which waits for the program's end, has returned."""
        async with anyio.create_task_group() as tasks:
            for stream in self._streams:
                tasks.start_soon(self._record, stream)
            await follow()
            tasks.cancel_scope.cancel()

    async def _record(self, stream: _Stream) -> None:
        await stream.record()
        if stream.over or stream.error:
            self._stop()

    def take_rest(self) -> None:
        """Read what the pipes still hold, without waiting for more."""
        for stream in self._streams:
            stream.take_rest()

    def raise_error(self) -> None:
        """Raise what `on_output` has raised, if it has."""
        for stream in self._streams:
            if stream.error:
                raise stream.error

    def is_open(self) -> bool:
        """Return whether a process is left that could write more, to a stream within its limit."""
        return not all(stream.over or stream.closed for stream in self._streams)

    @property
    def stdout(self) -> bytes:
        """What is kept of its standard output."""
        return bytes(self._stdout.data)

    @property
    def stderr(self) -> bytes:
        """What is kept of its standard error."""
        return bytes(self._stderr.data)

    @property
    def flooded(self) -> bool:
        """Whether a stream has passed its limit."""
        return self._stdout.over or self._stderr.over
