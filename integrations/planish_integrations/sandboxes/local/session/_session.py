"""A session on this machine: steps run one after another, and see what was left before."""

import base64
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from itertools import count
from types import TracebackType
from typing import Any, Self

from planish.data import Completed, Program, ResourceLimits, Variable
from planish.data.program import check_program
from planish.errors import SandboxLostError, UnsupportedError
from planish_integrations.sandboxes.local import LocalSandbox
from planish_integrations.sandboxes.local._options import check_limits

from ._answers import completed, content, listing, variables
from ._conversation import Conversation
from ._program import session_program

__all__ = ["LocalSession", "Snapshot"]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The variables and files of a session at one moment; only that session can restore it."""

    session: "LocalSession"
    key: str


class LocalSession:
    """A place in a `LocalSandbox` where steps of Python share variables and files.

    The opposite of the default, where every run is fresh. Opened with `async with`; at its end
    nothing of it is left. A step that is stopped at a limit, or cancelled, or that ends its
    process, leaves the variables as they were before it (files it wrote stay); threads that
    earlier steps had started are gone then.

    A snapshot is a fork, asleep, and a copy of the files; to restore one takes milliseconds,
    and it can be restored any number of times. What it costs is memory, where the steps after
    it change much; all together may use what `limits` says.

    Args:
        sandbox: Where; a `LocalSandbox()` of its own by default. Several sessions may share one;
            each takes one of its places (`concurrency`) as long as it is open. Its `environments`
            install nothing for steps, nor for programs of `InSession`: use its `packages`.
        limits: Of the session as a whole; `seconds` is not used: steps have their own.
        files: What lies in its working directory at first.

    Example:
        ```python
        async with LocalSession() as session:
            await session.run("rows = [1, 2, 3]")
            before = await session.snapshot()
            await session.run("rows.clear()")
            await session.restore(before)
            step = await session.run("len(rows)")
            assert step.displays[0].text == "3"
        ```
    """

    def __init__(
        self,
        sandbox: LocalSandbox | None = None,
        *,
        limits: ResourceLimits | None = None,
        files: Mapping[str, bytes] | None = None,
    ) -> None:
        self._sandbox = sandbox
        self._limits = limits or ResourceLimits()
        self._program = session_program(files or {}, self._limits)
        check_program(self._program)
        self._keys = count(1)
        self._stack = AsyncExitStack()
        self._conversation: Conversation | None = None
        self._isolation: dict[str, Any] = {}

    @property
    def name(self) -> str:
        """Always "local"."""
        return "local"

    def __getstate__(self) -> object:
        raise TypeError("a session is not pickled: it has processes; open it where it is used")

    def __repr__(self) -> str:
        return f"LocalSession({'open' if self._conversation else 'not open'})"

    async def __aenter__(self) -> Self:
        """Open it.

        Raises:
            UnsupportedError: it is open already; or as `LocalSandbox.run`.
            SandboxError: as `LocalSandbox.run`.
        """
        if self._conversation is not None:
            raise UnsupportedError("this session is open already: open another LocalSession()")
        async with AsyncExitStack() as stack:
            sandbox = self._sandbox
            if sandbox is None:
                sandbox = await stack.enter_async_context(LocalSandbox())
            held = await stack.enter_async_context(sandbox.interact(self._program))
            conversation = Conversation(held)
            await conversation.ask("hello")
            self._isolation = {"isolation": held.isolation, "guarantees": held.guarantees}
            self._conversation = conversation
            self._stack = stack.pop_all()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close it: nothing of it is left."""
        conversation, self._conversation = self._conversation, None
        if conversation is not None:
            await conversation.close()
        await self._stack.__aexit__(kind, error, trace)

    async def require_ready(self, *, pytest: bool) -> None:  # noqa: ARG002 - a step has no tests
        """Check that it is open, before a reply is paid for. See `planish.abc.KnowsLanguages`.

        Raises:
            UnsupportedError: it is not.
        """
        if self._conversation is None:
            raise UnsupportedError("the session is not open: use `async with`")

    async def _ask(self, do: str, **asked: Any) -> dict[str, Any]:
        if self._conversation is None:
            raise SandboxLostError("the session is not open: use `async with`")
        return await self._conversation.ask(do, **asked)

    async def run(self, code: str, *, seconds: float = 30.0) -> Completed:
        """Run one step, for so many seconds of processor. See `planish.abc.Session.run`.

        Stopped at its time limit, at a limit of the session on output, files or disk, or ended by
        itself with its process: the variables are what they were before it.
        """
        ResourceLimits(seconds=seconds)
        most = self._limits.output_bytes
        answer = await self._ask(
            "step", code=code, seconds=seconds, output_bytes=most, **self._room(self._limits)
        )
        return completed(answer, self._isolation)

    async def variables(self) -> tuple[Variable, ...]:
        """The variables the steps have set, sorted by name; modules and `_names` left out."""
        return variables(await self._ask("variables"))

    async def snapshot(self) -> Snapshot:
        """Remember the variables and files as they are now."""
        key = str(next(self._keys))
        await self._ask("snapshot", key=key)
        return Snapshot(self, key)

    async def restore(self, snapshot: Snapshot) -> None:
        """Make variables and files what they were, and end what was started since.

        Raises:
            UnsupportedError: the snapshot is another session's.
            SandboxError: it was dropped.
        """
        await self._ask("restore", key=self._own(snapshot))

    async def drop(self, snapshot: Snapshot) -> None:
        """Forget a snapshot, and free its memory."""
        await self._ask("drop", key=self._own(snapshot))

    def _own(self, snapshot: Snapshot) -> str:
        if snapshot.session is not self:
            raise UnsupportedError("a snapshot can be restored only in the session it was taken of")
        return snapshot.key

    async def write(self, files: Mapping[str, bytes]) -> None:
        """Put files into its working directory, over those of the same names.

        Raises:
            UnsupportedError: a path is none that lies in it.
            SandboxError: there is no room, or a step has put something else than a file there.
        """
        if files:
            check_program(Program(main=next(iter(files)), files=files))
        encoded = {path: _text(data) for path, data in files.items()}
        await self._ask("put", files=encoded, **self._room(self._limits))

    async def read(self, path: str) -> bytes | None:
        """A regular file of its working directory, up to `limits.file_bytes`; None if none is."""
        return content(await self._ask("get", path=path, most=self._limits.file_bytes))

    async def files(self) -> Mapping[str, int]:
        """Path to size, in bytes, of all regular files in its working directory."""
        return listing(await self._ask("list"))

    async def attempt(self, program: Program) -> Completed:
        """Run a program in a fork of the session, which leaves nothing in it. See `InSession`."""
        if program.language != "python":
            raise UnsupportedError(f"a session runs python, not {program.language!r}")
        check_program(program)
        check_limits(program)
        limits = program.limits
        if limits.processes < self._limits.processes:
            raise UnsupportedError(
                f"ResourceLimits(processes={limits.processes}): programs share the limit of their "
                "session, "
                f"{self._limits.processes}; give LocalSession(limits=...) the lower one"
            )
        answer = await self._ask(
            "attempt",
            files={path: _text(data) for path, data in program.files.items()},
            main=program.main,
            args=list(program.args),
            env=dict(program.env),
            stdin=_text(program.stdin),
            collect=list(program.collect),
            outputs=program.outputs,
            results=program.results,
            seconds=limits.seconds,
            memory=limits.memory_mb << 20,
            file_bytes=limits.file_bytes,
            output_bytes=limits.output_bytes,
            **self._room(limits),
        )
        return completed(answer, self._isolation, program.outputs)

    def _room(self, limits: ResourceLimits) -> dict[str, int]:
        """Return the bytes and files that limits allow, and that the session may hold."""
        return {
            "disk": min(limits.disk_mb, self._limits.disk_mb) << 20,
            "inodes": min(limits.files, self._limits.files),
        }


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()
