"""What passes between the host and the supervisor of one container."""

import json
import signal
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import anyio
from anyio.abc import Process

from planish.data.program import Completed, Program, limit_name
from planish.errors import SandboxError, SandboxLostError, UnsupportedError

from ._engine import Engine
from ._guarantees import guarantees

__all__ = ["SilencedError", "Talk"]

_STARTING = 60.0  # seconds for a container to start, on a machine that has other work
_WALL_FACTOR = 20  # of a program's time limit: how long it may last at all
_OVERDUE = 10.0  # seconds after its time limit, for its end and its files to be reported
_LAST_WORDS = 2.0  # seconds for what the engine says of a failure to arrive
_HEAD = struct.Struct(">cI")
_MOST_SAID = 65_536  # bytes kept of what the engine says beside the frames
_ENV = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME": "/planish/tmp",
    "TMPDIR": "/planish/tmp",
    "LANG": "C.UTF-8",
    "PYTHONHASHSEED": "0",
}


class SilencedError(SandboxLostError):
    """The supervisor ended, or fell silent, after the program had started.

    Attributes:
        completed: How the program ended, where it is the program that did this.
    """

    def __init__(self, message: str, completed: Completed) -> None:
        super().__init__(message)
        self.completed = completed


@dataclass(slots=True)
class Talk:
    """Gives the supervisor a program, and takes what it says of it."""

    engine: Engine
    name: str
    program: Program
    command: Sequence[str]
    facts: dict[str, Any] | None = None
    done: dict[str, Any] | None = None
    refused: str | None = None
    results: bytes | None = None
    outputs: dict[bytes, bytearray] = field(
        default_factory=lambda: {b"O": bytearray(), b"E": bytearray()}
    )
    files: dict[bytes, dict[str, bytes]] = field(default_factory=lambda: {b"F": {}, b"A": {}})
    said: bytearray = field(default_factory=bytearray)
    silent: anyio.Event = field(default_factory=anyio.Event)

    async def hold(self, process: Process) -> None:
        """Until the supervisor has said all.

        Raises:
            SandboxError: the container did not start.
            SilencedError: it vanished, or fell silent, while the program ran.
            UnsupportedError: the image has not what runs the program.
        """
        starting = anyio.CancelScope(deadline=anyio.current_time() + _STARTING)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._tell, process)
            tasks.start_soon(self._overhear, process)
            with starting:
                await self._follow(process, starting)
            if self.done is None and self.refused is None:
                with anyio.move_on_after(_LAST_WORDS):
                    await self.silent.wait()  # why, the engine says beside
            tasks.cancel_scope.cancel()
        if self.refused is not None:
            raise UnsupportedError(
                f"the image cannot run {self.program.language!r}: {self.refused}; take an image "
                "that has it, or name another command in ContainerSandbox(languages=...)"
            )
        if self.facts is None:
            late = starting.cancelled_caught
            said = f"nothing within {_STARTING:g} s".encode() if late else bytes(self.said)
            raise self.engine.failed("start", said)
        if self.done is None:
            said_too = bytes(self.said).decode("utf-8", "replace").strip()[-500:]
            message = f"the container {self.name} vanished while it ran: {said_too}"
            raise SilencedError(message, self._silenced(stopped=starting.cancelled_caught))

    def _silenced(self, *, stopped: bool) -> Completed:
        did = "stopped" if stopped else "ended"
        return Completed(
            exit_code=None,
            signal=signal.SIGKILL,  # the container is killed, with all that is left in it
            limit="seconds" if stopped else None,
            stdout=bytes(self.outputs[b"O"]),
            stderr=bytes(self.outputs[b"E"]),
            results=b"" if self.program.results else None,
            findings=(f"the program {did} its supervisor: what it wrote is lost",),
            isolation="container",
            sandbox_id=self.name,
        )

    def completed(self) -> Completed:
        """How the program ended."""
        if self.done is None or self.facts is None:
            raise SandboxError(f"the container {self.name} has not said how it ended")
        return Completed(
            exit_code=self.done["exit_code"],
            signal=self.done["signal"],
            limit=limit_name(self.done["limit"]),
            stdout=bytes(self.outputs[b"O"]),
            stderr=bytes(self.outputs[b"E"]),
            duration=self.done["duration"],
            cpu_seconds=self.done["cpu_seconds"],
            files=self.files[b"F"],
            results=self.results,
            artifacts=self.files[b"A"],
            findings=tuple(self.done["findings"]),
            isolation="container",
            guarantees=guarantees(self.facts, self.program.limits),
            sandbox_id=self.name,
        )

    def _job(self) -> bytes:
        program, limits = self.program, self.program.limits
        job = {
            "command": [*self.command, program.main, *program.args],
            "env": _ENV | dict(program.env),
            "files": [(path, len(data)) for path, data in program.files.items()],
            "stdin": len(program.stdin),
            "collect": program.collect,
            "outputs": program.outputs,
            "results": program.results,
            "limits": {
                "seconds": limits.seconds,
                "wall_seconds": _WALL_FACTOR * limits.seconds,
                "memory_mb": limits.memory_mb,
                "output_bytes": limits.output_bytes,
                "file_bytes": limits.file_bytes,
                "files": limits.files,
            },
        }
        text = json.dumps(job).encode()
        blobs = (*program.files.values(), program.stdin)
        return b"".join((struct.pack(">I", len(text)), text, *blobs))

    async def _tell(self, process: Process) -> None:
        # Left open: its end tells the supervisor that nobody is here any more.
        if process.stdin is not None:
            try:
                await process.stdin.send(self._job())
            except (anyio.BrokenResourceError, anyio.ClosedResourceError):
                return  # it is gone; that is noticed where it is read

    async def _overhear(self, process: Process) -> None:
        if process.stderr is not None:
            async for piece in process.stderr:
                self.said += piece[: _MOST_SAID - len(self.said)]
        self.silent.set()

    async def _follow(self, process: Process, patience: anyio.CancelScope) -> None:
        waiting = bytearray()
        if process.stdout is None:
            return
        async for piece in process.stdout:
            waiting += piece
            while len(waiting) >= _HEAD.size:
                kind, size = _HEAD.unpack_from(waiting)
                if len(waiting) < _HEAD.size + size:
                    break
                payload = bytes(waiting[_HEAD.size : _HEAD.size + size])
                del waiting[: _HEAD.size + size]
                self._take(kind, payload)
                if kind == b"S":
                    longest = _WALL_FACTOR * self.program.limits.seconds + _OVERDUE
                    patience.deadline = anyio.current_time() + longest
                if kind in b"DX":
                    return

    def _take(self, kind: bytes, payload: bytes) -> None:
        match kind:
            case b"S":
                self.facts = json.loads(payload)
            case b"D":
                self.done = json.loads(payload)
            case b"X":
                self.refused = payload.decode("utf-8", "replace")
            case b"R":
                self.results = payload
            case b"F" | b"A":
                (size,) = struct.unpack_from(">I", payload)
                path = payload[4 : 4 + size].decode("utf-8", "surrogateescape")
                self.files[kind][path] = payload[4 + size :]
            case _:
                self.outputs[kind] += payload
