"""Replies in unusual forms are read where they can be; else the error says what was paid for."""

from typing import Any

import pytest
from tests.integrations.models.openai.loopback import Answer, Loopback
from tests.integrations.models.transport.protocols import MODELS, READERS

from planish.data.message import Message, Request
from planish.data.usage import usage_of
from planish.errors import ModelError
from planish_integrations.models.transport import Backoff
from planish_integrations.models.transport._parsing import StreamReader, reply_from_body
from planish_integrations.models.transport.json_values import encode

ASK = Request(messages=(Message("user", "hello"),))
CHAT = {"usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}}
RESPONSES = {"status": "completed", "usage": {"input_tokens": 7, "output_tokens": 3}}
ANTHROPIC = {"stop_reason": "end_turn", "usage": {"input_tokens": 7, "output_tokens": 3}}
OLLAMA = {"done": True, "done_reason": "stop", "prompt_eval_count": 7, "eval_count": 3}
GEMINI = {"usageMetadata": {"promptTokenCount": 7, "candidatesTokenCount": 3}}


def choice(**fields: Any) -> dict[str, Any]:
    return CHAT | {"choices": [{"index": 0, "finish_reason": "stop"} | fields]}


READ: list[tuple[str, dict[str, Any]]] = [
    ("chat", choice(message={"content": {"type": "text", "text": "hi"}})),
    ("chat", choice(message={"content": [{"type": "text", "text": "hi"}]})),
    ("chat", choice(text="hi")),
    ("chat", choice(message={"content": "hi"}) | {"message": "served by a proxy"}),
    (
        "responses",
        RESPONSES | {"output": [{"type": "message", "content": "hi"}], "message": "from a proxy"},
    ),
    (
        "responses",
        RESPONSES
        | {"output": [{"type": "message", "content": {"type": "output_text", "text": "hi"}}]},
    ),
    ("anthropic", ANTHROPIC | {"content": "hi"}),
    ("anthropic", ANTHROPIC | {"content": {"type": "text", "text": "hi"}, "message": "a proxy"}),
    ("ollama", OLLAMA | {"response": "hi"}),
    (
        "gemini",
        GEMINI
        | {"candidates": [{"content": {"parts": {"text": "hi"}}, "finishReason": "STOP"}]}
        | {"message": "from a proxy"},
    ),
]


@pytest.mark.parametrize(("protocol", "body"), READ)
def test_a_reply_in_an_unusual_form_is_read(protocol: str, body: dict[str, Any]) -> None:
    reply = reply_from_body(encode(body), READERS[protocol]())
    assert (reply.text, reply.finish_reason, reply.usage.tokens) == ("hi", "stop", 10)


def test_a_stream_of_legacy_texts_is_read() -> None:
    reader = StreamReader(READERS["chat"](), "events")
    for body in (choice(text="h", finish_reason=None), choice(text="i")):
        reader.feed(b"data: " + encode(body) + b"\n\n")
    reader.end()
    assert reader.to_reply().text == "hi"


UNREADABLE: list[tuple[str, dict[str, Any]]] = [
    ("chat", choice()),
    ("chat", choice(message=None)),
    ("chat", choice(message={"content": 4})),
    ("chat", choice(message="hi")),
    ("responses", RESPONSES | {"output": None}),
    ("anthropic", ANTHROPIC | {"content": None}),
    ("ollama", OLLAMA),
]


@pytest.mark.anyio
@pytest.mark.parametrize(("protocol", "body"), UNREADABLE)
async def test_a_reply_that_cannot_be_read_is_an_error_with_its_usage(
    protocol: str, body: dict[str, Any], server: Loopback
) -> None:
    model = MODELS[protocol]("m", base_url=server.url, api_key="", backoff=Backoff(tries=1))
    server.answers.append(Answer(encode(body)))
    with pytest.raises(ModelError, match="sent an invalid response") as caught:
        await model.reply(ASK)
    usage = usage_of(caught.value)
    assert usage is not None
    assert (usage.input_tokens, usage.output_tokens, usage.estimated_tokens) == (7, 3, 0)
    assert (usage.model_calls, usage.failed_calls) == (0, 1)


def message_item(text: str, **fields: Any) -> dict[str, Any]:
    return {"type": "message", "content": [{"type": "output_text", "text": text}], **fields}


ITEMS: list[dict[str, Any]] = [
    message_item("I look at the tests first.", phase="commentary"),
    {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Hm."}]},
    message_item("One.", phase="final_answer"),
    message_item("Two."),
]


def test_messages_of_the_responses_api_are_apart_and_commentary_is_reasoning() -> None:
    reply = reply_from_body(encode(RESPONSES | {"output": ITEMS}), READERS["responses"]())
    assert reply.text == "One.\n\nTwo."
    assert reply.reasoning == "I look at the tests first.\n\nHm."


@pytest.mark.parametrize("size", [1, 3, 100])
def test_a_stream_of_messages_is_read_the_same(size: int) -> None:
    reader, pieces = StreamReader(READERS["responses"](), "events"), list[str]()

    def feed(kind: str, **fields: Any) -> None:
        event = {"type": f"response.{kind}", **fields}
        pieces.append(reader.feed(b"data: " + encode(event) + b"\n\n"))

    for index, item in enumerate(ITEMS):
        feed("output_item.added", output_index=index, item={**item, "content": [], "summary": []})
        name = "output_text" if item["type"] == "message" else "reasoning_summary_text"
        (part,) = item.get("content") or item["summary"]
        for start in range(0, len(part["text"]), size):
            delta = part["text"][start : start + size]
            feed(f"{name}.delta", output_index=index, content_index=0, delta=delta)
        feed(f"{name}.done", output_index=index, content_index=0, text=part["text"])
    feed("completed", response=RESPONSES | {"output": ITEMS})
    pieces.append(reader.end())
    reply = reader.to_reply()
    assert reply.text == "".join(pieces) == "One.\n\nTwo."
    assert reply.reasoning == "I look at the tests first.\n\nHm."
