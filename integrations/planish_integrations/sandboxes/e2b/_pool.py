"""The sandboxes of one block: created at the plan's rate, leased to tasks, killed at the end."""

import math
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from uuid import uuid4

import anyio
import anyio.abc

from planish.errors import PlanishError, UnsupportedError
from planish.events import SandboxChanged

from ._asyncio_bridge import AsyncioBridge
from ._changes import BackgroundEvents, emit_change, sandbox_changed
from ._errors import BusyError, planish_error
from ._handle import SandboxHandle, retry_while_busy
from ._leases import Leases, TaskOwner
from ._sdk import kill_all, the_sdk
from ._settings import Settings

__all__ = ["MARGIN", "SandboxPool", "sandbox_pool"]

MARGIN = 30.0  # seconds a sandbox has to live longer than the program it is to run
_POLL_SECONDS = 1.0  # seconds between two searches for sandboxes whose task has ended
_RETRY_SECONDS = 5.0  # seconds to wait after a warm sandbox could not be created


class _Creation:
    """A sandbox that is being created for a waiting task."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.done = anyio.Event()
        self.wanted = True
        self.handle: SandboxHandle | None = None
        self.error: PlanishError | None = None


class SandboxPool:
    """All sandboxes of one `async with` block, or of one run."""

    def __init__(
        self,
        settings: Settings,
        bridge: AsyncioBridge,
        tasks: anyio.abc.TaskGroup,
        background: BackgroundEvents,
    ) -> None:
        self.settings = settings
        self._background = background
        self._bridge = bridge
        self._tasks = tasks
        self._metadata = {"planish": uuid4().hex}
        self._warm: list[SandboxHandle] = []
        self._leases = Leases()
        self._count = 0  # that exist, or are being made or killed
        self._next_creation = 0.0  # when the next one may be made
        self._changed = anyio.Event()
        self._closed = anyio.Event()
        self._doubtful = False

    async def acquire(self, seconds: float, *, fresh: bool = False) -> SandboxHandle:
        """Return a sandbox for the caller alone that lives for at least `seconds`.

        Args:
            seconds: How long it is needed.
            fresh: Nothing has ever run in it.

        Raises:
            SandboxError: E2B was busy for all of the plan's patience.
            AuthenticationError: it refused the key.
            RequestError: it refused the request: there is no such template.
            UnsupportedError: the plan lets no sandbox live so long.
            Exception: a listener raised it; the sandbox is killed.
        """
        needed = seconds + MARGIN
        if needed > self.settings.plan.longest:
            raise UnsupportedError(
                f"a run of {seconds:g} s needs a sandbox for {needed:g} s, and the plan allows "
                f"{self.settings.plan.longest:g}: E2BSandbox(plan=...)"
            )
        while True:
            handle = None if fresh else self._leases.take(TaskOwner.current())
            handle = handle or (self._warm.pop(0) if self._warm else None)
            if handle is None:
                if self._count < self.settings.plan.concurrency:
                    return await self._create_for_caller(needed)
                reusable = self._leases.oldest()
                if reusable is None:
                    await self._changed.wait()
                else:
                    await self.discard(reusable)
                continue
            self._notify()
            if handle.left >= needed:
                return await self._hand_over(handle, sandbox_changed(handle.id, "reused"))
            await self.discard(handle)  # rotated: it would die under the program

    def give_back(self, handle: SandboxHandle) -> None:
        """Keep a sandbox for the next program of the running task, or kill it if none is reused."""
        if self.settings.reuse and not self._closed.is_set():
            self._leases.give(TaskOwner.current(), handle)
            self._notify()
            emit_change(sandbox_changed(handle.id, "released"))
        else:
            self._tasks.start_soon(self._discard_in_background, handle)

    async def discard(self, handle: SandboxHandle, error: BaseException | None = None) -> None:
        """Kill a sandbox.

        Args:
            handle: The sandbox.
            error: What the caller is about to raise. What a listener raises becomes a note on it.
        """
        emit_change(await self._kill(handle), error)

    async def _discard_in_background(self, handle: SandboxHandle) -> None:
        self._background.emit(await self._kill(handle))

    async def _kill(self, handle: SandboxHandle) -> SandboxChanged:
        begin = time.monotonic()
        try:
            killed = await handle.kill()
        finally:
            self._count -= 1
            self._notify()
        seconds = time.monotonic() - begin
        return sandbox_changed(handle.id, "killed" if killed else "lost", seconds)

    async def _hand_over(self, handle: SandboxHandle, change: SandboxChanged) -> SandboxHandle:
        """Return a sandbox to the caller; kill it if a listener raises."""
        try:
            emit_change(change)
        except BaseException as error:
            await self.discard(handle, error)
            raise
        return handle

    def _keep_warm(self, handle: SandboxHandle) -> None:
        """Keep a sandbox that was created, and that no task waits for."""
        self._warm.append(handle)
        self._notify()
        self._background.emit(sandbox_changed(handle.id, "created", handle.creation_seconds))

    def _notify(self) -> None:
        self._changed.set()
        self._changed = anyio.Event()

    async def _create_for_caller(self, seconds: float) -> SandboxHandle:
        creation = _Creation(seconds)
        self._start_creation(creation)
        try:
            await creation.done.wait()
        except BaseException:  # also cancelled: what was created for this task is for others then
            creation.wanted = False
            if creation.handle is not None:
                self._keep_warm(creation.handle)
            raise
        if creation.error is not None:
            raise creation.error
        handle = creation.handle
        assert handle is not None  # noqa: S101  # one or the other
        change = sandbox_changed(handle.id, "created", handle.creation_seconds)
        return await self._hand_over(handle, change)

    def _start_creation(self, creation: _Creation) -> None:
        self._count += 1
        self._tasks.start_soon(self._run_creation, creation)

    async def _run_creation(self, creation: _Creation) -> None:
        """Create a sandbox; if its waiter was cancelled meanwhile, keep it as a warm one."""
        with anyio.CancelScope(shield=True):
            try:
                key = uuid4().hex
                handle = await retry_while_busy(
                    self.settings.plan.patience,
                    lambda: self._create(key, creation.seconds),
                    self._delay_creations,
                )
            except PlanishError as error:
                self._count -= 1
                creation.error = error
            else:
                if creation.wanted:
                    creation.handle = handle
                else:
                    self._keep_warm(handle)
            creation.done.set()
            self._notify()

    def _delay_creations(self, seconds: float) -> None:
        """Delay all creations, because E2B is busy."""
        if self._closed.is_set():
            raise BusyError("the block ended while E2B was busy")
        self._next_creation = max(self._next_creation, time.monotonic() + seconds)

    async def _create(self, key: str, seconds: float) -> SandboxHandle:
        """Request a sandbox at the plan's rate; the same key again returns the same sandbox."""
        settings = self.settings
        at = max(self._next_creation, time.monotonic())
        self._next_creation = at + 1 / settings.plan.rate
        with anyio.move_on_after(max(0.0, at - time.monotonic())):
            await self._closed.wait()
        if self._closed.is_set():
            raise BusyError("the block ended before the sandbox was made")
        lifetime = min(max(settings.lifetime, seconds), settings.plan.longest)
        begin = time.monotonic()
        try:
            sdk = await self._bridge.call(
                the_sdk().create,
                settings.template,
                timeout=math.ceil(lifetime),
                metadata=self._metadata,
                allow_internet_access=settings.internet,
                idempotency_key=key,
                **settings.connection,
            )
        except Exception as error:  # noqa: BLE001  # the SDK raises what its layers raise
            self._doubtful = True
            raise planish_error(error, (settings.key,)) from None
        taken = time.monotonic() - begin
        return SandboxHandle(sdk, self._bridge, begin + lifetime, taken, settings.key)

    async def maintain(self) -> None:
        """Keep the warm sandboxes, and kill those whose task has ended."""
        while True:
            for handle in [
                handle for handle in self._warm if handle.left < MARGIN + _RETRY_SECONDS
            ]:
                self._warm.remove(handle)
                self._tasks.start_soon(self._discard_in_background, handle)
            while (orphan := self._leases.orphan()) is not None:
                self._tasks.start_soon(self._discard_in_background, orphan)
            missing = self.settings.warm - len(self._warm)
            pause = _POLL_SECONDS
            room = self._count < self.settings.plan.concurrency
            if missing > 0 and room and not self._closed.is_set():
                pause = await self._create_warm()
            with anyio.move_on_after(pause):
                await self._changed.wait()

    async def _create_warm(self) -> float:
        """Create a warm sandbox; return the seconds to wait before the next."""
        creation = _Creation(self.settings.lifetime)
        creation.wanted = False
        self._start_creation(creation)
        await creation.done.wait()
        return 0.0 if creation.error is None else _RETRY_SECONDS

    async def close(self) -> None:
        """Kill all sandboxes, including those still being created."""
        self._closed.set()
        async with anyio.create_task_group() as tasks:
            while self._count:
                while (
                    handle := self._warm.pop() if self._warm else self._leases.any()
                ) is not None:
                    tasks.start_soon(self._discard_in_background, handle)
                if self._count:
                    await self._changed.wait()
        if self._doubtful:
            await self._sweep()

    async def _sweep(self) -> None:
        """Kill sandboxes that were created although the response was lost."""
        killed: list[str] = []
        metadata, connection = self._metadata, self.settings.connection
        with anyio.move_on_after(MARGIN), suppress(Exception):  # else their time ends them
            await self._bridge.call(kill_all, metadata, connection, killed.append)
        for sandbox_id in killed:
            self._background.emit(sandbox_changed(sandbox_id, "killed"))


@asynccontextmanager
async def sandbox_pool(settings: Settings) -> AsyncGenerator[SandboxPool, None]:
    """Open a pool; kill all its sandboxes at the end of the block.

    Raises:
        Exception: the block raised it, or else a listener that no run could be ended for.
    """
    raised: Exception | None = None
    background = BackgroundEvents()
    async with AsyncioBridge() as bridge, anyio.create_task_group() as tasks:
        pool = SandboxPool(settings, bridge, tasks, background)
        tasks.start_soon(pool.maintain)
        try:
            yield pool
        except Exception as error:  # noqa: BLE001  # raised below as it is, not in a group
            raised = error
        finally:
            with anyio.CancelScope(shield=True):
                await pool.close()
            tasks.cancel_scope.cancel()
    background.raise_errors(raised)
