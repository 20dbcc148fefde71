"""Each finish reason of a provider becomes one of planish's; unknown ones become unknown."""

from typing import Any

import pytest
from tests.integrations.models.transport.protocols import READERS

from planish_integrations.models.transport.protocol import InBandError, find_finish_reason

ENDINGS = [
    *(("chat", word, word) for word in ("stop", "length", "content_filter", "tool_calls")),
    *(("chat", word, "stop") for word in ("eos", "end_turn", "stop_sequence", "STOP")),
    *(("chat", word, "length") for word in ("max_tokens", "model_length")),
    *(("chat", word, "tool_calls") for word in ("tool_use", "function_call")),
    *(
        ("chat", word, "error")
        for word in ("error", "insufficient_system_resource", "abort", "aborted")
    ),
    *(("anthropic", word, "stop") for word in ("end_turn", "stop_sequence")),
    ("anthropic", "max_tokens", "length"),
    ("anthropic", "model_context_window_exceeded", "length"),
    *(("anthropic", word, "tool_calls") for word in ("tool_use", "pause_turn")),
    ("anthropic", "refusal", "content_filter"),
    ("gemini", "STOP", "stop"),
    ("gemini", "MAX_TOKENS", "length"),
    *(
        ("gemini", word, "content_filter")
        for word in (
            *("SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII"),
            *("IMAGE_SAFETY", "MODEL_ARMOR"),
        )
    ),
    *(
        ("gemini", word, "error")
        for word in (
            *("MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS"),
            "MALFORMED_RESPONSE",
        )
    ),
    *(("ollama", word, word) for word in ("stop", "length")),
    ("ollama", "", "stop"),
    *(
        (protocol, "something_new", "unknown")
        for protocol in ("chat", "anthropic", "gemini", "ollama")
    ),
]
RESPONSES: list[tuple[dict[str, Any], str]] = [
    ({"status": "completed"}, "stop"),
    ({"status": "cancelled"}, "error"),
    ({"status": "failed"}, "error"),
    ({"status": "queued"}, "error"),
    ({"status": "in_progress"}, "error"),
    ({"status": "something_new"}, "unknown"),
    ({}, "unknown"),
    ({"status": "incomplete"}, "unknown"),
    *(
        ({"status": "incomplete", "incomplete_details": {"reason": reason}}, finish)
        for reason, finish in (
            *(("max_output_tokens", "length"), ("max_tokens", "length")),
            *(("content_filter", "content_filter"), ("something_new", "unknown")),
        )
    ),
]


def body(protocol: str, reason: str) -> dict[str, Any]:
    match protocol:
        case "chat":
            return {"choices": [{"message": {"content": "a"}, "finish_reason": reason}]}
        case "anthropic":
            content = [{"type": "text", "text": "a"}]
            return {"type": "message", "content": content, "stop_reason": reason}
        case "gemini":
            return {"candidates": [{"content": {"parts": [{"text": "a"}]}, "finishReason": reason}]}
        case _:
            return {"message": {"content": "a"}, "done": True, "done_reason": reason}


@pytest.mark.parametrize(("protocol", "reason", "finish"), ENDINGS)
def test_each_ending_has_its_word(protocol: str, reason: str, finish: str) -> None:
    reader = READERS[protocol]()
    reader.read_body(body(protocol, reason))
    reader.end()
    reply = reader.to_reply()
    assert (reply.text, reply.finish_reason) == ("a", finish)
    assert reply.provider_finish_reason == (reason or None)


def test_a_long_word_of_a_provider_is_cut() -> None:
    reader = READERS["chat"]()
    reader.read_body(body("chat", "x" * 5000))
    assert reader.to_reply().provider_finish_reason == "x" * 100


def test_ollama_may_say_nothing_of_its_ending() -> None:
    reader = READERS["ollama"]()
    reader.read_body({"message": {"content": "a"}, "done": True})
    assert reader.finish_reason == "stop"


@pytest.mark.parametrize(("fields", "finish"), RESPONSES)
@pytest.mark.parametrize("streamed", [False, True])
def test_each_status_of_a_response_has_its_word(
    fields: dict[str, Any], finish: str, *, streamed: bool
) -> None:
    reader = READERS["responses"]()
    response: dict[str, Any] = {"output": [], **fields}
    if streamed:
        reader.read_event({"type": "response.completed", "response": response})
    else:
        reader.read_body(response)
    assert (reader.finish_reason, reader.is_complete, reader.has_ended) == (finish, True, True)


