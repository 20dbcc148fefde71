"""The bodies of each loopback protocol, field by field, whole and as a stream.

`bodies.json` has them, an event a line: a change in it is a change of what clients are tested with.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from planish.data.message import Reply
from planish.data.usage import Usage
from planish_integrations.testing._anthropic import Messages
from planish_integrations.testing._gemini import Gemini
from planish_integrations.testing._ollama import Ollama
from planish_integrations.testing._openai import ChatCompletions, Responses
from planish_integrations.testing._protocol import ChatRequest, ProviderProtocol

PROTOCOLS: dict[str, ProviderProtocol] = {
    "openai": ChatCompletions(),
    "responses": Responses(),
    "anthropic": Messages(),
    "gemini": Gemini(),
    "ollama": Ollama(),
}
BODIES: dict[str, Any] = json.loads(Path(__file__).with_name("bodies.json").read_text("utf-8"))
USAGE = Usage(input_tokens=11, output_tokens=7, cached_tokens=5, reasoning_tokens=3)
REPLY = Reply(text="some text", reasoning="a thought", id="r1", model="m-1", usage=USAGE)
BARE = Reply(text="", id="r2", usage=USAGE)
REASONS = ("stop", "length", "content_filter", "tool_calls", "error", "unknown")


def request(**body: Any) -> ChatRequest:
    query = "alt=sse" if body.get("stream") else ""
    return ChatRequest("/models/asked:generateContent", query, {"model": "asked", **body})


def parsed(event: bytes) -> Any:
    """The name and the value of an event, its lines if it is no JSON."""
    lines = event.decode().splitlines()
    data = lines[-1] if event.startswith(b"{") else next((x for x in lines[::-1] if x), "")
    text = data.removeprefix("data: ")
    value = json.loads(text) if text.startswith("{") else text
    name = lines[0].removeprefix("event: ") if lines[0].startswith("event: ") else None
    return value if name is None else [name, value]


def made(protocol: ProviderProtocol) -> dict[str, Any]:
    streamed = request(stream=True, stream_options={"include_usage": True})
    bare = request(stream=True)
    return {
        "whole": protocol.response_body(REPLY, request()),
        "bare": protocol.response_body(BARE, request()),
        "stream": [parsed(event) for event in protocol.stream_events(REPLY, streamed)],
        "bare stream": [parsed(event) for event in protocol.stream_events(BARE, bare)],
    }


@pytest.mark.parametrize("name", PROTOCOLS)
def test_bodies_and_streams_have_the_fields_of_the_protocol(name: str) -> None:
    found = json.loads(json.dumps(made(PROTOCOLS[name])))
    for kind, value in BODIES[name].items():
        assert found[kind] == value


FINISHES: dict[str, tuple[str, tuple[Any, ...]]] = {
    "openai": ("choices.0.finish_reason", (*REASONS[:4], "stop", None)),
    "responses": (
        "incomplete_details.reason",
        (None, "max_output_tokens", "content_filter", None, None, None),
    ),
    "anthropic": (
        "stop_reason",
        ("end_turn", "max_tokens", "refusal", "tool_use", "end_turn", "end_turn"),
    ),
    "gemini": (
        "candidates.0.finishReason",
        BODIES["finishes"]["gemini"],
    ),
    "ollama": ("done_reason", BODIES["finishes"]["ollama"]),
}


@pytest.mark.parametrize("name", PROTOCOLS)
def test_each_finish_reason_has_the_word_of_the_protocol(name: str) -> None:
    place, words = FINISHES[name]
    for reason, word in zip(REASONS, words, strict=True):
        reply: Any = Reply(text="x", finish_reason=reason)  # type: ignore[arg-type]
        value: Any = PROTOCOLS[name].response_body(reply, request())
        for key in place.split("."):
            value = None if value is None else value[int(key) if key.isdigit() else key]
        assert value == word


def test_a_stream_is_wanted_where_the_request_says_so() -> None:
    for name in ("openai", "responses", "anthropic"):
        protocol = PROTOCOLS[name]
        assert protocol.wants_stream(request(stream=True))
        assert not protocol.wants_stream(request())
        assert not protocol.wants_stream(request(stream="true"))
        assert protocol.stream_type == "text/event-stream; charset=utf-8"
    assert ChatRequest("/", "", {}).model == "loopback"
