"""Connections belong to one event loop, are shared within it, and are closed with it."""

import gc
import pickle
import threading
import time
from dataclasses import dataclass, field
from typing import Any

import anyio
import anyio.abc
import anyio.to_thread
import pytest
from tests.integrations.models.openai.loopback import Answer as Raw
from tests.integrations.models.openai.loopback import Loopback, Received, completion
from tests.integrations.models.transport.protocols import LOOPBACK_NAMES, MODELS

from planish.data import Message, Request
from planish_integrations.models.transport import Breaker, HttpModel, RateLimiter
from planish_integrations.testing import LoopbackProvider

pytestmark = pytest.mark.both_loops

ASK = Request(messages=(Message("user", "hello"),))


@pytest.mark.anyio
@pytest.mark.parametrize("protocol", MODELS)
async def test_an_entered_model_uses_one_connection_for_all(protocol: str) -> None:
    async with LoopbackProvider("hi") as server:
        model = MODELS[protocol]("m", base_url=server.url(LOOPBACK_NAMES[protocol]), api_key="")
        async with model:
            for _ in range(3):
                await model.reply(ASK)
                await model.reply(ASK, list[str]().append)
                assert server.open == 1
        with anyio.fail_after(10):
            while server.open:  # noqa: ASYNC110  # until the server has seen it close
                await anyio.sleep(0.01)


@pytest.mark.anyio
@pytest.mark.parametrize("protocol", MODELS)
async def test_requests_at_once_share_connections_and_leave_none(protocol: str) -> None:
    async with LoopbackProvider("hi", seconds=0.02) as server:
        model = MODELS[protocol]("m", base_url=server.url(LOOPBACK_NAMES[protocol]), api_key="")
        ports: set[int] = set()

        async def ask_often() -> None:
            for _ in range(10):
                await model.reply(ASK)
                ports.add(server.open)

        async with anyio.create_task_group() as group:
            for _ in range(5):
                group.start_soon(ask_often)
        assert max(ports) <= 6  # of 50 requests: five, and the one that may be closing
        with anyio.fail_after(10):
            while server.open:  # noqa: ASYNC110  # until the server has seen them close
                await anyio.sleep(0.01)


@pytest.mark.anyio
async def test_leaving_a_model_lets_a_request_under_way_end() -> None:
    async with LoopbackProvider("hi", seconds=0.2) as server:
        model = MODELS["chat"]("m", base_url=server.url("openai"), api_key="")
        async with anyio.create_task_group() as group, model:
            group.start_soon(model.reply, ASK)
            with anyio.fail_after(10):
                while not server.requests:  # noqa: ASYNC110  # until it has been sent
                    await anyio.sleep(0.01)
        assert server.served == 1


@pytest.mark.anyio
async def test_two_models_have_connections_of_their_own() -> None:
    async with LoopbackProvider("hi") as server:
        models = [MODELS["chat"]("m", base_url=server.url("openai"), api_key="") for _ in "ab"]
        async with models[0], models[1]:
            for model in models:
                await model.reply(ASK)
            assert server.open == 2


@dataclass
class Loops:
    """One model in two event loops at once, each in a thread of its own."""

    model: HttpModel
    texts: list[str] = field(default_factory=list[str])
    errors: list[BaseException] = field(default_factory=list[BaseException])
    barrier: threading.Barrier = field(default_factory=lambda: threading.Barrier(2, timeout=30))

    async def run(self) -> None:
        async with self.model:
            await self.model.reply(ASK)
            await anyio.to_thread.run_sync(self.barrier.wait)  # both are entered now
            self.texts.append((await self.model.reply(ASK)).text)

    def thread(self, backend: str) -> None:
        try:
            anyio.run(self.run, backend=backend)
        except BaseException as error:  # noqa: BLE001  # of a thread; raised by the test
            self.errors.append(error)


