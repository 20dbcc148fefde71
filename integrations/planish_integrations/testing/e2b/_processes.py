"""Processes of a loopback sandbox, each of which can be killed with all its descendants."""

import os
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import anyio

from planish.guest.protocol import GUEST

__all__ = ["Descriptor", "Process", "drop_output", "read_some"]

_GUEST = str(GUEST / "loopback" / "guest.py")
_KILL_SECONDS = 5.0  # seconds for the guest to kill its descendants before it is killed itself


class Descriptor:
    """An open end of a pipe, which is closed when nothing refers to it."""

    __slots__ = ("_number",)

    def __init__(self, number: int) -> None:
        self._number = number
        os.set_blocking(number, False)

    def fileno(self) -> int:
        """Return its number."""
        return self._number

    def __del__(self) -> None:
        os.close(self._number)


class Process:
    """One command and all its descendants.

    Attributes:
        pid: The id of the guest process, whose child runs the command.
        stdin: Where the command's input is written, or None.
        stdout: Where its output is read.
        stderr: Where its error output is read.
        command: The command.
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
            self._guest = subprocess.Popen(  # noqa: S603  # running any command is the purpose
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
        """Wait until the command has ended, then kill and reap all its descendants."""
        message = b""
        try:
            while True:
                await anyio.wait_readable(self._control)
                data = self._control.recv(1000)
                if not data:
                    return
                message += data
                if b"\n" in message and not self.status:
                    self.status = message.decode().partition("\n")[0]
                    self.ended.set()
        except (OSError, anyio.ClosedResourceError):
            return
        finally:
            self.kill()
            self._control.close()  # only here, where no task waits for it
            self.status = self.status or "signal 9"
            self.ended.set()

    async def write(self, data: bytes) -> None:
        """Write input as fast as the command reads it."""
        rest, stdin = memoryview(data), self.stdin
        while rest and stdin is not None:
            try:
                rest = rest[os.write(stdin.fileno(), rest) :]
            except BlockingIOError:
                await anyio.wait_writable(stdin)
            except OSError:
                return

    def close_stdin(self) -> None:
        """Close the command's input."""
        self.stdin = None  # closed when no task writes to it any more

    def signal(self, number: int) -> None:
        """Send a signal to the command's process."""
        with suppress(OSError):
            children = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text()
            for pid in children.split()[:1]:
                os.kill(int(pid), number)

    def freeze(self, *, thaw: bool = False) -> None:
        """Stop the command and its descendants, or continue them."""
        with suppress(OSError):
            self._control.send(b"go on\n" if thaw else b"stop\n")

    def kill(self) -> None:
        """Kill the command and its descendants, and wait for their end."""
        with suppress(OSError):
            self._control.shutdown(socket.SHUT_RDWR)
        try:
            self._guest.wait(_KILL_SECONDS)
        except subprocess.TimeoutExpired:
            self._guest.kill()
            self._guest.wait()
        self.close_stdin()


async def read_some(pipe: Descriptor) -> bytes:
    """Wait for data in a pipe and return it; return b"" at its end."""
    while True:
        try:
            return os.read(pipe.fileno(), 65536)
        except BlockingIOError:
            await anyio.wait_readable(pipe)


async def drop_output(process: Process) -> None:
    """Read and discard what a process prints, so that it never waits for a reader."""

    async def drop(pipe: Descriptor) -> None:
        while await read_some(pipe):
            pass

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(drop, process.stdout)
        tasks.start_soon(drop, process.stderr)
