"""Finish a clean-up however often the task that needs it is cancelled.

A room of its own, because every sandbox that cleans up with awaits needs it.
"""

from collections.abc import Awaitable, Callable

import anyio

__all__ = ["run_to_end"]


async def run_to_end(function: Callable[[], Awaitable[object]]) -> None:
    """Call an async function and wait for its end; a cancellation is raised after that.

    A shielded scope alone does not keep out asyncio's own `Task.cancel`, which reaches the task
    itself; so the function runs in another task.

    Args:
        function: The clean-up.

    Raises:
        Exception: what the function raises, unless the task is cancelled.
    """
    errors: list[Exception] = []

    async def shielded() -> None:
        with anyio.CancelScope(shield=True):
            try:
                await function()
            except Exception as error:  # noqa: BLE001  # raised below, out of the task group
                errors.append(error)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(shielded)
    if errors:
        raise errors[0]
