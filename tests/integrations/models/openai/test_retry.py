"""Trouble that may pass is tried again; other trouble, and told text, is not."""

import socket
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from tests.integrations.models.openai.loopback import (
    DONE,
    Answer,
    Loopback,
    chunk,
    completion,
    error_response,
    events,
)

from planish.data.message import Message, Request
from planish.errors import ModelError, OverloadedError, RateLimitError
from planish.testing.clock import FakeClock
from planish_integrations.openai import Backoff, OpenAIModel

ASK = Request(messages=(Message("user", "hello"),))
ModelAt = Callable[..., OpenAIModel]
BODY = completion("hello").body
STREAM = events(chunk("hel"), chunk("lo"), chunk(finish="stop"), DONE)

PASSING = [
    error_response(429),
    error_response(408),
    error_response(500),
    error_response(502),
    error_response(503),
    error_response(504),
    error_response(529),
    Answer(stop_after=-1),
    Answer(stop_after=-1, end="reset"),
    Answer(BODY, stop_after=0),
    Answer(BODY, stop_after=30),
    Answer(BODY, stop_after=30, end="reset"),
    Answer(b'{"error": {"code": 502, "message": "upstream"}}'),
]


@pytest.mark.anyio
@pytest.mark.parametrize("trouble", PASSING)
@pytest.mark.parametrize("streamed", [False, True])
async def test_trouble_that_passes_is_not_seen(
    trouble: Answer,
    *,
    streamed: bool,
    server: Loopback,
    model_at: ModelAt,
    clock: FakeClock,
) -> None:
    server.answers += [trouble, trouble, STREAM if streamed else completion("hello")]
    pieces: list[str] = []
    reply = await model_at().reply(ASK, pieces.append if streamed else None)
    assert (reply.text, reply.resends, reply.usage.model_calls) == ("hello", 2, 1)
    assert len(server.requests) == 3
    assert len(clock.sleeps) == 2
    assert clock.sleeps[0] <= 0.5
    assert clock.sleeps[1] <= 1.0
    assert "".join(pieces) == ("hello" if streamed else "")


@pytest.mark.anyio
@pytest.mark.parametrize(
    "silent",
    [Answer(stop_after=-1, end="hang"), Answer(BODY, stop_after=9, end="hang")],
)
async def test_a_silent_server_is_asked_again(
    silent: Answer, server: Loopback, model_at: ModelAt
) -> None:
    server.answers += [silent, silent]
    with pytest.raises(OverloadedError, match="in time") as caught:
        await model_at(timeout=0.5, backoff=Backoff(tries=2)).reply(ASK)
    assert isinstance(caught.value.__cause__, httpx.ReadTimeout)
    assert len(server.requests) == 2


@pytest.mark.anyio
async def test_waits_are_drawn(server: Loopback, model_at: ModelAt, clock: FakeClock) -> None:
    server.answers += [*[error_response(503)] * 8, completion()]
    await model_at(backoff=Backoff(tries=9, first=1.0, longest=1.0)).reply(ASK)
    assert len(set(clock.sleeps)) > 1


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("trouble", "kind"),
    [(error_response(429), RateLimitError), (error_response(503), OverloadedError)],
)
async def test_trouble_that_stays_is_raised_after_the_last_try(
    trouble: Answer, kind: type[ModelError], server: Loopback, model_at: ModelAt, clock: FakeClock
) -> None:
    server.answers += [trouble] * 4
    with pytest.raises(kind) as caught:
        await model_at(backoff=Backoff(tries=4)).reply(ASK)
    assert caught.value.__notes__ == ["after 4 tries"]
    assert len(server.requests) == 4
    assert len(clock.sleeps) == 3


@pytest.mark.anyio
@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize(
    ("how", "asked"),
    [
        ({"headers": {"retry-after": "3"}}, 3.0),
        ({"headers": {"retry-after-ms": "1500"}}, 1.5),
        ({"message": "Please try again in 2.5s."}, 2.5),
    ],
)
async def test_the_wait_asked_for_is_kept(
    status: int,
    how: dict[str, Any],
    asked: float,
    server: Loopback,
    model_at: ModelAt,
    clock: FakeClock,
) -> None:
    server.answers += [error_response(status, **how), completion()]
    await model_at(backoff=Backoff(first=0.25)).reply(ASK)
    assert len(clock.sleeps) == 1
    assert asked <= clock.sleeps[0] <= asked + 0.25


@pytest.mark.anyio
async def test_a_wait_beyond_the_longest_is_raised_at_once(
    server: Loopback, model_at: ModelAt, clock: FakeClock
) -> None:
    server.answers.append(error_response(429, headers={"retry-after": "3600"}))
    with pytest.raises(RateLimitError) as caught:
        await model_at().reply(ASK)
    assert caught.value.retry_after == 3600.0
    assert clock.sleeps == []


@pytest.mark.anyio
async def test_a_used_up_account_is_not_asked_again(
    server: Loopback, model_at: ModelAt, clock: FakeClock
) -> None:
    server.answers.append(error_response(429, kind="insufficient_quota", code="insufficient_quota"))
    with pytest.raises(RateLimitError, match="insufficient_quota"):
        await model_at().reply(ASK)
    assert clock.sleeps == []


@pytest.mark.anyio
async def test_a_refused_connection_is_tried_again_and_then_raised(
    model_at: ModelAt, clock: FakeClock
) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
        with pytest.raises(OverloadedError, match="could not be reached") as caught:
            await model_at(base_url=url, backoff=Backoff(tries=3)).reply(ASK)
    assert caught.value.status is None
    assert len(clock.sleeps) == 2
