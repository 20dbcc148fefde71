"""The host's hold on one zygote: start it, take sandboxes from it, end it."""

import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from contextlib import ExitStack, suppress
from typing import IO

import anyio

from planish.errors import SandboxError, SandboxLostError
from planish.guest.protocol import GUEST
from planish.guest.protocol import zygote_messages as frames
from planish_integrations.sandboxes.host import turns

from ._configuration import Recipe
from ._launcher import launcher
from ._remedies import shortage
from ._worker import Spare

__all__ = ["Zygote"]

_TO_START = 60.0  # seconds for an interpreter to start and import, on a machine at work
_TO_END = 5.0  # seconds for it to end by itself
_MESSAGE = 1 << 16  # bytes
_SENT = 1  # descriptors of one sandbox
_DEATHS = 10  # of sandboxes in a row, besides those that were ready at once
_LOOK = 0.02  # seconds between two looks at sandboxes that are to become ready
# Nothing of the host's environment; and an interpreter that does the same again every time.
# With LD_BIND_NOW, functions of libraries are looked up once, and not in each fork.
_ENVIRONMENT = {
    "LANG": "C.UTF-8",
    "LD_BIND_NOW": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
}


class Zygote:
    """A process that sandboxes are forked from.

    Attributes:
        usable: It has not failed, and not been closed, as far as is known.
        holders: The pools that use it.
    """

    def __init__(self, recipe: Recipe) -> None:
        """Start it; what it says of that is heard by `claim`.

        Blocks for the 0.5 to 2 ms that the system takes to start a process, on purpose: a
        cancellation that lands in between would leave a process that nobody owns.

        Raises:
            SandboxError: no process can be started.
        """
        self._host = os.getpid()
        self._tier = recipe.tier
        self._reading = threading.Lock()
        self._ready = False
        self._why = ""
        self._spare = recipe.spare
        self._made = recipe.spare  # sandboxes that there are or will be, the ones in use included
        self._in_use = self._waiting = 0
        self._died = 0  # sandboxes in a row
        self._idle: list[Spare] = []
        self._loads_verifier = False
        self.usable = True
        self.holders: weakref.WeakSet[object] = weakref.WeakSet()
        with ExitStack() as opened:  # closes them if it cannot be started
            try:
                self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
                opened.enter_context(self._control)
                with theirs:
                    self._said = opened.enter_context(tempfile.TemporaryFile())
                    process = _start(recipe, theirs.fileno(), self._said)
            except OSError as error:
                why = shortage(recipe.tier, error) or str(error)
                raise SandboxError(f"LocalSandbox: no process could be started: {why}") from error
            opened.pop_all()
        self._control.setblocking(False)
        self._process = process
        self._end = weakref.finalize(
            self, _end, self._host, process, self._control, self._said, self._idle
        )
        with suppress(OSError):  # it has ended already: `claim` finds out and says why
            self._control.send(recipe.config())

    async def claim(self) -> Spare:
        """Take one sandbox that is ready, or wait until one is.

        Raises:
            SandboxError: the zygote could not start, or has failed.
        """
        # In turn: who waits may have been woken for the one that is ready.
        spare = None if self._waiting else self._take()
        return spare or await self._wait()

    async def _wait(self) -> Spare:
        with self._reading:
            self._waiting += 1
            self._make(self._in_use + self._waiting)
        spare = None
        try:
            with anyio.move_on_after(_TO_START):
                async with turns(self):
                    while (spare := self._take()) is None:
                        # Any of several may be the next; and another thread may close it.
                        with suppress(OSError), anyio.move_on_after(_LOOK):
                            await anyio.wait_readable(self._next())
        finally:
            self._waiting -= 1
        if spare is None:
            self.close()
            raise SandboxError(f"LocalSandbox: no sandbox was ready after {_TO_START:g} s")
        return spare

    def load_verifier(self, bundle: bytes) -> None:
        """Have the verifier's modules loaded in the sandboxes that are made from now on."""
        with self._reading:
            if self._loads_verifier or not self.usable:
                return
            # If it has ended, is busy, or there is no descriptor: the program brings them.
            with suppress(OSError), os.fdopen(os.memfd_create("verifier"), "wb") as file:
                file.write(bundle)
                file.flush()
                socket.send_fds(self._control, [frames.LOAD], [file.fileno()])
                self._loads_verifier = True

    def refill(self) -> None:
        """Have one ready while others are used; said late, because making one takes time."""
        with self._reading:
            self._make(self._wanted())

    def keep(self, spare: Spare) -> None:
        """Take back one that was claimed and not used."""
        with self._reading:
            self._in_use -= 1
            if self.usable:
                self._idle.append(spare)
            else:
                spare.close()

    def take_back(self, spare: Spare) -> None:
        """Have one that was used made ready again, if it can be and is needed; or end it."""
        with self._reading:
            enough = self._made > self._wanted()  # also if the next one comes at once
            self._in_use -= 1
            lacks = self._loads_verifier and not spare.has_verifier
            if spare.reusable and not (enough or lacks) and self.usable:
                spare.renew()
                self._idle.append(spare)
            else:
                spare.close()
                self._made -= 1
                self._make(self._wanted())

    def _wanted(self) -> int:
        """How many there are to be: as many as are kept ready, and one more than are in use."""
        return max(self._spare, self._in_use + min(1, self._spare))

    def _make(self, wanted: int) -> None:
        """Have sandboxes made until there are so many."""
        while self._made < wanted and self.usable:
            self._made += 1
            with suppress(OSError):  # it has ended: `_take` finds out
                self._control.send(frames.CLAIMED)

    def _next(self) -> int:
        """The descriptor of what will say something when a sandbox is ready."""
        with self._reading:
            return (self._idle[0].control if self._idle else self._control).fileno()

    def _take(self) -> Spare | None:
        """One sandbox, if one is ready. One message at a time: others wait for theirs."""
        with self._reading:
            spare = self._take_idle()
            while spare is None and self.usable:
                message = self._receive()
                if message is None:
                    return None
                said, descriptors = message
                if said[:1] == frames.SPARE:
                    self._idle.append(Spare(descriptors[0], self))
                    spare = self._take_idle()
                else:
                    self._hear(said)
            if spare is not None:
                return spare
        lost = SandboxLostError if self._ready else SandboxError
        raise lost(f"LocalSandbox: {self._why or 'the sandbox was closed'}")

    def _take_idle(self) -> Spare | None:
        """The first of the idle ones that is ready; the dead ones are let go."""
        for spare in [*self._idle]:
            try:
                waits = spare.waits()
            except SandboxError:
                self._drop(spare)
                raise
            if waits:
                self._idle.remove(spare)
                self._in_use += 1
                self._died = 0
                return spare
            if waits is None:
                self._drop(spare)
        return None

    def _drop(self, spare: Spare) -> None:
        """Let go of one that has died, and have another made.

        Raises:
            SandboxLostError: so many have died in a row that the next one would too.
        """
        self._idle.remove(spare)
        spare.close()
        self._made -= 1
        self._died += 1
        if self._died > _DEATHS + self._spare:
            self._died = 0
            raise SandboxLostError(
                "LocalSandbox: its sandboxes die before a program starts in them"
            )
        self._make(max(self._wanted(), self._in_use + self._waiting))

    def _receive(self) -> tuple[bytes, list[int]] | None:
        """One message; None when there is none yet; an empty one when the zygote has ended."""
        for _ in range(2):
            try:
                said, descriptors, _, _ = socket.recv_fds(self._control, _MESSAGE, _SENT)
            except BlockingIOError:
                return None
            except OSError:  # it ended without hearing all: what it said last comes after this
                continue
            if said[:1] == frames.SPARE and not descriptors:
                self._made -= 1  # it is lost
                raise SandboxError(
                    "LocalSandbox: this process may not open more files: raise RLIMIT_NOFILE"
                )
            return said, descriptors
        return b"", []

    def _hear(self, said: bytes) -> None:
        if said == frames.READY:
            self._ready = True
            return
        if said[:1] == frames.BROKEN:
            why = said[1:].decode(errors="replace")
            self._why = shortage(self._tier, SandboxError(why)) or why
        elif not self._why:
            self._said.seek(0)
            words = self._said.read()[-2000:].decode(errors="replace").strip()
            what = "was killed" if self._ready else "failed to start"
            self._why = f"the zygote, {sys.executable}, {what}. {words}".strip()
        self.close()

    def close(self) -> None:
        """End it, and every sandbox that it made."""
        self.usable = False
        self._end()


def _start(recipe: Recipe, control: int, said: IO[bytes]) -> subprocess.Popen[bytes]:
    host = os.pidfd_open(os.getpid())  # tells in any namespace, and whatever holds our sockets
    try:
        return subprocess.Popen(  # noqa: S603  # running programs is what this is for
            [*launcher(recipe, str(GUEST)), str(control), str(host)],
            cwd="/",
            env=_ENVIRONMENT,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
            pass_fds=(control, host),
            start_new_session=True,  # a Ctrl-C is for the host, which then ends its programs
        )
    finally:
        os.close(host)


def _end(
    host: int,
    process: subprocess.Popen[bytes],
    control: socket.socket,
    said: IO[bytes],
    idle: list[Spare],
) -> None:
    """Let go of the descriptors; in the process that started it, also see it dead."""
    while idle:
        idle.pop().close()
    control.close()
    said.close()
    if os.getpid() != host:  # a fork of the host's: it is not ours to end
        process.returncode = 0
        return
    give_up = time.monotonic() + _TO_END
    while process.poll() is None:
        if time.monotonic() > give_up:
            process.send_signal(signal.SIGKILL)
        select.select([], [], [], 0.0005)
