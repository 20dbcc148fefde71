"""Every recorded chat-completions answer is read as it was meant, however it is cut."""

import random
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.integrations.openai.loopback import Loopback
from tests.integrations.openai.recorded import Exchange, answered

from planish.data.message import Message, Reply, Request
from planish_integrations.openai import OpenAIModel
from planish_integrations.openai._chat import ChatAnswer
from planish_integrations.transport._stream import StreamedReply

ASK = Request(messages=(Message("user", "hello"),))
Shared = Callable[[str], Path]
ModelAt = Callable[..., OpenAIModel]


def differences(reply: Reply, exchange: Exchange) -> list[str]:
    """What the reply has otherwise than the record."""
    usage = reply.usage
    read = {
        "text": (reply.text, exchange.text),
        "reasoning": (reply.reasoning, exchange.reasoning),
        "finish": (reply.finish_reason, exchange.finish),
        "usage": (
            (usage.input_tokens, usage.output_tokens, usage.cached_tokens, usage.reasoning_tokens),
            exchange.usage,
        ),
        "calls": (usage.model_calls, 1),
        "model": (reply.model, exchange.objects[0]["model"] or exchange.objects[-1]["model"]),
        "id": (reply.id, exchange.objects[0]["id"] or exchange.objects[-1]["id"]),
    }
    return [
        f"{exchange.id} {k}: {got!r} for {want!r}" for k, (got, want) in read.items() if got != want
    ]


def read(exchange: Exchange, *cuts: int) -> tuple[Reply, str]:
    """A streamed exchange read by the parser alone, cut at `cuts`."""
    reader, pieces, body = StreamedReply(ChatAnswer(), "events"), list[str](), exchange.body
    edges = [0, *sorted(cuts), len(body)]
    for start, end in pairwise(edges):
        pieces.append(reader.feed(body[start:end]))
    pieces.append(reader.end())
    return reader.reply(), "".join(pieces)


@pytest.mark.anyio
async def test_every_recorded_answer_is_read_as_recorded(
    server: Loopback, model_at: ModelAt, shared_data: Shared
) -> None:
    rows, wrong, right = answered(shared_data), list[str](), 0
    async with model_at() as model:
        for row in rows:
            pieces: list[str] = []
            server.answers.append(row.answer())
            reply = await model.reply(ASK, pieces.append if row.streamed else None)
            found = differences(reply, row)
            if row.streamed and "".join(pieces) != reply.text:
                found.append(f"{row.id}: the pieces do not join to the text")
            wrong += found
            right += not found
    print(f"{right} / {len(rows)} recorded answers read as recorded")  # noqa: T201  # the count
    assert not wrong, f"{right} / {len(rows)}: {wrong}"
    assert right >= 68, "fewer recordings than there were"


@pytest.mark.anyio
async def test_a_recorded_stream_cut_anywhere_on_the_wire_is_read_the_same(
    server: Loopback, model_at: ModelAt, shared_data: Shared
) -> None:
    rows = [row for row in answered(shared_data) if row.streamed]
    draw = random.Random(20261121)  # noqa: S311  # a seed, so that a failure comes again
    async with model_at() as model:
        for row in rows:
            cuts = tuple(draw.sample(range(1, len(row.body)), 60))
            server.answers.append(row.answer(cuts))
            pieces: list[str] = []
            reply = await model.reply(ASK, pieces.append)
            assert not differences(reply, row), cuts
            assert "".join(pieces) == reply.text
    assert len(rows) >= 23


@pytest.mark.anyio
async def test_a_server_that_does_not_stream_is_read_all_the_same(
    server: Loopback, model_at: ModelAt, shared_data: Shared
) -> None:
    rows = [row for row in answered(shared_data) if not row.streamed]
    async with model_at() as model:
        for row in rows:
            server.answers.append(row.answer())
            pieces: list[str] = []
            reply = await model.reply(ASK, pieces.append)
            assert not differences(reply, row)
            assert "".join(pieces) == reply.text


def test_small_recorded_streams_are_read_the_same_cut_at_every_byte(shared_data: Shared) -> None:
    rows = sorted((r for r in answered(shared_data) if r.streamed), key=lambda r: len(r.body))
    for row in rows[:2]:
        for cut in range(len(row.body) + 1):
            reply, joined = read(row, cut)
            assert not differences(reply, row), cut
            assert joined == row.text
        byte_by_byte, joined = read(row, *range(1, len(row.body)))
        assert not differences(byte_by_byte, row)
        assert joined == row.text


def test_a_recorded_stream_is_read_the_same_with_other_line_ends(shared_data: Shared) -> None:
    for row in answered(shared_data):
        if row.streamed:
            for line_end in (b"\r\n", b"\r"):
                reader = StreamedReply(ChatAnswer(), "events")
                body = row.body.replace(b"\n", line_end)
                joined = "".join(reader.feed(body[i : i + 7]) for i in range(0, len(body), 7))
                assert joined + reader.end() == row.text
                assert not differences(reader.reply(), row)


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(data=st.data())
def test_any_recorded_stream_is_read_the_same_cut_anywhere(
    shared_data: Shared, data: st.DataObject
) -> None:
    rows = {row.id: row for row in answered(shared_data) if row.streamed}
    row = rows[data.draw(st.sampled_from(sorted(rows)), label="exchange")]
    cuts = data.draw(st.lists(st.integers(0, len(row.body)), max_size=40), label="cuts")
    reply, joined = read(row, *cuts)
    assert not differences(reply, row)
    assert joined == row.text
