"""Each fault, as a client meets it."""

import json
from datetime import timedelta
from email.utils import parsedate_to_datetime
from itertools import pairwise
from time import monotonic
from typing import Any

import anyio
import httpx
import pytest
from tests.integrations.testing.clients import PROTOCOLS, ask, body_of, events, read, url_of

from planish_integrations.testing import (
    Fault,
    FaultKind,
    LoopbackProvider,
    ProtocolName,
    RandomFaults,
    RetryForm,
)

pytestmark = pytest.mark.anyio
TEXT = "é: a text that is long enough to come in several pieces, and to be cut"
BROKEN = (httpx.ReadError, httpx.RemoteProtocolError)


async def _pieces(
    http: httpx.AsyncClient, server: LoopbackProvider, protocol: ProtocolName = "openai"
) -> tuple[bytes, Exception | None]:
    """The body as far as it comes, and what ended it."""
    got = b""
    url, body = url_of(server, protocol, stream=True), body_of(protocol, stream=True)
    try:
        async with http.stream("POST", url, json=body) as answer:
            async for piece in answer.aiter_raw():
                got += piece
    except httpx.HTTPError as error:
        return got, error
    return got, None


async def test_dropped_is_a_reset_before_any_answer(http: httpx.AsyncClient) -> None:
    async with LoopbackProvider(TEXT, faults=[Fault.dropped()]) as server:
        with pytest.raises(httpx.ReadError):
            await ask(http, server, "openai", stream=False)
        assert (await ask(http, server, "openai", stream=False)).status_code == 200
    assert (len(server.requests), server.served, len(server.injected_faults)) == (2, 1, 1)


async def test_refusing_is_a_refused_connection_until_it_ends(http: httpx.AsyncClient) -> None:
    async with LoopbackProvider(TEXT) as server:
        assert (await ask(http, server, "openai", stream=False)).status_code == 200
        async with server.refusing():
            for _ in range(3):
                with pytest.raises(httpx.ConnectError):
                    await ask(http, server, "openai", stream=False)
        assert (await ask(http, server, "openai", stream=False)).status_code == 200
    assert len(server.requests) == 2


@pytest.mark.parametrize("after", [0, 1, 100, None])
@pytest.mark.parametrize("kind", ["reset", "closed", "truncated"])
async def test_a_stream_breaks_off_at_that_byte(
    http: httpx.AsyncClient, kind: FaultKind, after: int | None
) -> None:
    async with LoopbackProvider(TEXT, faults=[None, Fault(kind=kind, after=after)]) as server:
        whole, nothing = await _pieces(http, server)
        got, error = await _pieces(http, server)
    assert nothing is None
    # Each scripted text has an id of its own, so the two bodies differ there.
    expected = len(whole) // 2 if after is None else after
    assert isinstance(error, httpx.ReadError if kind == "reset" else httpx.RemoteProtocolError)
    # A reset may overtake what was sent before it.
    assert len(got) <= expected if kind == "reset" else len(got) == expected
    assert server.served == 1


async def test_a_whole_answer_can_be_truncated_too(http: httpx.AsyncClient) -> None:
    async with LoopbackProvider(TEXT, faults=Fault.truncated()) as server:
        with pytest.raises(httpx.RemoteProtocolError, match="without sending complete"):
            await ask(http, server, "openai", stream=False)


@pytest.mark.parametrize("fault", [Fault.slow(), Fault.stalled()])
async def test_a_client_that_waits_for_ever_gives_up_by_itself(
    http: httpx.AsyncClient, fault: Fault
) -> None:
    http.timeout = httpx.Timeout(0.3)
    async with LoopbackProvider(TEXT, faults=fault) as server:
        got, error = await _pieces(http, server)
    assert isinstance(error, httpx.ReadTimeout)
    assert (b"chunk" in got) == (fault.kind == "stalled")


