"""The sandboxes of one block: made at the pace of the plan, leased, rotated, and all killed."""

import math
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from uuid import uuid4

import anyio
import anyio.abc

from planish.errors import PlanishError, UnsupportedError

from ._box import Box, patiently
from ._branch import Branch, Leases
from ._bridge import Bridge
from ._sdk import the_sdk
from ._settings import Settings
from ._trouble import BusyError, typed

__all__ = ["MARGIN", "Fleet", "fleet"]

MARGIN = 30.0  # seconds a sandbox has to live longer than the program it is to run
_LOOK = 1.0  # seconds between two looks for sandboxes that nobody needs any more
_SLOW = 5.0  # seconds to wait after a warm sandbox could not be made


class _Making:
    """A sandbox that is being made, and who waits for it."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.done = anyio.Event()
        self.wanted = True
        self.box: Box | None = None
        self.error: PlanishError | None = None


class Fleet:
    """All sandboxes of one block of `async with`, or of one run."""

    def __init__(self, settings: Settings, bridge: Bridge, tasks: anyio.abc.TaskGroup) -> None:
        self.settings = settings
        self._bridge = bridge
        self._tasks = tasks
        self._id = uuid4().hex
        self._warm: list[Box] = []
        self._leases = Leases()
        self._count = 0  # that exist, or are being made or killed
        self._turn = 0.0  # when the next one may be made
        self._changed = anyio.Event()
        self._closed = anyio.Event()
        self._doubtful = False

    async def acquire(self, seconds: float, *, fresh: bool = False) -> Box:
        """A sandbox for the caller alone, that lives so long at least.

        Args:
            seconds: How long it is needed.
            fresh: Nothing has ever run in it.

        Raises:
            SandboxError: E2B was busy for all of the plan's patience.
            AuthenticationError: it refused the key.
            RequestError: it refused the request: there is no such template.
            UnsupportedError: the plan lets no sandbox live so long.
        """
        needed = seconds + MARGIN
        if needed > self.settings.plan.longest:
            raise UnsupportedError(
                f"a run of {seconds:g} s needs a sandbox for {needed:g} s, and the plan allows "
                f"{self.settings.plan.longest:g}: E2BSandbox(plan=...)"
            )
        while True:
            box = None if fresh else self._leases.take(Branch.current())
            box = box or (self._warm.pop(0) if self._warm else None)
            if box is None:
                if self._count < self.settings.plan.concurrency:
                    return await self._made(needed)
                spare = self._leases.oldest()
                if spare is None:
                    await self._changed.wait()
                else:
                    await self.discard(spare)
                continue
            self._tell()
            if box.left >= needed:
                return box
            await self.discard(box)  # rotated: it would die under the program

    def give_back(self, box: Box) -> None:
        """The program ended well: the same branch may have it again, and no other."""
        if self.settings.reuse and not self._closed.is_set():
            self._leases.give(Branch.current(), box)
            self._tell()
        else:
            self._tasks.start_soon(self.discard, box)

    async def discard(self, box: Box) -> None:
        """Kill a sandbox."""
        try:
            await box.kill()
        finally:
            self._count -= 1
            self._tell()

    def _tell(self) -> None:
        self._changed.set()
        self._changed = anyio.Event()

    async def _made(self, seconds: float) -> Box:
        making = _Making(seconds)
        self._begin(making)
        try:
            await making.done.wait()
        except BaseException:  # also cancelled: what was made for this is for others then
            making.wanted = False
            if making.box is not None:
                self._warm.append(making.box)
                self._tell()
            raise
        if making.error is not None:
            raise making.error
        assert making.box is not None  # noqa: S101  # one or the other
        return making.box

    def _begin(self, making: _Making) -> None:
        self._count += 1
        self._tasks.start_soon(self._make, making)

    async def _make(self, making: _Making) -> None:
        """Make one, to the end: whoever goes away meanwhile leaves a warm one behind."""
        with anyio.CancelScope(shield=True):
            try:
                key = uuid4().hex
                box = await patiently(
                    self.settings.plan.patience,
                    lambda: self._create(key, making.seconds),
                    self._slow,
                )
            except PlanishError as error:
                self._count -= 1
                making.error = error
            else:
                if making.wanted:
                    making.box = box
                else:
                    self._warm.append(box)
            making.done.set()
            self._tell()

    def _slow(self, seconds: float) -> None:
        """E2B is busy: all wait, not only who was told."""
        if self._closed.is_set():
            raise BusyError("the block ended while E2B was busy")
        self._turn = max(self._turn, time.monotonic() + seconds)

    async def _create(self, key: str, seconds: float) -> Box:
        """Ask for one, in turn; asked with the same key again, E2B gives the same one."""
        settings = self.settings
        at = max(self._turn, time.monotonic())
        self._turn = at + 1 / settings.plan.rate
        with anyio.move_on_after(max(0.0, at - time.monotonic())):
            await self._closed.wait()
        if self._closed.is_set():
            raise BusyError("the block ended before the sandbox was made")
        lifetime = min(max(settings.lifetime, seconds), settings.plan.longest)
        ends = time.monotonic() + lifetime
        try:
            sdk = await self._bridge.call(
                the_sdk().create,
                settings.template,
                timeout=math.ceil(lifetime),
                metadata={"planish": self._id},
                envs=dict(settings.env),
                allow_internet_access=settings.internet,
                idempotency_key=key,
                **settings.connection,
            )
        except Exception as error:  # noqa: BLE001  # the SDK raises what its layers raise
            self._doubtful = True
            raise typed(error, (settings.key,)) from None
        return Box(sdk, self._bridge, ends, settings.key)

    async def keep(self) -> None:
        """Keep as many warm as was asked for, and let go of what no branch needs any more."""
        while True:
            for box in [box for box in self._warm if box.left < MARGIN + _SLOW]:
                self._warm.remove(box)
                self._tasks.start_soon(self.discard, box)
            while (orphan := self._leases.orphan()) is not None:
                self._tasks.start_soon(self.discard, orphan)
            missing = self.settings.warm - len(self._warm)
            pause = _LOOK
            room = self._count < self.settings.plan.concurrency
            if missing > 0 and room and not self._closed.is_set():
                pause = await self._warm_up()
            with anyio.move_on_after(pause):
                await self._changed.wait()

    async def _warm_up(self) -> float:
        """One more; seconds to wait before the next."""
        making = _Making(self.settings.lifetime)
        making.wanted = False
        self._begin(making)
        await making.done.wait()
        return 0.0 if making.error is None else _SLOW

    async def close(self) -> None:
        """Kill all there are, those still being made included."""
        self._closed.set()
        async with anyio.create_task_group() as tasks:
            while self._count:
                while (box := self._warm.pop() if self._warm else self._leases.any()) is not None:
                    tasks.start_soon(self.discard, box)
                if self._count:
                    await self._changed.wait()
        if self._doubtful:
            await self._sweep()

    async def _sweep(self) -> None:
        """Kill what was made though nobody was told of it."""
        settings = self.settings
        sdk = the_sdk()

        async def sweep() -> None:
            from e2b import SandboxQuery  # noqa: PLC0415  # loaded by now

            pages = sdk.list(
                query=SandboxQuery(metadata={"planish": self._id}), **settings.connection
            )
            while pages.has_next:
                for found in await pages.next_items():
                    await sdk.kill(found.sandbox_id, **settings.connection)

        with anyio.move_on_after(MARGIN):
            try:
                await self._bridge.call(sweep)
            except Exception:  # noqa: BLE001  # out of reach: their time ends them
                return


@asynccontextmanager
async def fleet(settings: Settings) -> AsyncGenerator[Fleet, None]:
    """A fleet; at the end of the block nothing is left of it."""
    raised: Exception | None = None
    async with Bridge() as bridge, anyio.create_task_group() as tasks:
        all_of_it = Fleet(settings, bridge, tasks)
        tasks.start_soon(all_of_it.keep)
        try:
            yield all_of_it
        except Exception as error:  # noqa: BLE001  # raised below as it is, not in a group
            raised = error
        finally:
            with anyio.CancelScope(shield=True):
                await all_of_it.close()
            tasks.cancel_scope.cancel()
    if raised is not None:
        raise raised
