"""The template process (zygote), as the host sees it: start it, acquire workers, end it."""

import os
import secrets
import socket
import sys
import tempfile
import threading
import weakref
from contextlib import ExitStack, suppress
from pathlib import Path

import anyio

from planish.errors import SandboxError, SandboxLostError
from planish.guest.protocol import zygote_messages
from planish_integrations.sandboxes.host import turns

from ._configuration import ZygoteConfig
from ._launcher import end_template, start_template
from ._remedies import shortage
from ._tiers import Tier
from ._worker import CLOSED, Worker

__all__ = ["Zygote"]

_TO_START = 60.0  # seconds for an interpreter to start and import, on a machine at work
_MESSAGE = 1 << 16  # bytes
_DESCRIPTORS = 1  # of one worker
_MOST_DEATHS = 10  # of workers in a row, besides those that were ready at once
_POLL = 0.02  # seconds between two looks at workers that are to become ready


class Zygote:
    """A template process (zygote): a warm interpreter that workers are forked from.

    Attributes:
        usable: It has neither failed nor been closed, as far as is known.
        users: The pools that use it.
    """

    def __init__(self, config: ZygoteConfig) -> None:
        """Start it; `acquire` reports whether that succeeded.

        Blocks for the 0.5 to 2 ms that the system takes to start a process, on purpose: a
        cancellation in between would leave a process without an owner.

        Raises:
            SandboxError: no process can be started.
        """
        self._host = os.getpid()
        self._tier: Tier = config.tier
        self._reading = threading.Lock()
        self._ready = False
        self._failure = ""
        self._refusal = ""  # why no worker is on its way, for all tasks that wait
        self._spare = config.spare
        self._made = config.spare  # workers that there are or will be, the ones in use included
        self._in_use = self._waiting = 0
        self._deaths = 0  # of workers in a row
        self._idle: list[Worker] = []
        self._loads_verifier = False
        self.usable = True
        self.users: weakref.WeakSet[object] = weakref.WeakSet()
        with ExitStack() as opened:  # closes them if it cannot be started
            try:
                self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
                opened.enter_context(self._control)
                with theirs:
                    self._output = opened.enter_context(tempfile.TemporaryFile())
                    process = start_template(config, theirs.fileno(), self._output)
            except OSError as error:
                why = shortage(config.tier, error) or str(error)
                raise SandboxError(f"LocalSandbox: no process could be started: {why}") from error
            opened.pop_all()
        self._control.setblocking(False)
        self._process = process
        # Random: no other template process on this machine, nor one in a container that shares
        # the directory, has the same.
        runs = f"planish-{secrets.token_hex(6)}-"
        self._end = weakref.finalize(
            self,
            end_template,
            self._host,
            process,
            self._control,
            self._output,
            self._idle,
            Path(config.directory, runs),
        )
        with suppress(OSError):  # it has ended already: `acquire` reads why
            self._control.send(config.encode(str(Path(config.directory, runs))))

    async def acquire(self) -> Worker:
        """Return a worker that is ready; wait for one if there is none.

        Raises:
            SandboxError: the template process could not start, or has failed; or the system
                refuses it another worker. Programs that run go on then.
        """
        # In turn: a task that waits may have been woken for the worker that is ready.
        worker = None if self._waiting else self._take()
        return worker or await self._wait()

    async def _wait(self) -> Worker:
        with self._reading:
            self._waiting += 1
            self._make(self._in_use + self._waiting)
        worker = None
        try:
            with anyio.move_on_after(_TO_START):
                async with turns(self):
                    while (worker := self._take()) is None:
                        # Any of several may be the next; and another thread may close it.
                        with suppress(OSError), anyio.move_on_after(_POLL):
                            await anyio.wait_readable(self._next_readable())
        finally:
            self._waiting -= 1
            self._refusal = self._refusal if self._waiting else ""
        if worker is None:
            if not self._in_use:  # else the programs that run would end with it
                self.close()
            raise SandboxError(f"LocalSandbox: no sandbox was ready after {_TO_START:g} s")
        return worker

    def load_verifier(self, bundle: bytes) -> None:
        """Have the verifier's modules loaded in the workers that are made from now on."""
        with self._reading:
            if self._loads_verifier or not self.usable:
                return
            # If it has ended, is busy, or there is no descriptor: the program brings them.
            with suppress(OSError), os.fdopen(os.memfd_create("verifier"), "wb") as file:
                file.write(bundle)
                file.flush()
                socket.send_fds(self._control, [zygote_messages.LOAD], [file.fileno()])
                self._loads_verifier = True

    def refill(self) -> None:
        """Have a worker made while others are in use; late, because making one takes time."""
        with self._reading:
            self._make(self._needed())

    def return_unused(self, worker: Worker) -> None:
        """Take back a worker that was acquired and not used."""
        with self._reading:
            self._in_use -= 1
            if self.usable:
                self._idle.append(worker)
            else:
                worker.close()

    def return_used(self, worker: Worker) -> None:
        """Reuse a worker after its run, if it can be and is needed; otherwise close it."""
        with self._reading:
            enough = self._made > self._needed()  # also if the next one is acquired at once
            self._in_use -= 1
            lacks_verifier = self._loads_verifier and not worker.has_verifier
            if worker.reusable and not (enough or lacks_verifier) and self.usable:
                worker.reuse()
                self._idle.append(worker)
            else:
                worker.close()
                self._made -= 1
                self._make(self._needed())

    def end_of_template(self) -> str:
        """Return why the template process has ended; "" while it lives, as far as is known."""
        with self._reading:
            while self.usable and self._read_message():
                pass
        return "" if self.usable else self._failure or CLOSED

    def _needed(self) -> int:
        """Return how many workers there should be: those kept ready, and one more than in use."""
        return max(self._spare, self._in_use + min(1, self._spare))

    def _make(self, count: int) -> None:
        """Have workers made until there are so many."""
        while self._made < count and self.usable:
            self._made += 1
            self._refusal = ""
            with suppress(OSError):  # it has ended: `_take` finds that
                self._control.send(zygote_messages.CLAIMED)

    def _next_readable(self) -> int:
        """Return the descriptor that is readable once a worker is ready."""
        with self._reading:
            return (self._idle[0].control if self._idle else self._control).fileno()

    def _take(self) -> Worker | None:
        """Return a worker if one is ready. Reads one message at a time: others wait for theirs."""
        with self._reading:
            worker = self._take_idle()
            while worker is None and self.usable:
                if self._refusal and not self._idle:
                    raise SandboxError(f"LocalSandbox: {self._refusal}")
                if not self._read_message():
                    return None
                worker = self._take_idle()
            if worker is not None:
                return worker
        lost = SandboxLostError if self._ready else SandboxError
        raise lost(f"LocalSandbox: {self._failure or CLOSED}")

    def _take_idle(self) -> Worker | None:
        """Return the first idle worker that is ready; discard those that have died."""
        for worker in [*self._idle]:
            try:
                ready = worker.is_ready()
            except SandboxError:
                self._discard(worker)
                raise
            if ready:
                self._idle.remove(worker)
                self._in_use += 1
                self._deaths = 0
                self._refusal = ""
                return worker
            if ready is None:
                self._discard(worker)
        return None

    def _discard(self, worker: Worker) -> None:
        """Close a worker that has died, and have another made.

        Raises:
            SandboxLostError: so many have died in a row that the next one would too.
        """
        self._idle.remove(worker)
        worker.close()
        self._made -= 1
        self._deaths += 1
        if self._deaths > _MOST_DEATHS + self._spare:
            self._deaths = 0
            raise SandboxLostError(
                "LocalSandbox: its sandboxes die before a program starts in them"
            )
        self._make(max(self._needed(), self._in_use + self._waiting))

    def _read_message(self) -> bool:
        """Take one message; return False if there is none yet."""
        received = self._receive()
        if received is None:
            return False
        message, descriptors = received
        if message[:1] == zygote_messages.SPARE:
            self._idle.append(Worker(descriptors[0], self))
        else:
            self._handle(message)
        return True

    def _receive(self) -> tuple[bytes, list[int]] | None:
        """Return one message; None if there is none yet; an empty one if the process has ended."""
        for _ in range(2):
            try:
                message, descriptors, _, _ = socket.recv_fds(self._control, _MESSAGE, _DESCRIPTORS)
            except BlockingIOError:
                return None
            except OSError:  # it ended with messages unread: its own last message is still here
                continue
            if message[:1] == zygote_messages.SPARE and not descriptors:
                self._made -= 1  # its descriptor is lost
                raise SandboxError(
                    "LocalSandbox: this process may not open more files: raise RLIMIT_NOFILE"
                )
            return message, descriptors
        return b"", []

    def _handle(self, message: bytes) -> None:
        if message == zygote_messages.READY:
            self._ready = True
            return
        if message[:1] == zygote_messages.REFUSED:
            self._made -= 1
            if self._waiting and self._made <= self._in_use:  # no other worker is on its way
                self._refusal = self._cause(message)
            return
        if message[:1] == zygote_messages.BROKEN:
            self._failure = self._cause(message)
        elif not self._failure:
            self._output.seek(0)
            output = self._output.read()[-2000:].decode(errors="replace").strip()
            what = "was killed" if self._ready else "failed to start"
            self._failure = f"the template process, {sys.executable}, {what}. {output}".strip()
        self.close()

    def _cause(self, message: bytes) -> str:
        """Return what went wrong, by a message of the template process."""
        why = message[1:].decode(errors="replace")
        return shortage(self._tier, SandboxError(why)) or why

    def close(self) -> None:
        """End it, and every worker that it made."""
        self.usable = False
        self._end()
