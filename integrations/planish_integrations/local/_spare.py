"""One sandbox that waits for its program: how the host reaches it."""

import os
import socket

__all__ = ["Spare"]


class Spare:
    """A socket to its warden, and pipes to what will be the program's standard streams.

    Attributes:
        control: The socket.
        stdin, stdout, stderr: Our ends of the pipes. None of ours blocks.
    """

    def __init__(self, descriptors: tuple[int, ...]) -> None:
        control, self.stdin, self.stdout, self.stderr = descriptors
        self._open = {self.stdin, self.stdout, self.stderr}
        self.control = socket.socket(fileno=control)
        self.control.setblocking(False)
        for number in self._open:
            os.set_blocking(number, False)

    def stop(self) -> None:
        """Ask the warden to end the program. It reports how that ended, as always."""
        try:
            self.control.shutdown(socket.SHUT_WR)
        except OSError:
            return  # it has gone already

    def close_stdin(self) -> None:
        """The program's input ends here."""
        self._close(self.stdin)

    def close(self) -> None:
        """Let go of it. A warden that still holds a program ends it now."""
        for number in tuple(self._open):
            self._close(number)
        self.control.close()

    def _close(self, number: int) -> None:
        if number in self._open:
            self._open.remove(number)
            os.close(number)
