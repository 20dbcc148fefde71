"""One sandbox of a loopback E2B: a folder, processes, contexts and a lifetime."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import anyio
import anyio.abc

from ._kernel import Kernel
from ._processes import Process, drop_output

__all__ = ["HOME", "Machine"]

HOME = "/home/user"


@dataclass(kw_only=True)
class Machine:
    """A sandbox as the control plane sees it, and what runs in it.

    Attributes:
        template: The template it was made from.
        seconds: Its lifetime, counted from the last time it was set.
        metadata: The creator's metadata.
        env: Environment variables of every process.
        internet: Whether it may reach the internet; None if the creator did not specify it.
        tasks: Task group in which its processes are awaited.
        alive: The processes of all sandboxes.
        restart_seconds: Time until a context whose process died gets a new one.
        id: The sandbox's id.
        token: The access token for envd.
        ends_at: When it ends, by `time.monotonic`.
        paused: Whether it is paused.
        ended: Set when it has ended.
    """

    template: str
    seconds: float
    metadata: Mapping[str, str]
    env: Mapping[str, str]
    internet: bool | None
    tasks: anyio.abc.TaskGroup
    alive: set[Process]
    restart_seconds: float
    id: str = field(default_factory=lambda: f"loopback{uuid4().hex[:12]}")
    token: str = field(default_factory=lambda: uuid4().hex)
    started: datetime = field(default_factory=lambda: datetime.now(UTC))
    ends_at: float = 0.0
    paused: bool = False
    ended: anyio.Event = field(default_factory=anyio.Event)
    processes: list[Process] = field(default_factory=list[Process])
    kernels: dict[str, Kernel] = field(default_factory=dict[str, Kernel])

    def __post_init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="loopback-e2b-"))
        self._default: Kernel | None = None
        self._creating_default = anyio.Lock()
        self.set_timeout(self.seconds)

    def set_timeout(self, seconds: float) -> None:
        """Set the lifetime, counted from now."""
        self.seconds = seconds
        self.ends_at = time.monotonic() + seconds

    def path(self, path: str) -> Path:
        """Return the path on this machine, always inside the sandbox's folder."""
        if path == HOME or path.startswith(f"{HOME}/"):
            path = path[len(HOME) :]
        if path.startswith(f"{self.folder}/"):
            path = path[len(str(self.folder)) :]
        return self.folder / os.path.normpath("/" + path).lstrip("/")

    def environment(self, extra: Mapping[str, str] | None = None) -> dict[str, str]:
        """Return a process's environment, which has only PATH in common with this process."""
        programs = [str(Path(sys.executable).parent), "/usr/local/bin", "/usr/bin", "/bin"]
        return {
            "PATH": os.pathsep.join(programs),
            "HOME": str(self.folder),
            "USER": "user",
            "LANG": "C.UTF-8",
            "E2B_SANDBOX": "true",
            **self.env,
            **(extra or {}),
        }

    def spawn(
        self, command: list[str], cwd: str, env: Mapping[str, str], *, stdin: bool
    ) -> Process:
        """Start a process.

        Raises:
            FileNotFoundError: the folder does not exist.
        """
        folder = self.path(cwd)
        if not folder.is_dir():
            raise FileNotFoundError(cwd)
        process = Process(command, folder=folder, env=self.environment(env), stdin=stdin)
        self.follow(process)
        return process

    def follow(self, process: Process) -> None:
        """Register a process until it has ended."""
        self.processes.append(process)
        self.alive.add(process)

        async def wait_for_end() -> None:
            await process.follow()
            self.processes.remove(process)
            self.alive.discard(process)

        self.tasks.start_soon(wait_for_end)

    async def default_kernel(self) -> Kernel:
        """Return the context for cells without one, which is created for the first of them."""
        async with self._creating_default:
            if self._default is None:
                self._default = await self.new_kernel(HOME)
        return self._default

    async def new_kernel(self, cwd: str) -> Kernel:
        """Create a context.

        Raises:
            UnsupportedError: ipykernel is not installed.
        """
        env = {name: value for name, value in self.environment().items() if name not in self.env}
        variables = {"E2B_SANDBOX": "true", **self.env}  # pasted into the first cell
        kernel = Kernel(str(uuid4()), cwd, self.folder, self.path(cwd), env, variables)
        self.kernels[kernel.id] = kernel
        self.tasks.start_soon(kernel.serve)
        await self._start_kernel(kernel)
        return kernel

    async def restart_kernel(self, kernel: Kernel) -> None:
        """Give a context a new process, without its variables."""
        kernel.disconnect()
        await self._start_kernel(kernel)

    async def _start_kernel(self, kernel: Kernel) -> None:
        process = kernel.start()
        self.follow(process)
        self.tasks.start_soon(drop_output, process)
        self.tasks.start_soon(self._replace_when_dead, kernel, process)
        await kernel.ready()

    async def _replace_when_dead(self, kernel: Kernel, process: Process) -> None:
        """Start a kernel again some time after its process died, as Jupyter does."""
        while not kernel.closed.is_set():
            await process.ended.wait()
            await anyio.sleep(self.restart_seconds)
            if self.ended.is_set() or kernel.closed.is_set() or kernel.process is not process:
                return
            kernel.restarting()
            process = kernel.start()
            self.follow(process)
            self.tasks.start_soon(drop_output, process)

    def freeze(self, *, thaw: bool = False) -> None:
        """Stop all processes, or continue them."""
        self.paused = not thaw
        for process in self.processes:
            process.freeze(thaw=thaw)

    def kill(self) -> None:
        """Kill all processes and remove the folder."""
        if self.ended.is_set():
            return
        self.ended.set()
        for kernel in self.kernels.values():
            kernel.close()
        for process in list(self.processes):
            process.kill()
        try:
            shutil.rmtree(self.folder, ignore_errors=True)
        except RecursionError:  # folders can be nested deeper than Python follows
            subprocess.run(["rm", "-rf", self.folder], check=False)  # noqa: S603, S607

    def to_json(self) -> dict[str, Any]:
        """Return the control plane's description of the sandbox."""
        remaining = self.ends_at - time.monotonic()
        end = datetime.fromtimestamp(time.time() + remaining, UTC)
        return {
            "templateID": self.template,
            "alias": self.template,
            "sandboxID": self.id,
            "clientID": "loopback",
            "envdVersion": "0.6.4",
            "envdAccessToken": self.token,
            "startedAt": self.started.isoformat(),
            "endAt": end.isoformat(),
            "cpuCount": 2,
            "memoryMB": 512,
            "diskSizeMB": 1024,
            "state": "paused" if self.paused else "running",
            "metadata": dict(self.metadata),
            "allowInternetAccess": self.internet,
        }
