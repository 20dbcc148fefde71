"""The descriptors between the host and one warden."""

import os
import socket
import tempfile

__all__ = ["Channels"]

_CHUNK = 1 << 20


class Channels:
    """A socket to the warden, and the program's standard streams: a file and two pipes.

    Both sides are open at first; the host closes theirs as soon as the process has them.

    Attributes:
        control: Our end of the socket.
        stdout, stderr: Our ends of the pipes. None of ours blocks.
        results: Where the program's results are read; None where it is not to report any.
        their_control, their_stdin, their_stdout, their_stderr, their_results: Theirs.
    """

    def __init__(self, folder: str, stdin: bytes, *, results: bool) -> None:
        """Open them.

        Args:
            folder: Where the files are made, which are unlinked at once.
            stdin: What the program reads.
            results: Whether it reports results.

        Raises:
            OSError: too many are open, or there is no room.
        """
        self._open: set[int] = set()
        try:
            self.control, theirs = socket.socketpair()
            self.control.setblocking(False)
            self.their_control = theirs.detach()
            self._open.add(self.their_control)
            written, self.their_stdin = self._file(folder)
            _write(written, stdin)
            self.close_one(written)
            self.their_results: int | None = None
            self.results: int | None = None
            if results:
                self.their_results, self.results = self._file(folder)
            self.stdout, self.their_stdout = self._pipe()
            self.stderr, self.their_stderr = self._pipe()
        except BaseException:
            self.close()
            raise
        for number in (self.stdout, self.stderr):
            os.set_blocking(number, False)

    def _pipe(self) -> tuple[int, int]:
        ends = os.pipe()
        self._open.update(ends)
        return ends

    def _file(self, folder: str) -> tuple[int, int]:
        """A file without a name, open twice: to be written, and to be read."""
        written, path = tempfile.mkstemp(dir=folder)
        self._open.add(written)
        try:
            read = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        finally:
            os.unlink(path)  # noqa: PTH108  # it is a text
        self._open.add(read)
        return written, read

    def close_theirs(self) -> None:
        """Leave the other ends to the process that was started."""
        for number in (self.their_control, self.their_stdin, self.their_stdout, self.their_stderr):
            self.close_one(number)
        if self.their_results is not None:
            self.close_one(self.their_results)

    def reported(self, most: int) -> bytes | None:
        """What the program has written to its file for results, at most so many bytes."""
        if self.results is None:
            return None
        parts: list[bytes] = []
        at = 0
        while at < most and (part := os.pread(self.results, min(_CHUNK, most - at), at)):
            parts.append(part)
            at += len(part)
        return b"".join(parts)

    def close_one(self, number: int) -> None:
        """Close this one, if it still is open."""
        if number in self._open:
            self._open.remove(number)
            os.close(number)

    def close(self) -> None:
        """Close all that still are open."""
        for number in tuple(self._open):
            self.close_one(number)
        if hasattr(self, "control"):
            self.control.close()


def _write(file: int, content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(file, rest) :]
