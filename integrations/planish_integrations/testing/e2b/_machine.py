"""One sandbox of a loopback E2B: a folder, processes, contexts, and a time to die."""

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

import anyio.abc

from ._kernel import Kernel
from ._processes import Process

__all__ = ["HOME", "Machine"]

HOME = "/home/user"
_DEFAULT = "default"


@dataclass(kw_only=True)
class Machine:
    """What the control plane knows of a sandbox, and what runs in it.

    Attributes:
        template: What it was made from.
        seconds: Its lifetime, from now on whenever it is set.
        metadata: The creator's.
        env: Seen by every process of it.
        internet: Whether it may reach the internet, as the creator asked; None: did not say.
        tasks: Where its processes are followed.
        alive: The processes of all sandboxes.
        id: Of the sandbox.
        token: What envd wants to see.
        ends: When it dies, by `time.monotonic`.
        paused: It is frozen.
        over: Set when it is dead.
    """

    template: str
    seconds: float
    metadata: Mapping[str, str]
    env: Mapping[str, str]
    internet: bool | None
    tasks: anyio.abc.TaskGroup
    alive: set[Process]
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
        self.set_timeout(self.seconds)

    def set_timeout(self, seconds: float) -> None:
        """So long from now on."""
        self.seconds = seconds
        self.ends_at = time.monotonic() + seconds

    def path(self, path: str) -> Path:
        """Where a path of the sandbox lies here: never outside of its folder."""
        if path == HOME or path.startswith(f"{HOME}/"):
            path = path[len(HOME) :]
        if path.startswith(f"{self.folder}/"):
            path = path[len(str(self.folder)) :]
        return self.folder / os.path.normpath("/" + path).lstrip("/")

    def environment(self, added: Mapping[str, str] | None = None) -> dict[str, str]:
        """What a process of it sees: nothing of this process's environment but where Python is."""
        programs = [str(Path(sys.executable).parent), "/usr/local/bin", "/usr/bin", "/bin"]
        return {
            "PATH": os.pathsep.join(programs),
            "HOME": str(self.folder),
            "USER": "user",
            "LANG": "C.UTF-8",
            "E2B_SANDBOX": "true",
            **self.env,
            **(added or {}),
        }

    def spawn(
        self, command: list[str], cwd: str, env: Mapping[str, str], *, stdin: bool
    ) -> Process:
        """Start a process in it.

        Raises:
            FileNotFoundError: there is no such folder.
        """
        folder = self.path(cwd)
        if not folder.is_dir():
            raise FileNotFoundError(cwd)
        process = Process(command, folder=folder, env=self.environment(env), stdin=stdin)
        self.follow(process)
        return process

    def follow(self, process: Process) -> None:
        """Know of a process until it is gone."""
        self.processes.append(process)
        self.alive.add(process)

        async def until_gone() -> None:
            await process.follow()
            self.processes.remove(process)
            self.alive.discard(process)

        self.tasks.start_soon(until_gone)

    async def kernel(self, identity: str | None) -> Kernel | None:
        """A context by its id; the one there always is, where none is named."""
        identity = identity or _DEFAULT
        if identity == _DEFAULT and _DEFAULT not in self.kernels:
            await self.new_kernel(HOME, _DEFAULT)
        return self.kernels.get(identity)

    async def new_kernel(self, cwd: str, identity: str | None = None) -> Kernel:
        """Another context."""
        folder = self.path(cwd)
        folder.mkdir(parents=True, exist_ok=True)
        kernel = Kernel(identity or str(uuid4()), folder, cwd, self.environment())
        self.kernels[kernel.id] = kernel
        self.follow(kernel.start())
        await kernel.ready()
        return kernel

    def freeze(self, *, thaw: bool = False) -> None:
        """Stop all that runs in it, or let it go on."""
        self.paused = not thaw
        for process in self.processes:
            process.freeze(thaw=thaw)

    def kill(self) -> None:
        """End it: no process and no file of it is left."""
        if self.ended.is_set():
            return
        self.ended.set()
        for process in list(self.processes):
            process.kill()
        try:
            shutil.rmtree(self.folder, ignore_errors=True)
        except RecursionError:  # folders can be nested deeper than Python follows
            subprocess.run(["rm", "-rf", self.folder], check=False)  # noqa: S603, S607

    def to_json(self) -> dict[str, Any]:
        """What the control plane tells of it."""
        left = self.ends_at - time.monotonic()
        end = datetime.fromtimestamp(time.time() + left, UTC)
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