@pytest.mark.parametrize("fault", [Fault.slow(0.3), Fault.stalled(seconds=0.3)])
async def test_a_slow_answer_is_right_in_the_end(http: httpx.AsyncClient, fault: Fault) -> None:
    begun = monotonic()
    async with LoopbackProvider([TEXT], faults=[fault]) as server:
        answer = await ask(http, server, "openai", stream=True)
        assert read("openai", answer, stream=True).text == TEXT
    assert monotonic() - begun > 0.25
    assert (server.served, server.injected_faults) == (1, [fault])


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_an_early_end_lacks_only_the_last_event(
    http: httpx.AsyncClient, protocol: ProtocolName
) -> None:
    async with LoopbackProvider(TEXT, faults=[None, Fault.ended()]) as server:
        right = events(await ask(http, server, protocol, stream=True))
        early = await ask(http, server, protocol, stream=True)
    assert early.status_code == 200
    lost = 0 if protocol == "openai" else 1  # there, `[DONE]` is no JSON
    assert len(events(early)) == len(right) - lost
    assert "[DONE]" not in early.text


@pytest.mark.parametrize("after", [1, 7, 200])
async def test_a_stream_ends_well_at_any_byte(http: httpx.AsyncClient, after: int) -> None:
    async with LoopbackProvider(TEXT, faults=Fault.ended(after)) as server:
        got, error = await _pieces(http, server)
    assert (len(got), error) == (after, None)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_half_a_character_at_the_end(
    http: httpx.AsyncClient, protocol: ProtocolName, *, stream: bool
) -> None:
    for text in (TEXT, "all ASCII"):
        async with LoopbackProvider(text, faults=Fault.half_character()) as server:
            answer = await ask(http, server, protocol, stream=stream)
        with pytest.raises(UnicodeDecodeError, match="unexpected end of data"):
            answer.content.decode()


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_malformed_json(
    http: httpx.AsyncClient, protocol: ProtocolName, *, stream: bool
) -> None:
    async with LoopbackProvider(TEXT, faults=Fault.malformed()) as server:
        answer = await ask(http, server, protocol, stream=stream)
    with pytest.raises(json.JSONDecodeError):
        events(answer) if stream else answer.json()


async def test_a_wrong_content_type(http: httpx.AsyncClient) -> None:
    async with LoopbackProvider(TEXT, faults=Fault.mistyped()) as server:
        answer = await ask(http, server, "openai", stream=True)
    assert answer.headers["content-type"] == "text/html"
    assert "<html>" in answer.text


async def test_an_event_comes_twice(http: httpx.AsyncClient) -> None:
    async with LoopbackProvider(TEXT, faults=[None, Fault.duplicated()]) as server:
        right = events(await ask(http, server, "anthropic", stream=True))
        twice = events(await ask(http, server, "anthropic", stream=True))
    assert len(twice) == len(right) + 1
    assert [a for a, b in pairwise(twice) if a == b]


@pytest.mark.parametrize("status", [400, 401, 403, 404, 429, 500, 502, 503, 529])
@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_an_error_has_the_shape_of_its_protocol(
    http: httpx.AsyncClient, protocol: ProtocolName, status: int
) -> None:
    async with LoopbackProvider(TEXT, faults=Fault.error(status, "no, because")) as server:
        answer = await ask(http, server, protocol, stream=True)
    assert answer.status_code == status
    error = answer.json()["error"]
    assert (error if protocol == "ollama" else error["message"]) == "no, because"


@pytest.mark.parametrize("form", ["none", "seconds", "date", "milliseconds", "words", "retry_info"])
async def test_a_rate_limit_says_how_long_where_it_was_told_to(
    http: httpx.AsyncClient, form: RetryForm
) -> None:
    async with LoopbackProvider(TEXT, faults=Fault.rate_limit(2, form=form)) as server:
        answer = await ask(http, server, "gemini", stream=False)
    assert answer.status_code == 429
    waits = _waits(answer)
    assert waits == ({} if form == "none" else {form: 2.0})


