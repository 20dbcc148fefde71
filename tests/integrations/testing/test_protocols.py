"""Each protocol, whole and streamed: what was scripted is what a client reads."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import httpx
import pytest
from tests.integrations.testing.clients import PROTOCOLS, SAY, ask, events, read, url_of

from planish.data.message import FinishReason, Reply
from planish.data.usage import Usage
from planish_integrations.testing import LoopbackProvider, ProtocolName

pytestmark = pytest.mark.anyio
USAGE = Usage(input_tokens=70, output_tokens=30, cached_tokens=8, reasoning_tokens=9)
REPLY = Reply(
    text="Ein Ümlaut, 漢字 and 🔨: long enough for some pieces.\n",
    reasoning="Let me think about what to say to that.",
    usage=USAGE,
    id="reply-1",
    model="m-1-2026",
)
FINISHES: dict[ProtocolName, dict[FinishReason, str]] = {
    "openai": {"stop": "stop", "length": "length", "content_filter": "content_filter"},
    "responses": {
        "stop": "completed",
        "length": "max_output_tokens",
        "content_filter": "content_filter",
    },
    "anthropic": {"stop": "end_turn", "length": "max_tokens", "content_filter": "refusal"},
    "gemini": {"stop": "STOP", "length": "MAX_TOKENS", "content_filter": "SAFETY"},
    "ollama": {"stop": "stop", "length": "length"},
}
CASES = [(protocol, finish) for protocol in PROTOCOLS for finish in FINISHES[protocol]]
# What the API is called in the recordings; and of a stream.
APIS = {
    "openai": ("chat.completions", "chat.completions"),
    "responses": ("responses", "responses"),
    "anthropic": ("anthropic.messages", "anthropic.messages"),
    "gemini": ("gemini.generate", "gemini.stream"),
    "ollama": ("ollama.chat", "ollama.chat"),
}


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(("protocol", "finish"), CASES)
async def test_a_reply_is_read_as_it_was_scripted(
    http: httpx.AsyncClient, protocol: ProtocolName, finish: FinishReason, *, stream: bool
) -> None:
    reply = Reply.from_json(REPLY.to_json().replace('"stop"', f'"{finish}"'))
    async with LoopbackProvider([reply]) as server:
        answer = await ask(http, server, protocol, stream=stream)
    assert answer.status_code == 200
    answer_ = read(protocol, answer, stream=stream)
    assert (answer_.text, answer_.reasoning) == (REPLY.text, REPLY.reasoning)
    assert (answer_.finish, answer_.model) == (FINISHES[protocol][finish], "m-1-2026")
    assert answer_.id == (None if protocol == "ollama" else "reply-1")
    # Anthropic counts what was read from its cache apart.
    assert answer_.tokens == (62 if protocol == "anthropic" else 70, 30)
    assert (len(events(answer)) > 3) if stream else True
    [received] = server.requests
    assert (received.protocol, received.number, server.served) == (protocol, 1, 1)
    assert SAY in received.text


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_a_text_gets_an_id_a_model_and_tokens(
    http: httpx.AsyncClient, protocol: ProtocolName
) -> None:
    async with LoopbackProvider("pong") as server:
        first = read(protocol, await ask(http, server, protocol, stream=False), stream=False)
        second = read(protocol, await ask(http, server, protocol, stream=False), stream=False)
    assert first.text == second.text == "pong"
    assert first.model == ("gem-1" if protocol == "gemini" else "m-1")
    assert min(first.tokens) > 0
    assert protocol == "ollama" or first.id != second.id


async def test_an_openai_stream_tells_usage_only_when_asked(http: httpx.AsyncClient) -> None:
    async with LoopbackProvider("pong") as server:
        url = url_of(server, "openai", stream=True)
        answer = await http.post(url, json={"model": "m", "stream": True})
    assert "usage" not in answer.text
    assert answer.text.endswith("data: [DONE]\n\n")


async def test_gemini_streams_an_array_where_sse_is_not_asked_for(
    http: httpx.AsyncClient,
) -> None:
    async with LoopbackProvider("a text of more than one piece") as server:
        url = f"{server.url('gemini')}/models/g:streamGenerateContent"
        values = (await http.post(url, json={})).json()
    parts = [value["candidates"][0]["content"]["parts"][0]["text"] for value in values]
    assert "".join(parts) == "a text of more than one piece"
    assert len(parts) == 2


async def test_ollama_streams_unless_told_not_to(http: httpx.AsyncClient) -> None:
    async with LoopbackProvider("pong") as server:
        answer = await http.post(f"{server.url('ollama')}/api/chat", json={"model": "m"})
    assert answer.headers["content-type"] == "application/x-ndjson"


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_it_says_nothing_a_real_provider_was_not_recorded_to_say(
    http: httpx.AsyncClient,
    protocol: ProtocolName,
    shared_data: Callable[[str], Path],
    *,
    stream: bool,
) -> None:
    usage = Usage(input_tokens=7, output_tokens=3, reasoning_tokens=1)
    reply = Reply(text="pong, pong, pong and pong", usage=usage, id="i", model="m")
    async with LoopbackProvider(reply) as server:
        answer = await ask(http, server, protocol, stream=stream)
    ours = {path for value in _values(answer, stream=stream) for path in _paths(value)}
    path = shared_data("wire/exchanges_dev.jsonl")
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    known = {path for row in rows if _fits(row, protocol, stream) for path in _recorded_paths(row)}
    assert len(known) > len(ours) / 2
    assert ours - known == set()


def _values(answer: httpx.Response, *, stream: bool) -> list[Any]:
    return list(events(answer)) if stream else [answer.json()]


def _fits(row: dict[str, Any], protocol: ProtocolName, stream: bool) -> bool:  # noqa: FBT001
    return row["api"] == APIS[protocol][stream] and row["stream"] is stream and row["status"] == 200


def _recorded_paths(row: dict[str, Any]) -> Iterator[str]:
    if row["response_json"] is not None:
        yield from _paths(row["response_json"])
        return
    text = str(row["response_text"])
    lines = [line.removeprefix("data: ") for line in text.splitlines()]
    values = lines if row["stream"] else [text]
    for line in values:
        if line.startswith("{"):
            yield from _paths(json.loads(line))


def _paths(value: object, prefix: str = "") -> Iterator[str]:
    """Every place in a JSON value, with the type of what stands there."""
    if isinstance(value, dict):
        fields = cast("dict[str, object]", value)
        # Events differ by their type, so that the places in one are told from another's.
        kind = fields.get("type")
        here = f"{prefix}<{kind}>" if isinstance(kind, str) else prefix
        for name, inner in fields.items():
            yield from _paths(inner, f"{here}.{name}")
    elif isinstance(value, list):
        for inner in cast("list[object]", value):
            yield from _paths(inner, f"{prefix}[]")
    elif value is not None:
        kind = type(value).__name__
        yield f"{prefix}: {'number' if kind in ('int', 'float') else kind}"
