"""One sandbox that waits for its program: how the host reaches it."""

import os
import socket
import weakref
from contextlib import suppress
from typing import Protocol

import anyio

from planish.errors import SandboxError
from planish.guest.protocol import frames, zygote_messages

__all__ = ["PATIENCE", "Spare"]

_SAID = 4096  # bytes: what a warden says of why it could not start
_SENT = 4  # descriptors of one run
PATIENCE = 40.0  # seconds for a warden to end a program: more than it takes before it gives up


class Home(Protocol):
    """What a `Spare` comes from."""

    def refill(self) -> None:
        """Have another one made ready."""

    def take_back(self, spare: "Spare") -> None:
        """Decide what becomes of it after a run."""


class Spare:
    """A socket to its warden, and pipes to what will be the program's standard streams.

    Args:
        control: The socket.
        home: What has made it, and takes it back after a run; held weakly.

    Attributes:
        control: The socket.
        stdin, stdout, stderr: Our ends of the pipes. None of ours blocks.
        silent: The warden has closed its side: it has said all that it will.
        has_verifier: It has loaded the verifier's modules.
        reusable: Its warden offers to run another program.
    """

    def __init__(self, control: int, home: "Home") -> None:
        self.stdin: int
        self.stdout: int
        self.stderr: int
        self._mark: int
        self._open = set[int]()
        self._home = weakref.ref(home)
        self.has_verifier: bool = False
        self.reusable: bool = False
        self.silent: bool = False
        self._stopped = False
        self.control: socket.socket = socket.socket(fileno=control)
        self.control.setblocking(False)

    def waits(self) -> bool | None:
        """Return whether a process waits for a program: not yet (False), never any more (None).

        Raises:
            SandboxError: the warden could not make it, or this process has no descriptor left.
        """
        if self._open:  # it was claimed before, and not used
            return self.is_there() or None
        try:
            said, descriptors, _, _ = socket.recv_fds(self.control, _SAID, _SENT)
        except BlockingIOError:
            return False
        except ConnectionError:
            return None
        if said[:1] == frames.FAILED:
            raise SandboxError(f"LocalSandbox: {said[frames.HEAD :].decode(errors='replace')}")
        if said and len(descriptors) < _SENT:
            for number in descriptors:
                os.close(number)
            raise SandboxError(
                "LocalSandbox: this process may not open more files: raise RLIMIT_NOFILE"
            )
        if not said:
            return None
        self.has_verifier = said[1] == 1
        self.stdin, self.stdout, self.stderr, self._mark = descriptors
        self._open.update(descriptors)
        for number in (self.stdin, self.stdout, self.stderr):
            os.set_blocking(number, False)
        return self.is_there() or None

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
        """Return whether its warden lives, which says nothing before it is asked for a program."""
        try:
            return bool(self.control.recv(1, socket.MSG_PEEK))
        except BlockingIOError:
            return True
        except OSError:
            return False

    def is_done(self, *, reusable: bool) -> None:
        """Note that the warden has said all of this run, and whether it offers another."""
        self.silent = True
        self.reusable = reusable and not self._stopped

    def stop(self) -> None:
        """Ask the warden to end the program. It reports how that ended, as always."""
        self._stopped = True
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
        home = self._home()
        if home is None:
            self.close()
        else:
            home.take_back(self)
        if cancelled:
            raise cancelled

    def renew(self) -> None:
        """Ask the warden for another run. `waits` tells when it is ready."""
        self._close_streams()
        self.silent = self.reusable = False
        with suppress(OSError):  # it has gone: `waits` finds out
            self.control.send(zygote_messages.AGAIN)

    def takes_long(self) -> None:
        """Have another one made ready while the program runs."""
        home = self._home()
        if home is not None:
            home.refill()

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
        self._close_streams()
        self.control.close()

    def _close_streams(self) -> None:
        for number in tuple(self._open):
            self._close(number)

    def _close(self, number: int) -> None:
        if number in self._open:
            self._open.remove(number)
            os.close(number)
