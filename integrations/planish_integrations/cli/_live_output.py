"""Write a program's output to this command's own streams while the program runs."""

import codecs
import os
import re
import sys
from typing import BinaryIO, Literal

import anyio

__all__ = ["LiveOutput", "OutputStream", "escape_control_characters"]

_CHUNK = 4096  # bytes: PIPE_BUF, which a pipe that is ready for writing takes without blocking
_PATIENCE = 5.0  # seconds for the rest of the output after an interrupt, if its reader is slow

# Everything that controls a terminal, except tab, newline and carriage return.
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


def escape_control_characters(text: str) -> str:
    r"""Replace the characters that control a terminal by escapes such as \x1b."""
    return _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", text)


class OutputStream:
    """Writes pieces of output to a file, in order; on a terminal, with control characters escaped.

    A write waits until the file is ready, so that a slow reader does not keep the event loop
    from handling a signal.
    """

    def __init__(self, file: BinaryIO) -> None:
        file.flush()
        self._descriptor = file.fileno()
        self._waits = True
        self._decoder = None
        if file.isatty():
            # A terminal executes control sequences, and this output is untrusted.
            self._decoder = codecs.getincrementaldecoder("utf-8")("backslashreplace")
        self._rest = bytearray()
        self._ended = False
        self._added = anyio.Event()

    def add(self, data: bytes) -> None:
        """Add a piece of output, to be written by `write`."""
        self._rest += data if self._decoder is None else self._escape(data)
        self._added.set()

    def end(self) -> None:
        """State that no more output will be added; `write` returns when all is written."""
        if not self._ended and self._decoder is not None:
            self._rest += self._escape(b"", final=True)
        self._ended = True
        self._added.set()

    def _escape(self, data: bytes, *, final: bool = False) -> bytes:
        text = "" if self._decoder is None else self._decoder.decode(data, final)
        return escape_control_characters(text).encode()

    async def write(self) -> None:
        """Write what is added until `end` is called. May be called again after a cancellation.

        Raises:
            BrokenPipeError: the reader has closed the pipe.
            OSError: the file cannot be written.
        """
        while self._rest or not self._ended:
            while self._rest:
                await self._until_ready()
                del self._rest[: os.write(self._descriptor, self._rest[:_CHUNK])]
            if not self._ended:
                self._added = anyio.Event()
                await self._added.wait()

    async def _until_ready(self) -> None:
        if self._waits:
            try:
                await anyio.wait_writable(self._descriptor)
            except PermissionError:  # a regular file or /dev/null, which is always ready
                self._waits = False


class LiveOutput:
    """Writes a program's stdout and stderr to those of this process as they arrive."""

    def __init__(self) -> None:
        self._streams = {
            "stdout": OutputStream(sys.stdout.buffer),
            "stderr": OutputStream(sys.stderr.buffer),
        }

    def add(self, stream: Literal["stdout", "stderr"], data: bytes) -> None:
        """Add a piece of output: a `planish.abc.OnOutput`."""
        self._streams[stream].add(data)

    def end(self) -> None:
        """State that no more output will be added."""
        for stream in self._streams.values():
            stream.end()

    async def write(self) -> None:
        """Write what is added to both streams until `end` is called.

        Raises:
            OSError: a stream cannot be written, or its reader has closed it.
        """
        failed: list[OSError] = []
        async with anyio.create_task_group() as tasks:

            async def write_one(stream: OutputStream) -> None:
                try:
                    await stream.write()
                except OSError as error:
                    failed.append(error)
                    tasks.cancel_scope.cancel()

            for stream in self._streams.values():
                tasks.start_soon(write_one, stream)
        if failed:
            raise failed[0]

    async def write_rest(self) -> None:
        """Write the output that was added before an interrupt, for at most a few seconds."""
        self.end()
        with anyio.move_on_after(_PATIENCE):
            await self.write()