def _waits(answer: httpx.Response) -> dict[str, float]:
    """Every place where the answer says how long to wait."""
    found: dict[str, float] = {}
    headers = answer.headers
    error: dict[str, Any] = answer.json()["error"]
    if after := headers.get("retry-after"):
        if after.isdigit():
            found["seconds"] = float(after)
        else:
            then, now = parsedate_to_datetime(after), parsedate_to_datetime(headers["date"])
            found["date"] = (then - now) / timedelta(seconds=1)
    if ms := headers.get("retry-after-ms"):
        found["milliseconds"] = float(ms) / 1000
    if "try again in" in error["message"]:
        found["words"] = float(error["message"].rpartition(" in ")[2].removesuffix("s."))
    for detail in error.get("details", []):
        assert detail["@type"].endswith("RetryInfo")
        found["retry_info"] = float(detail["retryDelay"].removesuffix("s"))
    return found


@pytest.mark.parametrize("after", [0, 3])
@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_an_error_comes_as_an_event_after_200(
    http: httpx.AsyncClient, protocol: ProtocolName, after: int
) -> None:
    async with LoopbackProvider(TEXT, faults=Fault.error_event(529, after=after)) as server:
        answer = await ask(http, server, protocol, stream=True)
    assert answer.status_code == 200
    values = events(answer)
    assert len(values) == after + 1
    assert "verloaded" in json.dumps(values[-1])


async def test_a_faulted_request_uses_up_no_reply(http: httpx.AsyncClient) -> None:
    faults = [Fault.error(503), None, Fault.closed(), Fault.slow(0.01)]
    async with LoopbackProvider(["first", "second"], faults=faults) as server:
        texts = [await _text(http, server) for _ in range(4)]
    assert texts == [None, "first", None, "second"]
    assert server.served == 2


async def _text(http: httpx.AsyncClient, server: LoopbackProvider) -> str | None:
    try:
        answer = await ask(http, server, "openai", stream=True)
    except httpx.HTTPError:
        return None
    return read("openai", answer, stream=True).text if answer.is_success else None


async def test_chance_gives_the_same_share_each_time(http: httpx.AsyncClient) -> None:
    shares: list[list[Fault]] = []
    for _ in range(2):
        chance = RandomFaults(0.25, [Fault.error(500), Fault.error(503)], seed=3)
        async with LoopbackProvider("ok", faults=chance) as server:
            for _ in range(60):
                await ask(http, server, "openai", stream=False)
        shares.append(server.injected_faults)
        assert server.served == 60 - len(server.injected_faults)
    assert shares[0] == shares[1]
    assert 5 < len(shares[0]) < 30
    assert {fault.status for fault in shares[0]} == {500, 503}


async def test_a_function_of_the_request_decides(http: httpx.AsyncClient) -> None:
    async with LoopbackProvider(
        lambda received: f"to {received.protocol}",
        faults=lambda received: Fault.error(503) if received.protocol == "gemini" else None,
    ) as server:
        answers = {
            protocol: await ask(http, server, protocol, stream=False) for protocol in PROTOCOLS
        }
    statuses = {protocol: answer.status_code for protocol, answer in answers.items()}
    assert statuses == {protocol: 503 if protocol == "gemini" else 200 for protocol in PROTOCOLS}
    assert read("ollama", answers["ollama"], stream=False).text == "to ollama"


@pytest.mark.parametrize(("probability", "faults"), [(1.5, [Fault.dropped()]), (0.5, [])])
def test_a_chance_that_is_none_is_refused(probability: float, faults: list[Fault]) -> None:
    with pytest.raises(ValueError, match="RandomFaults"):
        RandomFaults(probability, faults)


async def test_faults_do_not_outlive_the_server(http: httpx.AsyncClient) -> None:
    """Left while a client hangs on it, the server ends at once, and the client is told."""
    ended = anyio.Event()

    async def hang(server: LoopbackProvider) -> None:
        _, error = await _pieces(http, server)
        assert isinstance(error, BROKEN)
        ended.set()

    async with anyio.create_task_group() as tasks:
        async with LoopbackProvider(TEXT, faults=Fault.stalled()) as server:
            tasks.start_soon(hang, server)
            while not server.requests:  # noqa: ASYNC110  # it has no event for that
                await anyio.sleep(0.01)
        with anyio.fail_after(20):
            await ended.wait()
