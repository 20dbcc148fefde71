"""One sandbox that waits for its program: how the host reaches it."""

import os
import socket
from collections.abc import Callable
from contextlib import suppress

import anyio

__all__ = ["PATIENCE", "Spare", "send_all"]

PATIENCE = 40.0  # seconds for a warden to end a program: more than it takes before it gives up


class Spare:
    """A socket to its warden, and pipes to what will be the program's standard streams.

    Attributes:
        control: The socket.
        stdin, stdout, stderr: Our ends of the pipes. None of ours blocks.
        silent: The warden has closed its side: it has said all that it will.
        has_verifier: It has loaded the verifier's modules.
    """

    def __init__(
        self, descriptors: tuple[int, ...], used: Callable[[], None], *, has_verifier: bool = False
    ) -> None:
        self.stdin: int
        self.stdout: int
        self.stderr: int
        control, self.stdin, self.stdout, self.stderr, self._mark = descriptors
        self._open = {self.stdin, self.stdout, self.stderr, self._mark}
        self._used = used
        self.has_verifier: bool = has_verifier
        self.control: socket.socket = socket.socket(fileno=control)
        self.control.setblocking(False)
        self.silent: bool = False
        for number in (self.stdin, self.stdout, self.stderr):
            os.set_blocking(number, False)

    async def hear(self) -> bytes:
        """Some of what the warden says, as it comes; nothing when it has said all."""
        while not self.silent:
            try:
                data = self.control.recv(65536)
            except BlockingIOError:
                await anyio.wait_readable(self.control)
            except ConnectionError:
                self.silent = True
            else:
                self.silent = not data
                return data
        return b""

    def is_there(self) -> bool:
        """Whether its warden lives, which says nothing before it is asked for a program."""
        try:
            return bool(self.control.recv(1, socket.MSG_PEEK))
        except BlockingIOError:
            return True
        except OSError:
            return False

    def stop(self) -> None:
        """Ask the warden to end the program. It reports how that ended, as always."""
        with suppress(OSError):  # it has gone already
            self.control.shutdown(socket.SHUT_WR)

    async def put_down(self) -> None:
        """See that nothing is left of what ran in it, and let go of it.

        This is not interrupted: asyncio can cancel a task again while it cleans up, and
        shielding does not keep that out; then this goes on, and the cancellation follows.
        """
        cancelled: BaseException | None = None
        if not self.silent:
            self.stop()
        while not self.silent:
            try:
                with anyio.CancelScope(shield=True), anyio.move_on_after(PATIENCE) as patience:
                    while await self.hear():
                        pass
                if patience.cancelled_caught:
                    break
            except anyio.get_cancelled_exc_class() as again:
                cancelled = again
        self.close()
        self.replace()
        if cancelled:
            raise cancelled

    def replace(self) -> None:
        """Have another one made in its place, now or at its end."""
        self._used()

    def begun(self) -> bool:
        """The program may have been started: once its warden dies, nobody knows."""
        try:
            return bool(os.read(self._mark, 8))
        except BlockingIOError:
            return False

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


async def send_all(pipe: int, data: bytes) -> bool:
    """All of it (True), or as much as the other side takes before it closes."""
    rest = memoryview(data)
    with suppress(BrokenPipeError, ConnectionResetError):
        while rest:
            try:
                rest = rest[os.write(pipe, rest) :]
            except BlockingIOError:
                await anyio.wait_writable(pipe)
    return not rest