@pytest.mark.parametrize("kind", ["failed", "incomplete", "cancelled", "completed"])
def test_a_response_with_an_error_raises_it_however_it_is_called(kind: str) -> None:
    error = {"code": "server_error", "message": "it broke"}
    response: dict[str, Any] = {"status": "failed", "output": [], "error": error}
    with pytest.raises(InBandError, match="it broke") as caught:
        READERS["responses"]().read_event({"type": f"response.{kind}", "response": response})
    assert caught.value.error_body.codes == {"server_error"}
    with pytest.raises(InBandError, match="it broke"):
        READERS["responses"]().read_body(response)


REFUSAL = "I cannot help with that."
CALL = {"name": "f", "arguments": "{}"}
PARTS: list[tuple[str, dict[str, Any], str]] = [
    ("chat", {"message": {"content": None, "refusal": REFUSAL}}, "content_filter"),
    (
        "chat",
        {"message": {"content": [{"type": "refusal", "refusal": REFUSAL}]}},
        "content_filter",
    ),
    ("chat", {"message": {"content": None, "tool_calls": [{"function": CALL}]}}, "tool_calls"),
    ("chat", {"message": {"content": None, "function_call": CALL}}, "tool_calls"),
    ("chat", {"message": {"content": "a", "refusal": None, "tool_calls": []}}, "stop"),
    ("gemini", {"content": {"parts": [{"functionCall": {"name": "f"}}]}}, "tool_calls"),
    ("ollama", {"message": {"content": "", "tool_calls": [{"function": CALL}]}}, "tool_calls"),
]


@pytest.mark.parametrize(("protocol", "part", "finish"), PARTS)
def test_a_refusal_or_a_tool_call_counts_where_the_word_is_stop(
    protocol: str, part: dict[str, Any], finish: str
) -> None:
    bodies = {
        "chat": {"choices": [{"finish_reason": "stop", **part}]},
        "gemini": {"candidates": [{"finishReason": "STOP", **part}]},
        "ollama": {"done": True, "done_reason": "stop", **part},
    }
    reader = READERS[protocol]()
    reader.read_body(bodies[protocol])
    reply = reader.to_reply()
    assert (reply.finish_reason, (reply.provider_finish_reason or "").lower()) == (finish, "stop")


def test_a_streamed_refusal_may_come_whole() -> None:
    reader = READERS["responses"]()
    reader.read_event({"type": "response.refusal.done", "refusal": REFUSAL, "output_index": 0})
    reader.read_event({"type": "response.completed", "response": {"status": "completed"}})
    reply = reader.to_reply()
    assert (reply.text, reply.finish_reason) == (REFUSAL, "content_filter")


def test_a_reply_with_a_refusal_that_was_cut_off_was_cut_off() -> None:
    reader = READERS["chat"]()
    message = {"content": None, "refusal": REFUSAL}
    reader.read_body({"choices": [{"finish_reason": "length", "message": message}]})
    assert reader.finish_reason == "length"


@pytest.mark.parametrize("streamed", [False, True])
def test_a_refusal_or_a_tool_call_of_a_response_counts(*, streamed: bool) -> None:
    refusal = {"type": "message", "content": [{"type": "refusal", "refusal": REFUSAL}]}
    call = {"type": "function_call", **CALL}
    for output, text, finish in (
        ([refusal], REFUSAL, "content_filter"),
        ([call], "", "tool_calls"),
        ([call, refusal], REFUSAL, "content_filter"),
    ):
        reader = READERS["responses"]()
        response: dict[str, Any] = {"output": output, "status": "completed"}
        if streamed:
            for index, item in enumerate(output):
                place = {"output_index": index, "item": item}
                reader.read_event({"type": "response.output_item.added", **place})
            piece = {"type": "response.refusal.delta", "delta": REFUSAL, "content_index": 0}
            if text:
                reader.read_event({**piece, "output_index": len(output) - 1})
            reader.read_event({"type": "response.completed", "response": response})
        else:
            reader.read_body(response)
        reply = reader.to_reply()
        assert (reply.text.strip(), reply.finish_reason) == (text, finish)


@pytest.mark.parametrize(
    ("word", "finish"),
    [
        *((word, "stop") for word in ("complete", "eos_token", "END_TURN")),
        *((word, "content_filter") for word in ("guardrail_intervened", "ERROR_TOXIC")),
        *(("tool_call", "tool_calls"), ("ERROR_LIMIT", "length"), ("load", "error")),
        *(("USER_CANCEL", "error"), ("", "unknown"), (None, "unknown"), ("OTHER", "unknown")),
    ],
)
def test_words_of_servers_behind_other_libraries_are_known(word: str | None, finish: str) -> None:
    assert find_finish_reason(word) == finish


def test_a_prompt_that_was_stopped_has_no_text() -> None:
    reader = READERS["gemini"]()
    reader.read_body({"promptFeedback": {"blockReason": "SAFETY"}})
    outcome = (reader.finish_reason, reader.is_complete, reader.to_reply().text)
    assert outcome == (
        "content_filter",
        True,
        "",
    )
