"""Functions of asyncio called from either event loop, which each test runs itself."""

import asyncio
import threading
import time

import anyio
import pytest

from planish_integrations.sandboxes.e2b._asyncio_bridge import AsyncioBridge

LOOPS = ("asyncio", "trio")


async def add(one: int, other: int = 0) -> int:
    await asyncio.sleep(0)
    return one + other


async def fail() -> None:
    await asyncio.sleep(0)
    raise KeyError("reason")


async def own_thread() -> threading.Thread:
    await asyncio.sleep(0)
    return threading.current_thread()


@pytest.mark.parametrize("loop", LOOPS)
def test_a_function_of_asyncio_returns_its_result_in_either_loop(loop: str) -> None:
    async def main() -> int:
        async with AsyncioBridge() as bridge:
            return await bridge.call(add, 1, other=2)

    assert anyio.run(main, backend=loop) == 3


@pytest.mark.parametrize("loop", LOOPS)
def test_its_error_is_the_error_of_the_call(loop: str) -> None:
    async def main() -> None:
        async with AsyncioBridge() as bridge:
            with pytest.raises(KeyError, match="reason"):
                await bridge.call(fail)

    anyio.run(main, backend=loop)


@pytest.mark.parametrize("loop", LOOPS)
def test_after_the_block_no_thread_runs_an_event_loop(loop: str) -> None:
    async def main() -> None:
        async with AsyncioBridge() as bridge:
            used = await bridge.call(own_thread)
            assert used.is_alive()
        assert used.is_alive() == (used is threading.current_thread()) == (loop == "asyncio")

    anyio.run(main, backend=loop)


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("raises", [False, True])
def test_a_cancelled_call_has_ended_and_ends_as_cancelled(loop: str, *, raises: bool) -> None:
    seen: list[str] = []

    async def endless() -> None:
        seen.append("begun")
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            time.sleep(0.05)  # noqa: ASYNC251  # what it takes to end
            seen.append("ended")
            if raises:
                raise OSError("in place of it") from None
            raise

    async def main() -> bool:
        async with AsyncioBridge() as bridge:
            with anyio.move_on_after(30) as patience:
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(bridge.call, endless)
                    while not seen:  # noqa: ASYNC110  # of another thread
                        await anyio.sleep(0.01)
                    tasks.cancel_scope.cancel()
            assert seen == ["begun", "ended"]
            assert await bridge.call(add, 1) == 1
        return patience.cancelled_caught

    assert anyio.run(main, backend=loop) is False


@pytest.mark.parametrize("loop", LOOPS)
def test_the_thread_ends_also_where_the_block_is_cancelled(loop: str) -> None:
    async def main() -> bool:
        bridge, used = AsyncioBridge(), threading.current_thread()
        with anyio.CancelScope() as scope:
            async with bridge:
                used = await bridge.call(own_thread)
                scope.cancel()
        return used is threading.current_thread() or not used.is_alive()

    assert anyio.run(main, backend=loop)
