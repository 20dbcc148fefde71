"""Whatever a server answers, it is a reply or one of planish's errors."""

import contextlib
import json
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.integrations.models.openai.loopback import (
    DONE,
    JSON,
    Answer,
    Loopback,
    chunk,
    completion,
    error_response,
    events,
)

from planish.data.message import Message, Reply, Request
from planish.data.usage import Price, usage_of
from planish.errors import ModelError, PlanishError
from planish_integrations.models.openai._chat import ChatReader
from planish_integrations.models.transport._errors import parse_error_body
from planish_integrations.models.transport._parsing import (
    StreamReader,
    TruncatedError,
    reply_from_body,
)
from planish_integrations.models.transport.protocol import InBandError, ProtocolError
from planish_integrations.openai import Backoff, OpenAIModel

ASK = Request(messages=(Message("user", "hello"),))
ModelAt = Callable[..., OpenAIModel]

FIELDS = ("choices", "usage", "error", "code", "type", "text", "x_groq")
WORDS = ("message", "delta", "content", "index", "finish_reason", "error")
NAMES = st.sampled_from([*FIELDS, *WORDS, "prompt_tokens", "refusal", "reasoning", "thinking"])
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters())
VALUES = st.recursive(
    SCALARS | st.sampled_from(["stop", "429", 0, 429, "\ud83d"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=5),
    max_leaves=20,
)
CHOICES = st.lists(st.fixed_dictionaries({}, optional=dict.fromkeys(WORDS, VALUES)), max_size=2)
BODIES = VALUES | st.fixed_dictionaries({"choices": CHOICES}, optional={"usage": VALUES})


@settings(deadline=None)  # a loaded machine is no bug
@given(BODIES)
def test_any_json_is_a_reply_or_a_named_error(body: object) -> None:
    with contextlib.suppress(InBandError, ProtocolError):
        assert_sound(reply_from_body(json.dumps(body).encode(), ChatReader()))


@settings(deadline=None)  # a loaded machine is no bug
@given(bodies=st.lists(BODIES), done=st.booleans())
def test_any_stream_of_json_is_a_reply_or_a_named_error(
    bodies: list[object], *, done: bool
) -> None:
    reader, pieces = StreamReader(ChatReader(), "events"), list[str]()
    stream = b"".join(b"data: " + json.dumps(body).encode() + b"\n\n" for body in bodies)
    with contextlib.suppress(InBandError, ProtocolError, TruncatedError):
        pieces.append(reader.feed(stream + (DONE if done else b"")))
        pieces.append(reader.end())
        assert_sound(reader.to_reply())
        assert "".join(pieces) == reader.to_reply().text


@settings(deadline=None)  # a loaded machine is no bug
@given(st.binary())
def test_any_bytes_are_a_named_error(body: bytes) -> None:
    with pytest.raises((ProtocolError, InBandError)):
        reply_from_body(body, ChatReader())
    parse_error_body(body).message.encode()


@settings(deadline=None)  # a loaded machine is no bug
@given(VALUES)
def test_any_error_body_has_a_short_message(body: object) -> None:
    message = parse_error_body(json.dumps(body).encode()).redacted(str).message
    message.encode()
    assert len(message) < 1100


def assert_sound(reply: Reply) -> None:
    assert Reply.from_json(reply.to_json()) == reply
    assert reply.usage.tokens >= 0


DEEP = b"[" * 200_000


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (Answer(b"<html>Sign in</html>", headers={"content-type": "text/html"}), "text/html"),
        (Answer(b'{"choices": ['), "not JSON"),
        (Answer(b""), "not JSON"),
        (Answer(b"\xff\xfe\x00"), "not JSON"),
        (Answer(DEEP), "not JSON"),
        (Answer(b'{"choices": []}'), "no choices"),
        (Answer(b"[]"), "no choices"),
        (Answer(status=202), "not JSON"),
        (events(b"data: {broken\n\n", DONE), "not JSON"),
        (events(b"data: {broken\n\n", chunk("a"), DONE, cuts=(16, 20, 30)), "not JSON"),
        (events(DONE), "without a response"),
        (events(chunk("a"), b"data: nonsense\n\n", DONE), "not JSON"),
        (Answer(b"\x1f\x8b", headers=JSON | {"content-encoding": "gzip"}), "not JSON"),
    ],
)
async def test_a_lasting_protocol_error_is_a_model_error(
    answer: Answer, says: str, server: Loopback, model_at: ModelAt
) -> None:
    told: list[str] = []
    model = model_at(backoff=Backoff(tries=2))
    server.answers += [answer, answer]
    with pytest.raises(ModelError, match=says) as caught:
        await model.reply(ASK, told.append)
    assert type(caught.value) is ModelError
    assert caught.value.resends == len(server.requests) - 1 == (0 if told else 1)
    if told:  # nothing is told twice
        server.answers.clear()


@pytest.mark.anyio
async def test_a_passing_protocol_error_is_not_seen(server: Loopback, model_at: ModelAt) -> None:
    server.answers += [Answer(b'{"choices": ['), completion("hi")]
    reply = await model_at().reply(ASK)
    assert (reply.text, reply.resends) == ("hi", 1)


@pytest.mark.anyio
async def test_a_response_that_cannot_be_read_is_requested_once_more_not_six_times(
    server: Loopback, model_at: ModelAt
) -> None:
    unreadable, busy = Answer(b'{"choices": ['), error_response(503)
    server.answers += [unreadable, busy, busy, unreadable]
    with pytest.raises(ModelError, match="not JSON") as caught:
        await model_at(price=Price(input=1.0, output=1.0)).reply(ASK)
    assert len(server.requests) == 4
    usage = usage_of(caught.value)
    assert usage is not None
    # Each of the two is as long as a prompt of 5 characters and a reply of 13 may be.
    assert (usage.model_calls, usage.failed_calls, usage.tokens) == (0, 4, 2 * (2 + 4))
    assert usage.estimated_tokens == usage.tokens
    assert usage.usd == pytest.approx(usage.tokens / 1e6)


@pytest.mark.anyio
@pytest.mark.parametrize("streamed", [False, True])
async def test_an_answer_that_does_not_say_what_it_is_is_what_was_asked_for(
    *, streamed: bool, server: Loopback, model_at: ModelAt
) -> None:
    answer = events(chunk("hi"), DONE) if streamed else completion("hi")
    server.answers.append(replace(answer, headers={}))
    reply = await model_at().reply(ASK, list[str]().append if streamed else None)
    assert reply.text == "hi"


@pytest.mark.anyio
async def test_an_endless_answer_is_given_up(server: Loopback, model_at: ModelAt) -> None:
    server.answers.append(Answer(b" " * (65 * 1024 * 1024)))
    with pytest.raises(PlanishError, match="more than 67108864 bytes"):
        await model_at().reply(ASK)
