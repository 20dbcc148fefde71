"""Connections belong to one event loop, are shared within it, and are closed with it."""

import gc
import threading
from dataclasses import dataclass, field

import anyio
import anyio.abc
import anyio.to_thread
import pytest
from tests.integrations.models.openai.loopback import Answer as Raw
from tests.integrations.models.openai.loopback import Loopback, Received, completion
from tests.integrations.models.transport.protocols import LOOPBACK_NAMES, MODELS

from planish.data import Message, Request
from planish_integrations.models.transport import HttpModel
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
    long = Request(messages=(Message("user", "x" * 20_000_000),))
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
