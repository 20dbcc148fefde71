"""What a LangChain message says becomes a reply, wherever its provider puts it."""

from typing import Any

import pytest
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import AIMessage

from planish.data.message import Message, Request
from planish.data.usage import Usage
from planish_integrations.models.foreign.langchain import _messages

ENDINGS = {
    "stop": ("stop", "end_turn", "stop_sequence", "eos", "completed", "STOP"),
    "length": ("length", "max_tokens", "max_output_tokens", "model_length", "MAX_TOKENS"),
    "content_filter": ("content_filter", "refusal", "safety", "prohibited_content"),
    "tool_calls": ("tool_calls", "tool_use", "function_call"),
    "error": ("error",),
    "unknown": ("something_new", ""),
}


class Answers(FakeListChatModel):
    """Answers with a message of a test's own, and keeps what it was asked with."""

    message: Any
    settings: list[dict[str, Any]]

    async def ainvoke(self, *_args: Any, **settings: Any) -> Any:
        self.settings.append(settings)
        return self.message


async def reply_to(message: AIMessage) -> Any:
    model = Answers(responses=[""], message=message, settings=[])
    return await _messages.request_reply(model, Request(messages=(Message("user", "hi"),)))


@pytest.mark.anyio
@pytest.mark.parametrize("anyio_backend", ["asyncio"])
@pytest.mark.parametrize("place", ["finish_reason", "stop_reason", "done_reason", "stopReason"])
@pytest.mark.parametrize(
    ("finish", "said"), [(finish, said) for finish, all_ in ENDINGS.items() for said in all_]
)
async def test_each_ending_has_its_word(place: str, finish: str, said: str) -> None:
    found = await reply_to(AIMessage("a", response_metadata={place: said}))
    assert (found.text, found.finish_reason) == ("a", finish)
    assert found.provider_finish_reason == (said or None)


@pytest.mark.anyio
@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_a_refusal_or_a_tool_call_counts_where_the_word_is_stop() -> None:
    refusal = AIMessage("", additional_kwargs={"refusal": "I cannot."})
    call = AIMessage("", tool_calls=[{"name": "f", "args": {}, "id": "1"}])
    cut = AIMessage("", additional_kwargs={"refusal": "I"})
    for message, word, expected in (
        (refusal, "stop", ("I cannot.", "content_filter")),
        (call, "stop", ("", "tool_calls")),
        (cut, "length", ("I", "length")),
    ):
        message.response_metadata = {"finish_reason": word}
        found = await reply_to(message)
        assert (found.text, found.finish_reason) == expected


@pytest.mark.anyio
@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_names_ids_and_usage_are_read() -> None:
    used: Any = {
        "input_tokens": 7,
        "output_tokens": 5,
        "total_tokens": 12,
        "input_token_details": {"cache_read": 3},
        "output_token_details": {"reasoning": 2},
    }
    told = {"model_name": "one", "model": "other", "id": "r1"}
    found = await reply_to(AIMessage("a", response_metadata=told, usage_metadata=used, id="m1"))
    assert (found.model, found.id) == ("one", "r1")
    assert found.usage == Usage(
        input_tokens=7, output_tokens=5, cached_tokens=3, reasoning_tokens=2, model_calls=1
    )
    bare = await reply_to(AIMessage("a", response_metadata={"model": "other"}, id="m1"))
    assert (bare.model, bare.id, bare.usage) == ("other", "m1", Usage(model_calls=1))


@pytest.mark.anyio
@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_what_a_request_leaves_open_is_not_sent() -> None:
    model = Answers(responses=[""], message=AIMessage("a"), settings=[])
    messages = (Message("user", "hi"),)
    await _messages.request_reply(model, Request(messages=messages))
    full = Request(messages=messages, temperature=0.5, max_tokens=9, seed=3, stop=("x",))
    await _messages.request_reply(model, full)
    assert model.settings == [
        {},
        {"temperature": 0.5, "max_tokens": 9, "seed": 3, "stop": ["x"]},
    ]
