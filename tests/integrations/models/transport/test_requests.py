"""What each protocol sends: what was asked for, in the provider's words, and nothing else."""

from typing import Any

import pytest
from tests.integrations.models.transport.protocols import LOOPBACK_NAMES, MODELS

from planish.data import Message, Request
from planish.errors import UnsupportedError
from planish_integrations.anthropic import AnthropicModel
from planish_integrations.testing import LoopbackProvider, ReceivedRequest

SCHEMA: dict[str, Any] = {
    "title": "Answer to it",
    "type": "object",
    "properties": {"n": {"type": "integer"}},
    "required": ["n"],
    "additionalProperties": False,
}
BARE = Request(messages=(Message("user", "Grüße 😀"),))
FULL = Request(
    messages=(
        Message("system", "Be short."),
        Message("user", "Hello."),
        Message("assistant", "Hi."),
        Message("user", "Grüße 😀"),
    ),
    temperature=0.0,
    max_tokens=50,
    schema=SCHEMA,
    task_id="t",
    attempt=3,
)
TURNS = [
    {"role": "user", "content": "Hello."},
    {"role": "assistant", "content": "Hi."},
    {"role": "user", "content": "Grüße 😀"},
]
SYSTEM = {"role": "system", "content": "Be short."}
NAMED = {"name": "Answer_to_it", "schema": SCHEMA, "strict": True}


async def sent(
    protocol: str, request: Request, *, streamed: bool = False, **more: Any
) -> ReceivedRequest:
    async with LoopbackProvider(["ok"]) as server:
        url = server.url(LOOPBACK_NAMES[protocol])
        model = MODELS[protocol]("m/1", base_url=url, api_key="", **more)
        await model.reply(request, list[str]().append if streamed else None)
    return server.requests[0]


BODIES: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "chat": (
        "/v1/chat/completions",
        {"model": "m/1", "messages": [TURNS[2]]},
        {
            "model": "m/1",
            "messages": [SYSTEM, *TURNS],
            "temperature": 0.0,
            "max_tokens": 50,
            "response_format": {"type": "json_schema", "json_schema": NAMED},
        },
    ),
    "responses": (
        "/v1/responses",
        {"model": "m/1", "input": [TURNS[2]], "store": False},
        {
            "model": "m/1",
            "input": [SYSTEM, *TURNS],
            "store": False,
            "temperature": 0.0,
            "max_output_tokens": 50,
            "text": {"format": {"type": "json_schema"} | NAMED},
        },
    ),
    "anthropic": (
        "/v1/messages",
        {"model": "m/1", "messages": [TURNS[2]], "max_tokens": 8192},
        {
            "model": "m/1",
            "messages": TURNS,
            "system": "Be short.",
            "temperature": 0.0,
            "max_tokens": 50,
            "output_config": {"format": {"type": "json_schema", "schema": SCHEMA}},
        },
    ),
    "gemini": (
        "/v1beta/models/m%2F1:generateContent",
        {"contents": [{"role": "user", "parts": [{"text": "Grüße 😀"}]}]},
        {
            "contents": [
                {"role": "user", "parts": [{"text": "Hello."}]},
                {"role": "model", "parts": [{"text": "Hi."}]},
                {"role": "user", "parts": [{"text": "Grüße 😀"}]},
            ],
            "systemInstruction": {"parts": [{"text": "Be short."}]},
            "generationConfig": {
                "temperature": 0.0,
                "maxOutputTokens": 50,
                "responseMimeType": "application/json",
                "responseJsonSchema": SCHEMA,
            },
        },
    ),
    "ollama": (
        "/api/chat",
        {"model": "m/1", "messages": [TURNS[2]], "stream": False},
        {
            "model": "m/1",
            "messages": [SYSTEM, *TURNS],
            "stream": False,
            "options": {"temperature": 0.0, "num_predict": 50},
            "format": SCHEMA,
        },
    ),
}


