"""A stream is whole, or cut and said to be so; no text is told twice."""

from collections.abc import Callable
from typing import Any

import pytest
from tests.integrations.models.openai.loopback import (
    DONE,
    Answer,
    Loopback,
    chunk,
    events,
)

from planish.data.message import Message, Request
from planish.errors import OverloadedError
from planish.testing.clock import FakeClock
from planish_integrations.openai import OpenAIModel

ASK = Request(messages=(Message("user", "hello"),))
ModelAt = Callable[..., OpenAIModel]
STREAM = events(chunk("hel"), chunk("lo"), chunk(finish="stop"), DONE)

CUTS = [
    {"stop_after": len(chunk("hel"))},
    {"stop_after": len(chunk("hel")) + 9},
    {"stop_after": len(chunk("hel")), "end": "reset"},
]


@pytest.mark.anyio
@pytest.mark.parametrize("how", CUTS)
async def test_a_stream_cut_after_text_was_told_is_raised_and_nothing_is_told_twice(
    how: dict[str, Any], server: Loopback, model_at: ModelAt, clock: FakeClock
) -> None:
    server.answers.append(Answer(STREAM.body, headers=STREAM.headers, **how))
    pieces: list[str] = []
    with pytest.raises(OverloadedError):
        await model_at().reply(ASK, pieces.append)
    assert pieces == ["hel"]
    assert clock.sleeps == []


@pytest.mark.anyio
async def test_a_stream_that_just_ends_is_cut(server: Loopback, model_at: ModelAt) -> None:
    server.answers.append(events(chunk("hel")))
    with pytest.raises(OverloadedError, match="ended its response too early"):
        await model_at().reply(ASK, list[str]().append)


@pytest.mark.anyio
async def test_a_stream_cut_while_it_reasons_is_tried_again(
    server: Loopback, model_at: ModelAt
) -> None:
    thought = b'data: {"choices": [{"index": 0, "delta": {"reasoning": "hm"}}]}\n\n'
    server.answers += [events(b": wait\n\n", thought), STREAM]
    pieces: list[str] = []
    reply = await model_at().reply(ASK, pieces.append)
    assert (reply.text, reply.reasoning, reply.resends) == ("hello", "", 1)
    assert "".join(pieces) == "hello"


@pytest.mark.anyio
async def test_an_error_after_text_was_told_is_raised(
    server: Loopback, model_at: ModelAt, clock: FakeClock
) -> None:
    error = b'data: {"error": {"message": "busy", "type": "overloaded_error"}}\n\n'
    server.answers.append(events(chunk("hel"), error, cuts=(len(chunk("hel")),), pause=0.05))
    with pytest.raises(OverloadedError, match="busy"):
        await model_at().reply(ASK, list[str]().append)
    assert clock.sleeps == []


USAGE = b'data: {"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 3}}\n\n'


@pytest.mark.anyio
@pytest.mark.parametrize("end", ["close", "reset"])
async def test_a_stream_that_breaks_after_its_finish_reason_and_usage_is_whole(
    end: str, server: Loopback, model_at: ModelAt
) -> None:
    body = chunk("hello") + chunk(finish="stop") + USAGE
    answer = Answer(
        body + b"never sent",
        headers=STREAM.headers,
        stop_after=len(body),
        end=end,  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    )
    server.answers.append(answer)
    reply = await model_at().reply(ASK, list[str]().append)
    assert (reply.text, reply.finish_reason, reply.usage.tokens) == ("hello", "stop", 10)


@pytest.mark.anyio
@pytest.mark.parametrize("left", [b"", USAGE[:20], USAGE[:-3], b"data: [DON"])
async def test_a_stream_that_breaks_before_its_usage_is_cut(
    left: bytes, server: Loopback, model_at: ModelAt
) -> None:
    server.answers.append(events(chunk("hello"), chunk(finish="stop"), left))
    with pytest.raises(OverloadedError, match="ended its response too early"):
        await model_at().reply(ASK, list[str]().append)


@pytest.mark.anyio
async def test_text_that_waited_for_more_is_told_at_the_end(
    server: Loopback, model_at: ModelAt
) -> None:
    last = b'data: {"choices": [{"delta": {"content": "b\\ud83d"}, "finish_reason": "stop"}]}'
    server.answers.append(events(chunk("a"), last, b"\n\n", DONE))
    pieces: list[str] = []
    reply = await model_at().reply(ASK, pieces.append)
    assert (reply.text, "".join(pieces)) == ("ab\ufffd", "ab\ufffd")


@pytest.mark.anyio
async def test_what_comes_after_the_last_event_is_not_text(
    server: Loopback, model_at: ModelAt
) -> None:
    said = chunk("a", "stop") + DONE
    server.answers.append(events(said, chunk("b"), cuts=(len(said),)))
    server.answers.append(events(said, chunk("b")))
    for _ in range(2):
        assert (await model_at().reply(ASK, list[str]().append)).text == "a"


@pytest.mark.anyio
async def test_a_stream_nobody_asked_for_is_read(server: Loopback, model_at: ModelAt) -> None:
    server.answers.append(STREAM)
    assert (await model_at().reply(ASK)).text == "hello"


@pytest.mark.anyio
async def test_a_listener_that_fails_is_heard_and_nothing_is_sent_again(
    server: Loopback, model_at: ModelAt
) -> None:
    def listen(_: str) -> None:
        raise OSError("disk full")

    server.answers.append(STREAM)
    with pytest.raises(OSError, match="disk full"):
        await model_at().reply(ASK, listen)
    assert len(server.requests) == 1
