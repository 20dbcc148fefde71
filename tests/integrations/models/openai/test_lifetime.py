"""Nothing outlives a request: the `server` fixture fails a test that leaves a connection open."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, nullcontext

import anyio
import httpx
import pytest
from tests.integrations.models.openai.loopback import (
    DONE,
    EVENTS,
    Answer,
    Loopback,
    Received,
    chunk,
    completion,
    error_response,
    events,
)

from planish.data.message import Message, Reply, Request
from planish.errors import ModelError
from planish.testing.clock import FakeClock
from planish_integrations.openai import Backoff, OpenAIModel

pytestmark = pytest.mark.both_loops

ASK = Request(messages=(Message("user", "hello"),))
ModelAt = Callable[..., OpenAIModel]


def ask(text: str) -> Request:
    return Request(messages=(Message("user", text),))


def echo(received: Received) -> Answer:
    """The last message, whole or letter by letter."""
    text = received.json["messages"][-1]["content"]
    if not received.json.get("stream"):
        return completion(text)
    letters = [chunk(letter) for letter in text]
    cuts = tuple(range(len(letters[0]), sum(map(len, letters)), len(letters[0])))
    return events(*letters, chunk(finish="stop"), DONE, cuts=cuts, pause=0.002)


def kept(model: OpenAIModel, *, pooled: bool) -> AbstractAsyncContextManager[object]:
    """The model entered, or as it is."""
    return model if pooled else nullcontext()


async def cancel_once_asked(model: OpenAIModel, server: Loopback) -> None:
    """Ask, and cancel a little after the request has arrived."""
    async with anyio.create_task_group() as group:
        group.start_soon(model.reply, ASK, list[str]().append)
        while not server.requests:  # noqa: ASYNC110  # the server is a thread
            await anyio.sleep(0.01)
        await anyio.sleep(0.1)
        group.cancel_scope.cancel()


HANGING = [
    Answer(stop_after=-1, end="hang"),
    Answer(chunk("a"), stop_after=0, end="hang"),
    Answer(chunk("a"), headers=EVENTS, stop_after=len(chunk("a")), end="hang"),
    Answer(b'{"error"', status=400, stop_after=5, end="hang"),
]


@pytest.mark.anyio
@pytest.mark.parametrize("answer", HANGING)
@pytest.mark.parametrize("pooled", [False, True])
async def test_cancelling_closes_the_connection_at_once(
    answer: Answer,
    *,
    pooled: bool,
    server: Loopback,
    model_at: ModelAt,
) -> None:
    server.answers.append(answer)
    model = model_at()
    async with kept(model, pooled=pooled):
        await cancel_once_asked(model, server)
        assert server.connections == 1
        assert server.closes_within(10.0)


@pytest.mark.anyio
async def test_cancelling_ends_the_wait_between_two_tries(server: Loopback) -> None:
    server.answers.append(error_response(429, headers={"retry-after": "50"}))
    model = OpenAIModel("m", base_url=server.url, api_key="k")  # with the real clock
    with anyio.fail_after(10.0):
        await cancel_once_asked(model, server)
    assert len(server.requests) == 1


@pytest.mark.anyio
async def test_real_waits_are_real(server: Loopback) -> None:
    server.answers += [error_response(429, headers={"retry-after-ms": "200"}), completion()]
    model = OpenAIModel("m", base_url=server.url, api_key="k")
    started = anyio.current_time()
    await model.reply(ASK)
    assert 0.2 <= anyio.current_time() - started < 10.0


@pytest.mark.anyio
async def test_each_request_has_its_own_connection_and_closes_it(
    server: Loopback, model_at: ModelAt
) -> None:
    server.otherwise = echo
    model = model_at()
    for n in (1, 2):
        await model.reply(ASK)
        assert server.closes_within(10.0)
        assert server.connections == n


@pytest.mark.anyio
async def test_an_entered_model_keeps_its_connection_until_it_is_left(
    server: Loopback, model_at: ModelAt
) -> None:
    server.otherwise = echo
    async with model_at() as model:
        for _ in range(3):
            await model.reply(ASK)
            await model.reply(ASK, list[str]().append)
        assert (server.connections, server.open) == (1, 1)
    assert server.closes_within(10.0)
    await model.reply(ASK)
    assert server.connections == 2


@pytest.mark.anyio
async def test_an_entered_model_drops_the_connection_of_an_answer_it_does_not_read(
    server: Loopback, model_at: ModelAt
) -> None:
    page = Answer(b"x" * 1000, headers={"content-type": "text/html"}, stop_after=9, end="hang")
    server.answers.append(page)
    async with model_at(backoff=Backoff(tries=1)) as model:
        with pytest.raises(ModelError):
            await model.reply(ASK)
        assert server.closes_within(10.0)


@pytest.mark.anyio
async def test_a_model_is_entered_once(server: Loopback, model_at: ModelAt) -> None:
    async with model_at() as model:
        with pytest.raises(RuntimeError, match="already entered"):
            async with model:
                pass
        server.answers.append(completion())
        await model.reply(ASK)
    async with model:
        pass
    await model.__aexit__(None, None, None)  # once more is no harm


@pytest.mark.anyio
async def test_waiting_for_a_users_busy_client_is_no_trouble(
    server: Loopback, model_at: ModelAt, clock: FakeClock
) -> None:
    letters = [chunk("a")] * 15
    cuts = tuple(n * len(letters[0]) for n in range(15))
    slow = events(*letters, chunk(finish="stop"), DONE, cuts=cuts, pause=0.1)
    server.answers += [slow, slow]
    async with httpx.AsyncClient(limits=httpx.Limits(max_connections=1)) as client:
        model = model_at(client=client, timeout=1.0)
        async with anyio.create_task_group() as group:
            group.start_soon(model.reply, ASK, list[str]().append)
            group.start_soon(model.reply, ASK, list[str]().append)
    assert clock.sleeps == []


@pytest.mark.anyio
async def test_a_server_that_stays_after_the_last_event_is_not_waited_for(
    server: Loopback, model_at: ModelAt
) -> None:
    body = chunk("a", "stop") + DONE
    server.answers.append(Answer(body, headers=EVENTS, stop_after=len(body), end="hang"))
    with anyio.fail_after(10.0):
        assert (await model_at().reply(ASK, list[str]().append)).text == "a"
    assert server.closes_within(10.0)


@pytest.mark.anyio
@pytest.mark.parametrize("pooled", [False, True])
async def test_many_at_once_do_not_mix(
    *,
    pooled: bool,
    server: Loopback,
    model_at: ModelAt,
) -> None:
    server.otherwise = echo
    model, replies = model_at(), dict[str, Reply]()
    pieces: dict[str, list[str]] = {str(n) * 8: [] for n in range(100, 140)}

    async def one(text: str) -> None:
        replies[text] = await model.reply(ask(text), pieces[text].append)

    async with kept(model, pooled=pooled), anyio.create_task_group() as group:
        for text in pieces:
            group.start_soon(one, text)
    assert {text: reply.text for text, reply in replies.items()} == {t: t for t in pieces}
    assert all("".join(got) == text for text, got in pieces.items())


@pytest.mark.anyio
async def test_an_entered_model_holds_no_request_back(server: Loopback, model_at: ModelAt) -> None:
    server.answers += [Answer(stop_after=-1, end="hang")] * 5
    async with model_at() as model, anyio.create_task_group() as group:
        for _ in range(5):
            group.start_soon(model.reply, ASK)
        with anyio.fail_after(10.0):
            while len(server.requests) < 5:  # noqa: ASYNC110  # the server is a thread
                await anyio.sleep(0.01)
        group.cancel_scope.cancel()


@pytest.mark.anyio
async def test_pieces_come_while_the_answer_is_still_being_written(
    server: Loopback, model_at: ModelAt
) -> None:
    server.answers.append(
        Answer(chunk("early"), headers=EVENTS, stop_after=len(chunk("early")), end="hang")
    )
    early = anyio.Event()

    def heard(_: str) -> None:
        early.set()

    async with anyio.create_task_group() as group:
        group.start_soon(model_at().reply, ASK, heard)
        with anyio.fail_after(10.0):
            await early.wait()
        group.cancel_scope.cancel()


def test_one_model_serves_one_event_loop_after_the_other(
    server: Loopback, model_at: ModelAt
) -> None:
    server.otherwise = echo
    model = model_at()
    for backend in ("asyncio", "trio", "asyncio"):
        assert anyio.run(model.reply, ASK, backend=backend).text == "hello"
