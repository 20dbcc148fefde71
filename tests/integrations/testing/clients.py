"""What clients of each protocol send, and how the answers are read: simply, with httpx."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import httpx

from planish_integrations.testing import LoopbackProvider, ProtocolName

PROTOCOLS: tuple[ProtocolName, ...] = ("openai", "responses", "anthropic", "gemini", "ollama")
SAY = "Say something."

_PATHS: Mapping[ProtocolName, str] = {
    "openai": "/chat/completions",
    "responses": "/responses",
    "anthropic": "/messages",
    "ollama": "/api/chat",
}


@dataclass(frozen=True)
class Read:
    """What an answer says."""

    text: str
    reasoning: str
    finish: Any
    id: Any
    model: Any
    tokens: tuple[int, int]


def url_of(server: LoopbackProvider, protocol: ProtocolName, *, stream: bool) -> str:
    if protocol == "gemini":
        verb = "streamGenerateContent?alt=sse" if stream else "generateContent"
        return f"{server.url(protocol)}/models/gem-1:{verb}"
    return server.url(protocol) + _PATHS[protocol]


def body_of(protocol: ProtocolName, *, stream: bool) -> dict[str, Any]:
    if protocol == "gemini":
        return {"contents": [{"role": "user", "parts": [{"text": SAY}]}]}
    message = {"role": "user", "content": SAY}
    body: dict[str, Any] = {"model": "m-1", "stream": stream}
    if protocol == "openai" and stream:
        body["stream_options"] = {"include_usage": True}
    return body | {"input" if protocol == "responses" else "messages": [message]}


async def ask(
    http: httpx.AsyncClient, server: LoopbackProvider, protocol: ProtocolName, *, stream: bool
) -> httpx.Response:
    return await http.post(
        url_of(server, protocol, stream=stream), json=body_of(protocol, stream=stream)
    )


def events(answer: httpx.Response) -> list[dict[str, Any]]:
    """The JSON values of a streamed answer, of whichever form."""
    lines = answer.text.splitlines()
    if "ndjson" not in answer.headers["content-type"]:
        lines = [line.removeprefix("data: ") for line in lines if line.startswith("data: {")]
    return [json.loads(line) for line in lines]


def read(protocol: ProtocolName, answer: httpx.Response, *, stream: bool) -> Read:
    values = events(answer) if stream else [answer.json()]
    return _READERS[protocol](values)


def _chat(values: list[dict[str, Any]]) -> Read:
    choices = [choice for value in values for choice in value["choices"]]
    parts: list[dict[str, Any]] = [c.get("delta", c.get("message")) for c in choices]
    usage = values[-1]["usage"]
    return Read(
        "".join(one.get("content") or "" for one in parts),
        "".join(one.get("reasoning_content") or "" for one in parts),
        choices[-1]["finish_reason"],
        values[0]["id"],
        values[0]["model"],
        (usage["prompt_tokens"], usage["completion_tokens"]),
    )


def _responses(values: list[dict[str, Any]]) -> Read:
    last = values[-1].get("response", values[-1])
    items = last["output"]
    text = "".join(p["text"] for i in items if i["type"] == "message" for p in i["content"])
    thought = "".join(p["text"] for i in items if i["type"] == "reasoning" for p in i["summary"])
    if len(values) > 1:
        deltas = [v for v in values if v["type"].endswith(".delta")]
        assert text == "".join(v["delta"] for v in deltas if "output_text" in v["type"])
        assert thought == "".join(v["delta"] for v in deltas if "reasoning" in v["type"])
        assert [v["sequence_number"] for v in values] == list(range(len(values)))
    usage = last["usage"]
    why = last["incomplete_details"]
    finish = why["reason"] if why else last["status"]
    tokens = usage["input_tokens"], usage["output_tokens"]
    return Read(text, thought, finish, last["id"], last["model"], tokens)


def _messages(values: list[dict[str, Any]]) -> Read:
    if len(values) > 1:
        return _message_events(values)
    [message] = values
    parts = {block["type"]: block for block in message["content"]}
    usage = message["usage"]
    return Read(
        parts["text"]["text"],
        parts.get("thinking", {}).get("thinking", ""),
        message["stop_reason"],
        message["id"],
        message["model"],
        (usage["input_tokens"], usage["output_tokens"]),
    )


def _message_events(values: list[dict[str, Any]]) -> Read:
    begun, ended = values[0]["message"], values[-2]
    assert values[-1] == {"type": "message_stop"}
    deltas = [v["delta"] for v in values if v["type"] == "content_block_delta"]
    usage = begun["usage"] | ended["usage"]
    return Read(
        "".join(d.get("text", "") for d in deltas),
        "".join(d.get("thinking", "") for d in deltas),
        ended["delta"]["stop_reason"],
        begun["id"],
        begun["model"],
        (usage["input_tokens"], usage["output_tokens"]),
    )


def _gemini(values: list[dict[str, Any]]) -> Read:
    candidates = [value["candidates"][0] for value in values]
    parts = [part for candidate in candidates for part in candidate["content"]["parts"]]
    usage = values[-1]["usageMetadata"]
    return Read(
        "".join(part["text"] for part in parts if not part.get("thought")),
        "".join(part["text"] for part in parts if part.get("thought")),
        candidates[-1]["finishReason"],
        values[-1]["responseId"],
        values[-1]["modelVersion"],
        (
            usage["promptTokenCount"],
            usage["candidatesTokenCount"] + usage["thoughtsTokenCount"],
        ),
    )


def _ollama(values: list[dict[str, Any]]) -> Read:
    last = values[-1]
    assert last["done"]
    return Read(
        "".join(value["message"]["content"] for value in values),
        "".join(value["message"].get("thinking", "") for value in values),
        last["done_reason"],
        None,  # Ollama has no ids
        last["model"],
        (last["prompt_eval_count"], last["eval_count"]),
    )


_READERS = {
    "openai": _chat,
    "responses": _responses,
    "anthropic": _messages,
    "gemini": _gemini,
    "ollama": _ollama,
}
