"""Start one supervisor, stop it, and make sure that nothing of it is left."""

import errno
import signal
import socket
import subprocess
import sys
import threading
from contextlib import ExitStack, suppress

import anyio
import anyio.to_thread

from planish.data.program import Program
from planish.errors import SandboxError, UnsupportedError
from planish.guest.protocol import GUEST, Launch, descriptors, frames
from planish_integrations.sandboxes.host import TOO_LONG, base_request, safe_main

from ._channels import Channels
from ._orphans import kill_orphans
from ._place import Place

__all__ = ["PATIENCE", "Supervisor"]

_BOOT = str(GUEST / "unsafe")
_ELSEWHERE = 256  # processes that a user at work starts within seconds: a build, a browser
PATIENCE = 40.0
"""Seconds for a supervisor to end a program: more than it takes before it gives up."""


class Supervisor:
    """One supervisor process, the descriptors that lead to it, and the directory it works in.

    Attributes:
        request: What to send it first.
        channels: How to reach it and its program.
        results: What the program has reported, once `terminate` is over.
        left: How clearing up after it went, where the program had killed it; else empty.
    """

    def __init__(
        self, program: Program, command: tuple[str, ...], directory: str | None, neighbours: int
    ) -> None:
        """Start it. Blocks for the 0.5 to 2 ms that the system takes to start a process.

        Not in a thread, on purpose: a cancellation that lands in between would leave a
        process that has no owner.

        Raises:
            UnsupportedError: the arguments are longer than the system takes.
            SandboxError: no process can be started, or there is no place for its directory.
        """
        with ExitStack() as undo:
            try:
                self._place = Place(directory)
                undo.callback(self._place.discard)
                self.channels = Channels(self._place.root, program.stdin, results=program.results)
                undo.callback(self.channels.close)
                self._process = self._start(program, command, neighbours)
            except OSError as error:
                raise _not_started(error) from error
            undo.pop_all()
        self._terminated = False
        self._most = program.limits.file_bytes
        self.results: bytes | None = None
        self.left = ""
        self._clearing = threading.Lock()
        self.channels.close_theirs()

    def _start(
        self, program: Program, command: tuple[str, ...], neighbours: int
    ) -> subprocess.Popen[bytes]:
        own = self._place.environment(command[0] if command else sys.executable)
        env = {**own, **program.env}
        main = safe_main(program)
        if command:
            line, argv, outer = ["-c", ""], [*command, main, *program.args], own
        else:  # the interpreter that becomes the supervisor becomes the program too
            line, argv, outer = [main, *program.args], list[str](), env
        channels = self.channels
        handed = [channels.their_control]
        if channels.their_results is not None:
            handed.append(channels.their_results)
            env[descriptors.RESULTS] = str(channels.their_results)
        limits = program.limits
        launch: Launch = {
            **base_request(program),
            "stdin": None,  # a file, which the process is started with
            "argv": argv,
            "env": env,
            "elsewhere": _ELSEWHERE + neighbours * limits.processes,
        }
        self.request = frames.encode(launch)
        path = outer.get("PYTHONPATH")
        return subprocess.Popen(  # noqa: S603  # running programs is what this is for
            [sys.executable, "-s", *line],
            cwd=self._place.work,
            env={
                **outer,
                "PYTHONPATH": f"{_BOOT}:{path}" if path else _BOOT,
                "PLANISH_SUPERVISOR": f"{channels.their_control}:{self._place.root}",
            },
            stdin=channels.their_stdin,
            stdout=channels.their_stdout,
            stderr=channels.their_stderr,
            pass_fds=handed,
            start_new_session=True,  # a Ctrl-C is for the host, which then stops its supervisors
        )

    def resume(self) -> None:
        """Make it continue, where the program has stopped it."""
        self._process.send_signal(signal.SIGCONT)

    def stop(self) -> None:
        """Ask it to end the program. It reports how that ended, as always."""
        with suppress(OSError):  # it has gone already
            self.channels.control.shutdown(socket.SHUT_WR)
        self.resume()

    async def terminate(self) -> None:
        """Wait until nothing is left: no process, no directory, no descriptor.

        It stops the program first, where that still runs. This is not interrupted: asyncio
        can cancel a task again while it cleans up, and shielding does not keep that out;
        then this goes on, and the cancellation follows after it.
        """
        cancelled: BaseException | None = None
        while not self._terminated:
            try:
                with anyio.CancelScope(shield=True):
                    await self._terminate()
            except anyio.get_cancelled_exc_class() as again:
                cancelled = again
        if cancelled:
            raise cancelled

    async def _terminate(self) -> None:
        self.stop()
        with anyio.move_on_after(PATIENCE):
            await self._closed()
            await self._reaped()
        if self._process.poll() is None:  # stopped or stuck
            self._process.kill()
            await self._reaped()
        if self._process.returncode != 0 or self._place.exists():
            await anyio.to_thread.run_sync(self._clear)
        self.results = self.channels.reported(self._most)
        self.channels.close()
        self._terminated = True

    async def _closed(self) -> None:
        """Wait until the supervisor has closed its end of the control socket."""
        control = self.channels.control
        with suppress(ConnectionError):
            while True:
                try:
                    if not control.recv(65536):
                        return
                except BlockingIOError:
                    await anyio.wait_readable(control)

    async def _reaped(self) -> None:
        # Its socket is closed by its end, so this is a matter of microseconds.
        while self._process.poll() is None:  # noqa: ASYNC110  # the kernel sets no event
            await anyio.sleep(0.0005)

    def _clear(self) -> None:
        with self._clearing:  # a cancelled `terminate` starts again while the thread goes on
            killed, removed = kill_orphans(self._place.root), self._place.remove()
        if killed and removed:
            self.left = "All that could be found of it is dead and removed."
        else:
            self.left = f"Something of it may be left: see {self._place.root}"


def _not_started(error: OSError) -> Exception:
    if error.errno == errno.E2BIG:
        return UnsupportedError(TOO_LONG)
    return SandboxError(f"UnsafeLocalSandbox could not start a process: {error}")
