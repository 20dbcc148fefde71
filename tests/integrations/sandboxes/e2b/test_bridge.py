"""Functions of asyncio called from either event loop, which each test runs itself."""

import asyncio
import threading

import anyio
import pytest

from planish_integrations.sandboxes.e2b._bridge import Bridge

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
        async with Bridge() as bridge:
            return await bridge.call(add, 1, other=2)

    assert anyio.run(main, backend=loop) == 3


@pytest.mark.parametrize("loop", LOOPS)
def test_its_error_is_the_error_of_the_call(loop: str) -> None:
    async def main() -> None:
        async with Bridge() as bridge:
            with pytest.raises(KeyError, match="reason"):
                await bridge.call(fail)

    anyio.run(main, backend=loop)


@pytest.mark.parametrize("loop", LOOPS)
def test_after_the_block_no_thread_runs_an_event_loop(loop: str) -> None:
    async def main() -> None:
        async with Bridge() as bridge:
            used = await bridge.call(own_thread)
            assert used.is_alive()
        assert used.is_alive() == (used is threading.current_thread()) == (loop == "asyncio")

    anyio.run(main, backend=loop)