@pytest.mark.anyio
@pytest.mark.parametrize("protocol", MODELS)
async def test_what_was_asked_for_is_sent_in_the_providers_words(protocol: str) -> None:
    path, bare, full = BODIES[protocol]
    received = await sent(protocol, BARE)
    assert (received.path, received.query) == (path, "")
    assert received.json == bare
    assert (await sent(protocol, FULL)).json == full


@pytest.mark.anyio
@pytest.mark.parametrize("protocol", MODELS)
async def test_a_stream_is_asked_for_and_nothing_else_is_different(protocol: str) -> None:
    whole, streamed = await sent(protocol, FULL), await sent(protocol, FULL, streamed=True)
    asks: dict[str, Any] = {"stream": True}
    if protocol == "chat":
        asks["stream_options"] = {"include_usage": True}
    if protocol == "gemini":
        asks = {}
        assert streamed.path.endswith(":streamGenerateContent")
        assert streamed.query == "alt=sse"
    assert streamed.json == whole.json | asks


@pytest.mark.anyio
@pytest.mark.parametrize("protocol", MODELS)
async def test_seed_and_stop_are_sent_or_refused_before_anything_is_sent(protocol: str) -> None:
    wishes = {"seed": 7, "stop": ("###",)}
    refused = {"responses": {"seed", "stop"}, "anthropic": {"seed"}}.get(protocol, set())
    for name, value in wishes.items():
        request = Request(messages=BARE.messages, **{name: value})  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
        if name in refused:
            model = MODELS[protocol]("m", base_url="http://127.0.0.1:9/v1", api_key="")
            with pytest.raises(UnsupportedError, match=name):
                await model.reply(request)
        else:
            body = (await sent(protocol, request)).text + str((await sent(protocol, request)).json)
            assert ("7" if name == "seed" else "###") in body


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("protocol", "extra", "expected"),
    [
        ("gemini", {"generationConfig": {"topP": 0.5}}, {"topP": 0.5, "temperature": 0.0}),
        ("ollama", {"options": {"num_ctx": 9}}, {"num_ctx": 9, "temperature": 0.0}),
    ],
)
async def test_objects_of_extra_are_merged(
    protocol: str, extra: dict[str, Any], expected: dict[str, Any]
) -> None:
    request = Request(messages=BARE.messages, temperature=0.0)
    body = (await sent(protocol, request, extra=extra)).json
    assert body[next(iter(extra))] == expected


@pytest.mark.anyio
@pytest.mark.parametrize("protocol", MODELS)
async def test_headers_can_be_added(protocol: str) -> None:
    received = await sent(protocol, BARE, headers={"X-Team": "7"})
    assert received.headers["x-team"] == "7"
    assert received.headers["content-type"] == "application/json"


@pytest.mark.parametrize("protocol", MODELS)
def test_extra_may_not_set_reserved_fields(protocol: str) -> None:
    field = (
        "contents" if protocol == "gemini" else "input" if protocol == "responses" else "messages"
    )
    with pytest.raises(ValueError, match=field):
        MODELS[protocol]("m", base_url="http://localhost/v1", api_key="", extra={field: []})


@pytest.mark.anyio
async def test_a_schema_that_leaves_fields_out_is_not_promised_to_the_letter() -> None:
    open_end: dict[str, Any] = SCHEMA | {"required": ()}
    body = (await sent("chat", Request(messages=BARE.messages, schema=open_end))).json
    assert body["response_format"]["json_schema"]["strict"] is False


@pytest.mark.parametrize(
    ("name", "most"),
    [
        *((f"claude-3-{size}-20240229", 4096) for size in ("opus", "sonnet", "haiku")),
        ("claude-3-5-haiku-latest", 8192),
    ],
)
def test_a_claude_writes_as_much_as_it_can_where_nothing_else_is_said(name: str, most: int) -> None:
    assert AnthropicModel(name, api_key="k").max_tokens == most
