"""Every recorded answer is read as it was meant, however it is cut; and half of one never."""

import random
from itertools import pairwise

import pytest
from tests.integrations.models.openai.loopback import Loopback
from tests.integrations.models.transport.protocols import MODELS, READERS
from tests.integrations.models.transport.recorded import APIS, Exchange, Shared, answered, exchanges

from planish.data.message import Message, Reply, Request
from planish.data.usage import Usage
from planish_integrations.models.transport import HttpModel
from planish_integrations.models.transport._parsing import (
    EventParser,
    LineParser,
    StreamReader,
    TruncatedError,
    reply_from_body,
)
from planish_integrations.models.transport.protocol import InBandError, ProtocolError

ASK = Request(messages=(Message("user", "hello"),))
SHORT = 6_000  # bytes; longer streams are cut at every byte when asked for with -m long
UNTOLD = (0, 0, 0, 0)
COUNTS = {"chat": 68, "responses": 33, "anthropic": 16, "gemini": 21, "ollama": 6}

every_protocol = pytest.mark.parametrize("protocol", APIS)


def differences(reply: Reply, exchange: Exchange) -> list[str]:
    """What the reply has otherwise than the record."""
    usage = reply.usage
    if exchange.usage == UNTOLD:  # nothing is reported, so all of it is estimated
        assert usage.estimated_tokens == usage.tokens
        usage = Usage(model_calls=usage.model_calls)
    else:
        assert not usage.estimated_tokens
    text, reasoning = exchange.said
    read = {
        "text": (reply.text, text),
        "reasoning": (reply.reasoning, reasoning),
        "finish": (reply.finish_reason, exchange.finish),
        "usage": (
            (usage.input_tokens, usage.output_tokens, usage.cached_tokens, usage.reasoning_tokens),
            exchange.usage,
        ),
        "calls": (usage.model_calls, 1),
    }
    return [
        f"{exchange.id} {k}: {got!r} for {want!r}" for k, (got, want) in read.items() if got != want
    ]


def reader_of(protocol: str, exchange: Exchange) -> StreamReader:
    return StreamReader(READERS[protocol](), exchange.framing)


def read(protocol: str, exchange: Exchange, *cuts: int) -> tuple[Reply, str]:
    """A streamed exchange read in process, cut at `cuts`."""
    reader, pieces, body = reader_of(protocol, exchange), list[str](), exchange.body
    for start, end in pairwise([0, *sorted(cuts), len(body)]):
        pieces.append(reader.feed(body[start:end]))
    pieces.append(reader.end())
    return reader.to_reply(), "".join(pieces)


def streams(shared_data: Shared, protocol: str) -> list[Exchange]:
    return [row for row in answered(shared_data, protocol) if row.streamed]


def model_at(protocol: str, server: Loopback) -> HttpModel:
    return MODELS[protocol]("m", base_url=server.url, api_key="")


@every_protocol
@pytest.mark.anyio
async def test_every_recorded_answer_is_read_as_recorded(
    protocol: str, server: Loopback, shared_data: Shared
) -> None:
    rows, wrong, right = answered(shared_data, protocol), list[str](), 0
    async with model_at(protocol, server) as model:
        for row in rows:
            pieces: list[str] = []
            server.answers.append(row.answer())
            reply = await model.reply(ASK, pieces.append if row.streamed else None)
            found = differences(reply, row)
            if row.streamed and "".join(pieces) != reply.text:
                found.append(f"{row.id}: the pieces do not join to the text")
            wrong += found
            right += not found
    print(f"{protocol}: {right} / {len(rows)} recorded answers read as recorded")  # noqa: T201
    assert not wrong, f"{right} / {len(rows)}: {wrong}"
    assert right >= COUNTS[protocol], "fewer recordings than there were"


def test_no_recorded_exchange_of_our_apis_is_left_out(shared_data: Shared) -> None:
    ours = {api for apis in APIS.values() for api in apis}
    others = {row.row["api"] for row in exchanges(shared_data)} - ours
    # Bedrock and Cohere have APIs of their own; Ollama's "generate" is for one prompt, no chat.
    assert others == {None, "bedrock", "cohere.chat", "ollama.generate"}


@every_protocol
@pytest.mark.anyio
async def test_a_recorded_stream_cut_anywhere_on_the_wire_is_read_the_same(
    protocol: str, server: Loopback, shared_data: Shared
) -> None:
    draw = random.Random(20261121)  # noqa: S311  # a seed, so that a failure comes again
    async with model_at(protocol, server) as model:
        for row in streams(shared_data, protocol):
            cuts = tuple(draw.sample(range(1, len(row.body)), 40))
            server.answers.append(row.answer(cuts))
            pieces: list[str] = []
            reply = await model.reply(ASK, pieces.append)
            assert not differences(reply, row), cuts
            assert "".join(pieces) == reply.text


