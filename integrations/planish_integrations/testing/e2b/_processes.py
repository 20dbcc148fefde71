"""Processes of a loopback sandbox: real ones, each with all below it on a leash."""

import os
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import anyio

from planish.guest.protocol import GUEST

__all__ = ["Descriptor", "Process", "read_some"]

_GUEST = str(GUEST / "loopback" / "guest.py")
_KILL_SECONDS = 5.0  # seconds for a guest to kill what is below it, before it is killed itself


class Descriptor:
    """An open end of a pipe; closed when nobody has it any more, and not before."""

    __slots__ = ("_number",)

    def __init__(self, number: int) -> None:
        self._number = number
        os.set_blocking(number, False)

    def fileno(self) -> int:
        """Its number."""
        return self._number

    def __del__(self) -> None:
        os.close(self._number)


class Process:
    """One command and all it starts.

    Attributes:
        pid: Of the process that holds the command; the command's own is below it.
        stdin: Where the command's input is written, or None.
        stdout: Where its output is read.
        stderr: The same.
        command: What was started.
        ended: Set when the command itself has ended.
        status: "exit 0", "signal 9"; empty until then.
    """

    def __init__(
        self, command: Sequence[str], *, folder: Path, env: Mapping[str, str], stdin: bool
    ) -> None:
        self.command = tuple(command)
        self.ended = anyio.Event()
        self.status = ""
        self._control, theirs = socket.socketpair()
        self._control.setblocking(False)
        reading, writing = os.pipe() if stdin else (None, None)
        read_out, out = os.pipe()
        read_err, err = os.pipe()
        self.stdin = None if writing is None else Descriptor(writing)
        self.stdout, self.stderr = Descriptor(read_out), Descriptor(read_err)
        try:
            self._guest = subprocess.Popen(  # noqa: S603  # that is what a sandbox is for
                [sys.executable, "-I", "-S", _GUEST, str(theirs.fileno()), *command],
                cwd=folder,
                env=dict(env),
                stdin=subprocess.DEVNULL if reading is None else reading,
                stdout=out,
                stderr=err,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        finally:
            theirs.close()
            for pipe in (reading, out, err):
                if pipe is not None:
                    os.close(pipe)
        self.pid = self._guest.pid

    async def follow(self) -> None:
        """Until nothing of it is left, and bury it."""
        said = b""
        try:
            while True:
                await anyio.wait_readable(self._control)
                data = self._control.recv(1000)
                if not data:
                    return
                said += data
                if b"\n" in said and not self.status:
                    self.status = said.decode().partition("\n")[0]
                    self.ended.set()
        except (OSError, anyio.ClosedResourceError):
            return
        finally:
            self.kill()
            self._control.close()  # here, and nowhere while somebody waits for it
            self.status = self.status or "signal 9"
            self.ended.set()

    async def write(self, data: bytes) -> None:
        """Hand it input, as fast as it reads."""
        rest, stdin = memoryview(data), self.stdin
        while rest and stdin is not None:
            try:
                rest = rest[os.write(stdin.fileno(), rest) :]
            except BlockingIOError:
                await anyio.wait_writable(stdin)
            except OSError:
                return

    def close_stdin(self) -> None:
        """Its input ends here."""
        self.stdin = None  # closed when nobody writes to it any more

    def signal(self, number: int) -> None:
        """Signal what runs the command."""
        with suppress(OSError):
            children = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text()
            for pid in children.split()[:1]:
                os.kill(int(pid), number)

    def freeze(self, *, thaw: bool = False) -> None:
        """Stop it, or let it go on, with all below it."""
        with suppress(OSError):
            self._control.send(b"go on\n" if thaw else b"stop\n")

    def kill(self) -> None:
        """Kill it and all below it, and wait for that."""
        with suppress(OSError):
            self._control.shutdown(socket.SHUT_RDWR)
        try:
            self._guest.wait(_KILL_SECONDS)
        except subprocess.TimeoutExpired:
            self._guest.kill()
            self._guest.wait()
        self.close_stdin()


async def read_some(pipe: Descriptor) -> bytes:
    """What is in a pipe, once there is something; empty at its end."""
    while True:
        try:
            return os.read(pipe.fileno(), 65536)
        except BlockingIOError:
            await anyio.wait_readable(pipe)
