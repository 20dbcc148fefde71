"""Event loops other than asyncio's: the code's coroutines run in the loop of the tests."""

from tests.honesty.program import checks

__all__ = ["PROGRAMS"]

PROGRAMS = (
    checks(
        "trio: tasks of the code in a nursery of the tests",
        """
import trio

async def doubled(n, out):
    await trio.sleep(0.01)
    out.append(n * 2)

async def first(*functions):
    async with trio.open_nursery() as nursery:
        send, receive = trio.open_memory_channel(len(functions))
        async def one(function):
            await send.send(await function())
        for function in functions:
            nursery.start_soon(one, function)
        found = await receive.receive()
        nursery.cancel_scope.cancel()
    return found
""",
        """
import trio
async def main():
    out = []
    async with trio.open_nursery() as nursery:
        for n in range(3):
            nursery.start_soon(doubled, n, out)
    return sorted(out)
assert trio.run(main) == [0, 2, 4]
async def slow():
    await trio.sleep(60)
async def quick():
    return "quick"
assert trio.run(first, slow, quick) == "quick"
""",
        wrong=("n * 2", "n * 3"),
    ),
    checks(
        "anyio: the same code on both event loops",
        """
import anyio

async def within(seconds, function):
    with anyio.move_on_after(seconds):
        return await function()
    return "late"
""",
        """
import anyio
async def hang():
    await anyio.sleep(60)
async def answer():
    return "here"
for backend in ("asyncio", "trio"):
    assert anyio.run(within, 0.05, hang, backend=backend) == "late"
    assert anyio.run(within, 30, answer, backend=backend) == "here"
""",
        wrong=('return "late"', "return None"),
    ),
)
