"""Keep what a program writes, up to a limit."""

import os
from collections.abc import Callable

import anyio

__all__ = ["Capture"]

_CHUNK = 65536  # bytes: what a pipe holds


class Capture:
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
