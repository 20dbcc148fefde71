"""Calls of E2B's SDK, which runs on asyncio only, from either event loop.

On asyncio a call is awaited directly. On trio it runs in a thread with an asyncio loop; cancelling
the caller cancels the call there and waits for its end.
"""

from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from contextlib import suppress
from types import TracebackType
from typing import ParamSpec, Self, TypeVar

import anyio
import anyio.lowlevel
import anyio.to_thread
from anyio.from_thread import BlockingPortal, start_blocking_portal

__all__ = ["AsyncioBridge"]

P = ParamSpec("P")
T = TypeVar("T")


def _on_asyncio() -> bool:
    return anyio.get_cancelled_exc_class().__module__.startswith("asyncio")


class AsyncioBridge:
    """Run calls on asyncio while the block lasts."""

    def __init__(self) -> None:
        self._portal: BlockingPortal | None = None
        self._thread = start_blocking_portal("asyncio")

    async def __aenter__(self) -> Self:
        if not _on_asyncio():
            self._portal = await anyio.to_thread.run_sync(self._thread.__enter__)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._portal is not None:
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(self._thread.__exit__, None, None, None)

    async def call(
        self, function: Callable[P, Awaitable[T]], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Call one of the SDK's async functions.

        Raises:
            Exception: what it raises. A call that is cancelled ends as cancelled, whatever the
                SDK makes of it.
        """

        async def called() -> T:
            return await function(*args, **kwargs)

        try:
            if self._portal is None:
                return await called()
            return await _in_portal(self._portal, called)
        except Exception:  # a cancellation goes before what the call raised because of it
            await anyio.lowlevel.checkpoint_if_cancelled()
            raise


async def _in_portal(portal: BlockingPortal, called: Callable[[], Awaitable[T]]) -> T:
    """Run a call in the portal's event loop and wait for its end there, also when cancelled."""
    ended = anyio.Event()
    here = BlockingPortal()

    async def there() -> T:
        try:
            return await called()
        finally:
            with suppress(RuntimeError):
                here.start_task_soon(ended.set)

    started: list[Future[T]] = []
    async with here:
        # Each event loop waits for the other to take a call in: so this one never waits itself.
        running = await anyio.to_thread.run_sync(portal.start_task_soon, there)
        started.append(running)
        try:
            await ended.wait()
        finally:
            if not ended.is_set():
                with anyio.CancelScope(shield=True):
                    await anyio.to_thread.run_sync(running.cancel)
                    await ended.wait()
    return started[0].result()
