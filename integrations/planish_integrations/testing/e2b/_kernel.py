"""One context of a loopback code interpreter: an IPython kernel and the connection to it.

The kernel is `ipykernel`, which E2B's own server runs too, so cells behave as they do there. What
the server does with the kernel's messages is reproduced here, its defects included.
"""

import json
import queue
import shutil
import signal
import sys
import tempfile
from collections.abc import AsyncGenerator, Mapping
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from uuid import uuid4

import anyio

from planish.errors import UnsupportedError
from planish.guest.protocol import GUEST

from ._messages import Event, Execution, read_message
from ._processes import Process

__all__ = ["Kernel"]

_STARTUP = GUEST / "loopback" / "startup.py"
_KEEPALIVE_SECONDS = 5.0  # seconds of silence after which the server writes to the client
_NUDGE_SECONDS = 0.2  # seconds between two questions whether a new kernel is ready
# Seconds after which a socket is looked at although it has signalled nothing: a message that
# arrives while another is sent on the same socket is not signalled, nor are those after it.
_LOOK_SECONDS = 0.1


class Kernel:
    """A context: state that cells share, one cell at a time.

    Attributes:
        id: The context's id.
        cwd: Its working directory, as the client named it.
        process: The kernel's process.
        closed: Set when the context was removed.
    """

    def __init__(
        self,
        identity: str,
        cwd: str,
        home: Path,
        folder: Path,
        env: Mapping[str, str],
        variables: Mapping[str, str],
    ) -> None:
        if find_spec("ipykernel") is None:
            raise UnsupportedError(
                'contexts of LoopbackE2B need ipykernel: pip install ".[e2b-testing]" in a checkout'
            )
        self.id = identity
        self.cwd = cwd
        self.process: Process | None = None
        self.closed = anyio.Event()
        self._home = home
        self._folder = folder
        self._private = Path(tempfile.mkdtemp(prefix="e2b-"))  # short: sockets are made in it
        self._env = {**env, "IPYTHONDIR": str(self._private), "MPLCONFIGDIR": str(self._private)}
        self._sandbox_variables = dict(variables)
        self._assigned: Mapping[str, str] | None = None  # the variables pasted so far
        self._cleanup = ""  # code that undoes the last cell's own variables
        self._executions: dict[str, Execution] = {}
        self._lock = anyio.Lock()
        self._client: Any = _connect(self._private)

    def start(self) -> Process:
        """Start the kernel's process, on the connection that an earlier one may have had."""
        command = [
            *(sys.executable, "-Xfrozen_modules=off", "-m", "ipykernel_launcher"),
            *("-f", str(self._private / "connection.json")),
            f"--IPKernelApp.exec_files={_STARTUP}",
            "--InteractiveShell.colors=NoColor",
            "--PlainTextFormatter.max_seq_length=0",
            "--HistoryManager.enabled=False",
        ]
        self.process = Process(command, folder=self._home, env=self._env, stdin=False)
        return self.process

    async def serve(self) -> None:
        """Read the kernel's messages until the context is removed, then close the connection."""

        async def read(channel: Any) -> None:
            while True:
                with suppress(queue.Empty):
                    message = await channel.get_msg(timeout=_LOOK_SECONDS)
                    read_message(message, self._executions)

        try:
            async with anyio.create_task_group() as tasks:
                for channel in (self._client.iopub_channel, self._client.shell_channel):
                    tasks.start_soon(read, channel)
                await self.closed.wait()
                tasks.cancel_scope.cancel()
        finally:
            self._client.stop_channels()
            self._client.context.destroy(linger=0)
            shutil.rmtree(self._private, ignore_errors=True)

    async def ready(self) -> None:
        """Wait until the kernel runs cells, in its working directory."""
        while not self.closed.is_set():
            probe = self._client.kernel_info()
            execution = self._executions[probe] = Execution(in_background=True)
            with anyio.move_on_after(_NUDGE_SECONDS):
                await execution.next()
            del self._executions[probe]
            if execution.accepted:
                break
        await self._run_silently(f"%cd {self._folder}")

    async def _run_silently(self, code: str) -> None:
        identity = self._send(code, silent=True)
        execution = self._executions[identity] = Execution(in_background=True)
        try:
            while await execution.next() is not None:
                pass
        finally:
            del self._executions[identity]

    def _send(self, code: str, *, silent: bool = False) -> str:
        identity: str = self._client.execute(
            code, silent=silent, store_history=True, allow_stdin=False, stop_on_error=True
        )
        return identity

    async def run(
        self, code: str, variables: Mapping[str, str] | None = None
    ) -> AsyncGenerator[Event, None]:
        """Run one cell; yield its events without "end_of_execution".

        Args:
            code: The cell.
            variables: Pasted into its code, unescaped, and undone before the next cell.
        """
        async with self._lock:
            if self._cleanup:
                cleanup, self._cleanup = self._cleanup, ""
                await self._run_silently(cleanup)
            identity = self._send(self._with_variables(code, variables or {}))
            execution = self._executions[identity] = Execution()
            try:
                while True:
                    event: Event | None = {"type": "keepalive"}
                    with anyio.move_on_after(_KEEPALIVE_SECONDS):
                        event = await execution.next()
                    if event is None:
                        break
                    yield event
            except BaseException:  # the client has left
                self.interrupt()
                raise
            finally:
                del self._executions[identity]
            self._cleanup = self._undo(variables or {})

    def _with_variables(self, code: str, variables: Mapping[str, str]) -> str:
        """Return the cell with assignments pasted before it, as E2B's server does."""
        pasted = ["", ""]
        if self._assigned is None:
            self._assigned = self._sandbox_variables
            pasted[0] = _assignments(self._assigned)
        pasted[1] = _assignments(variables)
        if not any(pasted):
            return code
        first = next((line for line in code.split("\n") if line.strip()), "")
        indent = first[: len(first) - len(first.lstrip())]
        lines = "\n".join(pasted).split("\n")
        return "\n".join([*(indent + line if line.strip() else line for line in lines), code])

    def _undo(self, variables: Mapping[str, str]) -> str:
        before = self._assigned or {}
        return "\n".join(
            _assignments({name: before[name]})
            if name in before
            else f"import os; del os.environ['{name}']"
            for name in variables
        )

    def interrupt(self) -> None:
        """Send SIGINT."""
        if self.process is not None:
            self.process.signal(signal.SIGINT)

    def restarting(self) -> None:
        """Tell the running cell that the kernel is being replaced."""
        for execution in self._executions.values():
            execution.fail("ContextRestarting", "Context was restarted")
            execution.end()

    @property
    def alive(self) -> bool:
        """Whether the kernel's process runs."""
        return self.process is not None and not self.process.ended.is_set()

    def disconnect(self) -> None:
        """Kill the process and end the running cell as E2B's server does when it reconnects."""
        process, self.process = self.process, None
        if process is not None:
            process.kill()
        for execution in self._executions.values():
            execution.fail(
                "WebSocketError", "The connections was lost, rerun the code to get the results"
            )
            execution.fail(
                "UnexpectedEndOfExecution",
                "Connection to the execution was closed before the execution was finished",
            )
            execution.end()
        self._assigned, self._cleanup = None, ""

    def close(self) -> None:
        """Remove the context."""
        self.disconnect()
        self.closed.set()


def _connect(folder: Path) -> Any:
    """Return a client for the kernel whose sockets are in this folder."""
    # Imported here: programs need no kernel, and this takes long to load.
    import zmq.asyncio  # noqa: PLC0415
    from jupyter_client.asynchronous.client import AsyncKernelClient  # noqa: PLC0415

    ports = ("shell_port", "iopub_port", "stdin_port", "control_port", "hb_port")
    info: dict[str, Any] = {
        **{port: number for number, port in enumerate(ports, 1)},
        "transport": "ipc",
        "ip": str(folder / "s"),
        "key": uuid4().hex,
        "signature_scheme": "hmac-sha256",
    }
    (folder / "connection.json").write_text(json.dumps(info))
    client: Any = AsyncKernelClient(context=zmq.asyncio.Context())
    client.load_connection_info({**info, "key": info["key"].encode()})
    channels = {
        **dict.fromkeys(("shell", "iopub"), True),
        **dict.fromkeys(("stdin", "hb", "control"), False),
    }
    client.start_channels(**channels)
    return client


def _assignments(variables: Mapping[str, str]) -> str:
    lines = (f"import os; os.environ['{name}'] = '{value}'" for name, value in variables.items())
    return "\n".join(lines)
