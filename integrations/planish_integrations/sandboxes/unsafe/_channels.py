"""Open the descriptors between the host and one supervisor."""

import os
import socket

from planish.guest.protocol import descriptors

__all__ = ["Channels"]


class Channels:
    """A socket to the supervisor, and the program's standard streams: a file and two pipes.

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
            self.their_stdin = descriptors.input_file(stdin, folder)
            self._open.add(self.their_stdin)
            self.their_results: int | None = None
            self.results: int | None = None
            if results:
                self.their_results, self.results = descriptors.results_file(folder)
                self._open.update((self.their_results, self.results))
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

    def close_theirs(self) -> None:
        """Leave the other ends to the process that was started."""
        for number in (self.their_control, self.their_stdin, self.their_stdout, self.their_stderr):
            self.close_one(number)
        if self.their_results is not None:
            self.close_one(self.their_results)

    def reported(self, most: int) -> bytes | None:
        """Return what the program has written to its file for results, at most so many bytes."""
        return None if self.results is None else descriptors.read_back(self.results, most)

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
