"""What the transport costs: requests a second through a model beside bare httpx."""

import statistics
import time
from collections.abc import Awaitable, Callable

import anyio
import httpx
import pytest

from planish.data import Message, Request
from planish_integrations.openai import OpenAIModel
from planish_integrations.testing import LoopbackProvider

pytestmark = pytest.mark.benchmark

ASK = Request(messages=(Message("user", "hello " * 200),))
REQUESTS = 100
AT_ONCE = 50
SECONDS = 0.02  # that an answer takes: a provider that takes none measures only the processor
ROUNDS = 3
LEAST = 0.6  # of bare httpx; 0.9 is the aim, and what a machine at rest shows

Load = Callable[[], Awaitable[None]]


async def all_of(one: Load) -> float:
    """Seconds that the whole load takes, so many at once."""
    limiter = anyio.CapacityLimiter(AT_ONCE)

    async def limited() -> None:
        async with limiter:
            await one()

    began = time.perf_counter()
    async with anyio.create_task_group() as group:
        for _ in range(REQUESTS):
            group.start_soon(limited)
    return time.perf_counter() - began


async def measure() -> tuple[float, float]:
    """Median share of the rate of bare httpx, and median seconds through the model, in turn."""
    taken: dict[str, list[float]] = {"bare": [], "ours": []}
    async with LoopbackProvider("print('hello')\n" * 40, seconds=SECONDS) as server:
        url = server.url("openai")
        model = OpenAIModel("m", base_url=url, api_key="k")
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=256)
        body = {"model": "m", "messages": [{"role": "user", "content": ASK.messages[0].content}]}

        async def bare() -> None:
            response = await client.post(f"{url}/chat/completions", json=body, timeout=60.0)
            assert response.json()["choices"][0]["message"]["content"]

        async def ours() -> None:
            assert (await model.reply(ASK)).text

        async with httpx.AsyncClient(limits=limits) as client, model:
            for _ in range(ROUNDS):
                taken["bare"].append(await all_of(bare))
                taken["ours"].append(await all_of(ours))
    # Round by round: what else the machine does changes from one round to the next.
    shares = [bare / ours for bare, ours in zip(taken["bare"], taken["ours"], strict=True)]
    return statistics.median(shares), statistics.median(taken["ours"])


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_the_throughput_is_that_of_bare_httpx(backend: str) -> None:
    share, ours = anyio.run(measure, backend=backend)
    print(f"{backend}: {REQUESTS / ours:.0f} requests/s, {share:.2f} of bare httpx's")
    assert share >= LEAST
