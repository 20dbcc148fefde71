"""A warm worker: one sandbox that waits for its program, as the host reaches it."""

import os
import socket
import weakref
from contextlib import suppress
from typing import Protocol

import anyio

from planish.errors import SandboxError
from planish.guest.protocol import frames, zygote_messages

__all__ = ["CLOSED", "PATIENCE", "Worker"]

_MESSAGE = 4096  # bytes: what a supervisor reports if it could not start
_HEAD = 9  # bytes of a frame before its content
_DESCRIPTORS = 4  # of one run
CLOSED = "the sandbox was closed"  # why a template process has ended
PATIENCE = 40.0  # seconds for a supervisor to end a program: more than it takes before it gives up


class WorkerOwner(Protocol):
    """Makes workers, and takes each back after its run."""

    def refill(self) -> None:
        """Have another worker made."""

    def return_used(self, worker: "Worker") -> None:
        """Reuse a worker after its run, or close it."""

    def end_of_template(self) -> str:
        """Return why the template process has ended; "" while it lives."""
        ...


class Worker:
    """A socket to the supervisor of a sandbox, and pipes to its program's standard streams.

    Args:
        control: The descriptor of the socket.
        owner: What has made the worker, and takes it back after a run; held weakly.

    Attributes:
        control: The socket.
        stdin, stdout, stderr: This process's ends of the pipes. None of them blocks.
        has_reported: The supervisor has sent all of its report, or has ended.
        has_verifier: Its interpreter has loaded the verifier's modules.
        reusable: Its supervisor offers to run another program.
    """

    def __init__(self, control: int, owner: "WorkerOwner") -> None:
        self.stdin: int
        self.stdout: int
        self.stderr: int
        self._started: int
        self._open = set[int]()
        self._owner = weakref.ref(owner)
        self.has_verifier: bool = False
        self.reusable: bool = False
        self.has_reported: bool = False
        self._stopped = False
        self.control: socket.socket = socket.socket(fileno=control)
        self.control.setblocking(False)

    def is_ready(self) -> bool | None:
        """Return whether a process waits for a program; None if none ever will.

        Raises:
            SandboxError: the supervisor could not make it, or this process has no descriptor left.
        """
        if self._open:  # acquired before, and not used
            return self.is_alive() or None
        try:
            message, descriptors, _, _ = socket.recv_fds(self.control, _MESSAGE, _DESCRIPTORS)
        except BlockingIOError:
            return False
        except ConnectionError:
            return None
        if message[:1] == frames.FAILED:
            raise SandboxError(f"LocalSandbox: {message[_HEAD:].decode(errors='replace')}")
        if message and len(descriptors) < _DESCRIPTORS:
            for number in descriptors:
                os.close(number)
            raise SandboxError(
                "LocalSandbox: this process may not open more files: raise RLIMIT_NOFILE"
            )
        if not message:
            return None
        self.has_verifier = message[1] == 1
        self.stdin, self.stdout, self.stderr, self._started = descriptors
        self._open.update(descriptors)
        for number in (self.stdin, self.stdout, self.stderr):
            os.set_blocking(number, False)
        return self.is_alive() or None

    async def receive(self) -> bytes:
        """Return the next part of the supervisor's report; nothing at its end."""
        while not self.has_reported:
            try:
                data = self.control.recv(65536)
            except BlockingIOError:
                await anyio.wait_readable(self.control)
            except ConnectionError:
                self.has_reported = True
            else:
                self.has_reported = not data
                return data
        return b""

    def is_alive(self) -> bool:
        """Return whether the supervisor lives; it sends nothing before it has a request."""
        try:
            return bool(self.control.recv(1, socket.MSG_PEEK))
        except BlockingIOError:
            return True
        except OSError:
            return False

    def end_report(self, *, reusable: bool) -> None:
        """Note that the report of this run is complete, and whether another run is offered."""
        self.has_reported = True
        self.reusable = reusable and not self._stopped

    def stop(self) -> None:
        """Tell the supervisor to end the program. It reports the end as always."""
        self._stopped = True
        with suppress(OSError):  # it has ended already
            self.control.shutdown(socket.SHUT_WR)

    async def finish(self) -> None:
        """End the program if it still runs, wait for the report's end, and return the worker.

        Nothing interrupts this: asyncio can cancel a task again while it cleans up, which
        shielding does not prevent. The cancellation is raised at the end.
        """
        cancelled: BaseException | None = None
        if not self.has_reported:
            self.stop()
        while not self.has_reported:
            try:
                with anyio.CancelScope(shield=True), anyio.move_on_after(PATIENCE) as patience:
                    while await self.receive():
                        pass
                if patience.cancelled_caught:
                    break
            except anyio.get_cancelled_exc_class() as again:
                cancelled = again
        owner = self._owner()
        if owner is None:
            self.close()
        else:
            owner.return_used(self)
        if cancelled:
            raise cancelled

    def reuse(self) -> None:
        """Tell the supervisor to prepare another run; `is_ready` returns True once it has."""
        self._close_streams()
        self.has_reported = self.reusable = False
        with suppress(OSError):  # it has ended: `is_ready` finds that
            self.control.send(zygote_messages.AGAIN)

    def request_refill(self) -> None:
        """Have another worker made, as this one's program takes long."""
        owner = self._owner()
        if owner is not None:
            owner.refill()

    def end_of_template(self) -> str:
        """Return why its template process has ended; "" while it lives, as far as is known."""
        owner = self._owner()
        return CLOSED if owner is None else owner.end_of_template()

    def has_started(self) -> bool:
        """Return whether the program may have started."""
        try:
            return bool(os.read(self._started, 8))
        except BlockingIOError:
            return False

    def close_stdin(self) -> None:
        """Close the program's standard input."""
        self._close(self.stdin)

    def close(self) -> None:
        """Close all descriptors. A supervisor that still runs a program ends it then."""
        self._close_streams()
        self.control.close()

    def _close_streams(self) -> None:
        for number in tuple(self._open):
            self._close(number)

    def _close(self, number: int) -> None:
        if number in self._open:
            self._open.remove(number)
            os.close(number)
