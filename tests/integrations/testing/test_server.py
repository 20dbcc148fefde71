"""The server itself: recordings, cuts, what it says at its end, many clients, nothing left."""

import json
from collections.abc import Callable
from pathlib import Path

import anyio
import httpx
import psutil
import pytest
from tests.integrations.testing.clients import PROTOCOLS, ask, read, url_of

from planish_integrations.testing import (
    Answer,
    LoopbackProvider,
    ProtocolName,
    ReceivedRequest,
    recorded_answers,
)

pytestmark = pytest.mark.anyio
KEY = "sk-canary-000"


async def test_recorded_exchanges_are_replayed_byte_for_byte(
    http: httpx.AsyncClient, shared_data: Callable[[str], Path]
) -> None:
    path = shared_data("wire/exchanges_dev.jsonl")
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    answers = recorded_answers(path)
    assert len(answers) == len(rows) > 100
    async with LoopbackProvider(answers) as server:
        for row in rows:
            answer = await ask(http, server, "openai", stream=False)
            assert answer.status_code == row["status"]
            if row["response_text"] is not None:
                assert answer.content.decode() == row["response_text"]
            else:
                assert answer.json() == row["response_json"]
            assert answer.headers["content-type"] == (row["content_type"] or "application/json")
    assert server.served == len(rows)
    streams = [answer for answer in answers if answer.stream]
    assert sum(len(answer.pieces) for answer in streams) > 10 * len(streams)


async def test_recordings_are_chosen_by_their_api(shared_data: Callable[[str], Path]) -> None:
    path = shared_data("wire/exchanges_dev.jsonl")
    assert 0 < len(recorded_answers(path, api="ollama.chat")) < len(recorded_answers(path))
    attested = recorded_answers(shared_data("wire/attested_errors.jsonl"))
    assert [answer.status for answer in attested] == [529, 200, 429, 200, 429]


def test_a_recording_without_a_body_is_refused() -> None:
    with pytest.raises(ValueError, match="without a body"):
        recorded_answers([{"status": 200}])


@pytest.mark.parametrize("cuts", [1, 7, (3, 5, 1000, 4), None])
async def test_bodies_are_cut_where_they_are_told_to_be(
    http: httpx.AsyncClient, cuts: int | tuple[int, ...] | None
) -> None:
    text = "漢字" * 20
    answer = Answer(pieces=(text.encode(),), headers={"content-type": "text/plain"})
    async with LoopbackProvider(answer, cuts=cuts) as server:
        url = url_of(server, "openai", stream=False)
        async with http.stream("POST", url, json={}) as response:
            pieces = [piece async for piece in response.aiter_raw()]
    assert b"".join(pieces).decode() == text
    sizes = [len(piece) for piece in pieces]
    expected = {1: [1] * 120, 7: [7] * 17 + [1], None: [120]}
    assert sizes == (expected[cuts] if not isinstance(cuts, tuple) else [3, 1, 1, 115])


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_a_cut_at_every_byte_changes_nothing(
    http: httpx.AsyncClient, protocol: ProtocolName
) -> None:
    async with LoopbackProvider("some é text, 漢字, in pieces", cuts=1) as server:
        answer = await ask(http, server, protocol, stream=True)
    assert read(protocol, answer, stream=True).text == "some é text, 漢字, in pieces"


async def test_replies_left_over_are_an_error(http: httpx.AsyncClient) -> None:
    with pytest.raises(AssertionError, match="1 replies were not requested"):
        async with LoopbackProvider(["one", "two"]) as server:
            await ask(http, server, "openai", stream=False)


async def test_a_reply_too_few_is_an_error(http: httpx.AsyncClient) -> None:
    server = LoopbackProvider(["one"])
    with pytest.raises(AssertionError, match="1 requests more than replies"):  # noqa: PT012  # of the block's end
        async with server:
            await ask(http, server, "openai", stream=False)
            answer = await ask(http, server, "openai", stream=False)
            assert answer.status_code == 410  # which no client sends again
    assert server.served == 1


async def test_the_tests_own_error_is_not_hidden() -> None:
    with pytest.raises(ZeroDivisionError):
        async with LoopbackProvider(["never asked for"]):
            raise ZeroDivisionError


async def test_an_unknown_path_is_not_found(http: httpx.AsyncClient) -> None:
    async with LoopbackProvider("ok") as server:
        assert (await http.post(f"{server.url('openai')}/embeddings", json={})).status_code == 404
        assert (await http.get(url_of(server, "openai", stream=False))).status_code == 404
    assert [request.protocol for request in server.requests] == [None, "openai"]
    assert server.served == 0


async def test_the_repr_of_a_request_shows_no_key(http: httpx.AsyncClient) -> None:
    names = ("authorization", "x-api-key", "x-goog-api-key", "api-key")
    async with LoopbackProvider("ok") as server:
        url = f"{url_of(server, 'gemini', stream=False)}?key={KEY}"
        await http.post(url, json={}, headers=dict.fromkeys(names, KEY))
    [request] = server.requests
    assert KEY not in repr(request)
    assert KEY not in repr(server)
    assert [request.headers[name] for name in names] == [KEY] * 4
    assert request.query == f"key={KEY}"


async def test_two_hundred_clients_at_once_each_get_their_own() -> None:
    texts: dict[int, str] = {}
    all_open = anyio.Event()

    async def one(http: httpx.AsyncClient, url: str, number: int) -> None:
        body = {"model": f"m{number}", "stream": True, "stream_options": {"include_usage": True}}
        async with http.stream("POST", url, json=body) as response:
            await all_open.wait()  # a connection whose reply is read would serve another request
            await response.aread()
        texts[number] = read("openai", response, stream=True).text

    def reply(received: ReceivedRequest) -> str:
        return f"for {received.json['model']}"

    limits = httpx.Limits(max_connections=None)
    async with LoopbackProvider(reply) as server:
        url = url_of(server, "openai", stream=True)
        async with (
            httpx.AsyncClient(trust_env=False, timeout=60, limits=limits) as http,
            anyio.create_task_group() as tasks,
        ):
            for number in range(200):
                tasks.start_soon(one, http, url, number)
            with anyio.fail_after(60):
                while server.open < 200:  # noqa: ASYNC110  # it has no event for that
                    await anyio.sleep(0.01)
            all_open.set()
        with anyio.fail_after(20):
            while server.open:  # noqa: ASYNC110
                await anyio.sleep(0.01)
    assert texts == {number: f"for m{number}" for number in range(200)}
    assert server.served == 200


async def test_one_connection_serves_many_requests(http: httpx.AsyncClient) -> None:
    async with LoopbackProvider("ok") as server:
        for protocol in PROTOCOLS:
            await ask(http, server, protocol, stream=True)
        assert server.open == 1


async def test_nothing_is_left_of_it() -> None:
    process = psutil.Process()
    before = process.num_fds()
    port = 0
    for _ in range(3):
        async with httpx.AsyncClient(trust_env=False) as http, LoopbackProvider("ok") as server:
            await ask(http, server, "openai", stream=False)
            port = server.port
    assert process.num_fds() == before
    with pytest.raises(OSError, match=r".+"):
        await anyio.connect_tcp("127.0.0.1", port)


async def test_cancelling_the_block_ends_it() -> None:
    with anyio.move_on_after(0.1) as scope:
        async with LoopbackProvider("ok"):
            await anyio.sleep_forever()
    assert scope.cancelled_caught


async def test_it_must_be_entered_to_refuse() -> None:
    with pytest.raises(RuntimeError, match="enter it first"):
        async with LoopbackProvider("ok").refusing():
            pass
