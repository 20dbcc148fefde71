"""One context of a loopback code interpreter: a Python process and the cells sent to it."""

import json
import signal
import sys
from collections.abc import AsyncGenerator, Mapping
from pathlib import Path
from typing import Any

import anyio

from planish.guest.protocol import GUEST

from ._processes import Process, read_some

__all__ = ["Kernel"]

_BOOT = "import sys; sys.path.insert(0, {0!r}); from loopback.kernel import main; main()"

Event = dict[str, Any]


class Kernel:
    """A context: state that cells share, one cell at a time.

    Attributes:
        id: The context's id.
        cwd: Its working directory, as the client named it.
        process: Runs the cells; None while it is being restarted.
        restart_at: When a context whose process has died gets another one; None if it has one.
        deaf_until: Until when an interrupt is pending: a cell sent before is never answered.
    """

    def __init__(self, identity: str, folder: Path, cwd: str, env: Mapping[str, str]) -> None:
        self.id = identity
        self.cwd = cwd
        self._folder = folder
        self._env = dict(env)
        self.process: Process | None = None
        self.restart_at: float | None = None
        self.deaf_until = 0.0
        self._buffer = b""
        self._cell = 0
        self._lock = anyio.Lock()

    def start(self) -> Process:
        """Start the interpreter."""
        guest = str(GUEST)
        command = [sys.executable, "-I", "-u", "-c", _BOOT.format(guest)]
        self.process = Process(command, folder=self._folder, env=self._env, stdin=True)
        self._buffer = b""
        self.restart_at = None
        return self.process

    async def ready(self) -> None:
        """Wait until the interpreter accepts cells."""
        while (event := await self._event()) is not None and event["type"] != "ready":
            pass

    async def run(self, code: str) -> AsyncGenerator[Event, None]:
        """Run one cell; its events end with "end_of_execution", or when the process dies."""
        async with self._lock:
            process = self.process
            if process is None:
                return
            self._cell += 1
            cell = self._cell
            await process.write(json.dumps({"cell": cell, "code": code}).encode() + b"\n")
            while (event := await self._event()) is not None:
                if event.pop("cell") != cell:
                    continue  # an event of a cell whose client has left
                yield event
                if event["type"] == "end_of_execution":
                    return

    async def _event(self) -> Event | None:
        process = self.process
        while process is not None:
            line, newline, rest = self._buffer.partition(b"\n")
            if newline:
                self._buffer = rest
                event: Event = json.loads(line)
                return event
            try:
                data = await read_some(process.stdout)
            except OSError:
                return None
            if not data:
                return None
            self._buffer += data
        return None

    def interrupt(self) -> None:
        """Send SIGINT."""
        if self.process is not None:
            self.process.signal(signal.SIGINT)

    @property
    def alive(self) -> bool:
        """Whether the interpreter runs."""
        return self.process is not None and not self.process.ended.is_set()

    def close(self) -> None:
        """Kill the interpreter and the processes it started."""
        process, self.process = self.process, None
        if process is not None:
            process.kill()