def test_one_model_is_entered_in_two_event_loops_at_once(server: Loopback) -> None:
    def answer(_: Received) -> Raw:
        return completion("hi")

    server.otherwise = answer
    loops = Loops(MODELS["chat"]("m", base_url=server.url, api_key=""))
    threads = [threading.Thread(target=loops.thread, args=(b,)) for b in ("asyncio", "trio")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert loops.errors == []
    assert loops.texts == ["hi", "hi"]
    assert server.connections == 2
    assert server.closes_within(10.0)


@pytest.mark.anyio
@pytest.mark.parametrize("protocol", MODELS)
async def test_cancelled_while_it_sends_it_leaves_nothing_unfinished(protocol: str) -> None:
    long = Request(messages=(Message("user", "x" * 12_000_000),))
    listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
    port = listener.extra(anyio.abc.SocketAttribute.local_port)  # noqa: S610  # no Django
    received = anyio.Event()

    async def read_little(client: anyio.abc.SocketStream) -> None:
        async with client:
            for _ in range(3):  # the header, and some of the body
                await client.receive()
            received.set()
            await anyio.sleep_forever()

    async with listener, anyio.create_task_group() as group:
        group.start_soon(listener.serve, read_little)
        model = MODELS[protocol]("m", base_url=f"http://127.0.0.1:{port}", api_key="k")
        group.start_soon(model.reply, long)
        await received.wait()
        group.cancel_scope.cancel()
    gc.collect()  # what was left unfinished would be warned of, and fail this test


@dataclass
class Busy:
    """Answers slowly, in the threads of a server, and counts how many requests are under way."""

    now: int = 0
    most: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, _: Received) -> Raw:
        with self.lock:
            self.now += 1
            self.most = max(self.most, self.now)
        time.sleep(0.01)
        with self.lock:
            self.now -= 1
        return completion("hi")


@pytest.mark.anyio
async def test_a_limit_holds_for_all_models_at_one_host(server: Loopback) -> None:
    server.otherwise = busy = Busy()
    options: dict[str, Any] = {"base_url": server.url, "api_key": ""}
    models = [MODELS["chat"](name, max_connections=4, **options) for name in "abc"]
    async with anyio.create_task_group() as group:
        for model in models * 20:
            group.start_soon(model.reply, ASK)
    assert len(server.requests) == 60
    assert busy.most == 4


@pytest.mark.anyio
async def test_a_request_that_is_cancelled_while_it_waits_leaves_its_turn_to_others() -> None:
    async with LoopbackProvider("hi", seconds=0.05) as server:
        url = server.url("openai")
        narrow = MODELS["chat"]("m", base_url=url, api_key="", max_connections=1)
        wide = MODELS["chat"]("m", base_url=url, api_key="", max_connections=2)
        scopes: list[anyio.CancelScope] = []

        async def give_up() -> None:
            with anyio.CancelScope() as scope:
                scopes.append(scope)
                await narrow.reply(ASK)

        with anyio.fail_after(10):
            async with anyio.create_task_group() as group:
                group.start_soon(narrow.reply, ASK)
                await anyio.wait_all_tasks_blocked()
                group.start_soon(give_up)
                await anyio.wait_all_tasks_blocked()
                group.start_soon(wide.reply, ASK)
                scopes[0].cancel()
            await narrow.reply(ASK)
            async with anyio.create_task_group() as group:
                for model in (narrow, wide) * 10:
                    group.start_soon(model.reply, ASK)
                await anyio.wait_all_tasks_blocked()
                group.cancel_scope.cancel()
            await narrow.reply(ASK)  # no turn was lost


@pytest.mark.parametrize("limit", [0, -1])
def test_a_wrong_limit_is_refused(limit: int) -> None:
    with pytest.raises(ValueError, match="max_connections"):
        MODELS["chat"]("m", api_key="k", max_connections=limit)


def test_what_models_share_travels_without_its_locks() -> None:
    shared: dict[str, Any] = {
        "rate_limiter": RateLimiter(requests=60, tokens=1000, burst=2.0),
        "breaker": Breaker(failures=3, seconds=9.0),
    }
    models = [MODELS["chat"]("m", base_url="http://x/v1", api_key="", **shared) for _ in "ab"]
    first, second = pickle.loads(pickle.dumps(models))  # noqa: S301  # our own bytes
    assert repr(first) == repr(models[0])
    assert first._policy.rate_limiter == shared["rate_limiter"]
    assert first._policy.breaker == shared["breaker"]
    assert first._policy.rate_limiter is second._policy.rate_limiter