@every_protocol
@pytest.mark.anyio
async def test_a_server_that_does_not_stream_is_read_all_the_same(
    protocol: str, server: Loopback, shared_data: Shared
) -> None:
    rows = [row for row in answered(shared_data, protocol) if not row.streamed]
    async with model_at(protocol, server) as model:
        for row in rows[:10]:
            server.answers.append(row.answer())
            pieces: list[str] = []
            reply = await model.reply(ASK, pieces.append)
            assert not differences(reply, row)
            assert "".join(pieces) == reply.text


def events(row: Exchange, *pieces: bytes) -> list[str]:
    parser = EventParser() if row.framing == "events" else LineParser()
    found = [data for piece in pieces for data in parser.feed(piece)]
    return found + parser.end()


def cut_at_every_byte(row: Exchange) -> None:
    """The events are the same; and the reply is a function of them."""
    body = row.body
    whole = events(row, body)
    for cut in range(len(body) + 1):
        assert events(row, body[:cut], body[cut:]) == whole, f"{row.id} cut at {cut}"


@every_protocol
def test_a_stream_is_cut_into_the_same_events_at_every_byte(
    protocol: str, shared_data: Shared
) -> None:
    for row in streams(shared_data, protocol):
        if len(row.body) <= SHORT:
            cut_at_every_byte(row)


@pytest.mark.long
@every_protocol
def test_every_stream_is_cut_into_the_same_events_at_every_byte(
    protocol: str, shared_data: Shared
) -> None:
    for row in streams(shared_data, protocol):
        cut_at_every_byte(row)


@every_protocol
def test_a_stream_that_comes_byte_by_byte_is_read_the_same(
    protocol: str, shared_data: Shared
) -> None:
    for row in streams(shared_data, protocol):
        reply, joined = read(protocol, row, *range(1, len(row.body)))
        assert not differences(reply, row)
        assert joined == reply.text


@every_protocol
def test_a_stream_in_two_pieces_is_read_the_same(protocol: str, shared_data: Shared) -> None:
    for row in sorted(streams(shared_data, protocol), key=lambda row: len(row.body))[:1]:
        whole, _ = read(protocol, row)
        for cut in range(len(row.body) + 1):
            assert read(protocol, row, cut) == (whole, whole.text), f"{row.id} cut at {cut}"


def end_at(protocol: str, row: Exchange, end: int) -> Reply | None:
    """What is read of a stream that ends there; None where it is said to be cut."""
    reader = reader_of(protocol, row)
    try:
        reader.feed(row.body[:end])
        reader.end()
    except TruncatedError:
        return None
    return reader.to_reply()


def ends_of(row: Exchange, *, every: bool) -> range | list[int]:
    size = len(row.body)
    if every or size <= 2_000:
        return range(size)
    draw = random.Random(size)  # noqa: S311  # a seed, so that a failure comes again
    return [*draw.sample(range(size - 400), 40), *range(size - 400, size)]


def is_never_taken_for_whole(protocol: str, row: Exchange, *, every: bool) -> int:
    whole, _ = read(protocol, row)
    early = 0
    for end in ends_of(row, every=every):
        got = end_at(protocol, row, end)
        assert got in (None, whole), f"{row.id} ended after {end} bytes: {got}"
        early += got is None
    return early


@every_protocol
def test_a_stream_that_ends_early_is_cut_or_whole_to_the_last_token(
    protocol: str, shared_data: Shared
) -> None:
    rows = streams(shared_data, protocol)
    early = sum(is_never_taken_for_whole(protocol, row, every=False) for row in rows)
    assert early > 100 * len(rows)


@pytest.mark.long
@every_protocol
def test_a_stream_that_ends_at_any_byte_is_cut_or_whole(protocol: str, shared_data: Shared) -> None:
    for row in streams(shared_data, protocol):
        is_never_taken_for_whole(protocol, row, every=True)


@every_protocol
def test_a_whole_answer_that_ends_early_is_nonsense(protocol: str, shared_data: Shared) -> None:
    for row in answered(shared_data, protocol):
        if not row.streamed:
            body = row.body.rstrip()
            for end in range(0, len(body), 7):
                with pytest.raises((ProtocolError, InBandError)):
                    reply_from_body(body[:end], READERS[protocol]())


@every_protocol
def test_a_recorded_stream_is_read_the_same_with_other_line_ends(
    protocol: str, shared_data: Shared
) -> None:
    for row in streams(shared_data, protocol):
        for line_end in (b"\n", b"\r\n", b"\r"):
            if row.framing == "lines" and line_end == b"\r":
                continue  # JSON lines end in LF
            reader = reader_of(protocol, row)
            body = row.body.replace(b"\r\n", b"\n").replace(b"\n", line_end)
            joined = "".join(reader.feed(body[i : i + 7]) for i in range(0, len(body), 7))
            joined += reader.end()
            assert not differences(reader.to_reply(), row)
            assert joined == reader.to_reply().text
