"""The descriptors between the host and one warden."""

import os
import socket

__all__ = ["Channels"]


class Channels:
    """A socket to the warden, and pipes to the program's standard streams.

    Both sides are open at first; the host closes theirs as soon as the process has them.

    Attributes:
        control: Our end of the socket.
        stdin, stdout, stderr: Our ends of the pipes. None of ours blocks.
        their_control, their_stdin, their_stdout, their_stderr: Theirs.
    """

    def __init__(self) -> None:
        """Open them.

        Raises:
            OSError: too many are open.
        """
        self._open: set[int] = set()
        try:
            self.control, theirs = socket.socketpair()
            self.control.setblocking(False)
            self.their_control = theirs.detach()
            self._open.add(self.their_control)
            self.their_stdin, self.stdin = self._pipe()
            self.stdout, self.their_stdout = self._pipe()
            self.stderr, self.their_stderr = self._pipe()
        except BaseException:
            self.close()
            raise
        for number in (self.stdin, self.stdout, self.stderr):
            os.set_blocking(number, False)

    def _pipe(self) -> tuple[int, int]:
        ends = os.pipe()
        self._open.update(ends)
        return ends

    def close_theirs(self) -> None:
        """Leave the other ends to the process that was started."""
        for number in (self.their_control, self.their_stdin, self.their_stdout, self.their_stderr):
            self.close_one(number)

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
