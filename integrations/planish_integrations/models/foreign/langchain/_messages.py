"""From our requests to LangChain's messages, and back."""

from collections.abc import Mapping, Sequence
from contextlib import aclosing
from typing import Any, cast

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    HumanMessage,
    SystemMessage,
)
from langchain_core.runnables import Runnable

from planish.abc import OnText
from planish.data.message import FinishReason, Message, Reply, Request
from planish.data.usage import Usage
from planish.errors import ModelError

__all__ = ["asked", "names", "streamed"]

Asked = Runnable[Any, Any]

_KINDS: Mapping[str, type[BaseMessage]] = {
    "system": SystemMessage,
    "user": HumanMessage,
    "assistant": AIMessage,
}
# Under these names the models of LangChain put why they stopped, in these providers' words.
_PLACES = ("finish_reason", "stop_reason", "done_reason", "stopReason")
_FINISH: Mapping[str, FinishReason] = {
    "stop": "stop",
    "end_turn": "stop",
    "stop_sequence": "stop",
    "eos": "stop",
    "completed": "stop",
    "length": "length",
    "max_tokens": "length",
    "max_output_tokens": "length",
    "model_length": "length",
    "content_filter": "content_filter",
    "refusal": "content_filter",
    "safety": "content_filter",
    "prohibited_content": "content_filter",
    "tool_calls": "tool_calls",
    "tool_use": "tool_calls",
    "function_call": "tool_calls",
    "error": "error",
}


def names(model: Asked) -> tuple[str, str]:
    """The model's name and its provider's, as far as they can be seen."""
    inner: object = model
    while not isinstance(inner, BaseChatModel) and hasattr(inner, "bound"):
        inner = cast("Any", inner).bound
    kind = type(inner)
    name = getattr(inner, "model_name", None) or getattr(inner, "model", None)
    # Each provider has a distribution of its own: langchain_openai, langchain_anthropic.
    package = kind.__module__.partition(".")[0]
    provider = package.removeprefix("langchain_") if package != "langchain_core" else "langchain"
    return str(name or kind.__name__), provider


async def asked(model: Asked, request: Request) -> Reply:
    """Ask for the answer in one piece."""
    answer: object = await model.ainvoke(_messages(request.messages), **_settings(request))
    return _reply(answer)


async def streamed(model: Asked, request: Request, on_text: OnText) -> Reply:
    """Ask for a stream."""
    whole: AIMessage | None = None
    stream = cast("Any", model.astream(_messages(request.messages), **_settings(request)))
    async with aclosing(stream) as chunks:
        async for chunk in chunks:
            if not isinstance(chunk, AIMessage):
                raise _nonsense(chunk)
            # A model that cannot stream gives its whole message as the only piece.
            if isinstance(whole, AIMessageChunk) and isinstance(chunk, AIMessageChunk):
                whole = whole + chunk
            else:
                whole = chunk
            if text := _text(chunk):
                on_text(text)
    if whole is None:
        raise ModelError("LangChain's stream ended before it began")
    return _reply(whole)


def _messages(messages: Sequence[Message]) -> list[BaseMessage]:
    return [_KINDS[message.role](content=message.content) for message in messages]


def _settings(request: Request) -> dict[str, Any]:
    wishes = {
        "stop": list(request.stop) or None,
        "temperature": request.temperature,
        "max_tokens": request.max_tokens,
        "seed": request.seed,
    }
    return {name: wish for name, wish in wishes.items() if wish is not None}


def _reply(answer: object) -> Reply:
    if not isinstance(answer, AIMessage):
        raise _nonsense(answer)
    told = cast("Mapping[str, Any]", answer.response_metadata)
    return Reply(
        text=_text(answer),
        reasoning=_reasoning(answer),
        finish_reason=_finish(told),
        usage=_usage(answer),
        model=told.get("model_name") or told.get("model"),
        id=told.get("id") or answer.id,
    )


def _text(message: AIMessage) -> str:
    content = cast("str | list[str | dict[str, Any]]", message.content)
    if isinstance(content, str):
        return content
    parts = [{"text": part} if isinstance(part, str) else part for part in content]
    return "".join(
        str(part.get("text", "")) for part in parts if part.get("type") in (None, "text")
    )


def _reasoning(message: AIMessage) -> str:
    extra = cast("Mapping[str, Any]", message.additional_kwargs)
    if said := extra.get("reasoning_content"):  # DeepSeek, Ollama, vLLM
        return str(said)
    blocks = cast("Sequence[Mapping[str, Any]]", message.content_blocks)
    return "".join(str(b.get("reasoning", "")) for b in blocks if b.get("type") == "reasoning")


def _finish(told: Mapping[str, Any]) -> FinishReason:
    said = next((told[place] for place in _PLACES if told.get(place)), None)
    return _FINISH.get(str(said).lower(), "unknown")


def _usage(message: AIMessage) -> Usage:
    told = message.usage_metadata
    if told is None:
        return Usage(model_calls=1)
    sent = told.get("input_token_details", {})
    received = told.get("output_token_details", {})
    return Usage(
        input_tokens=told["input_tokens"],
        output_tokens=told["output_tokens"],
        cached_tokens=sent.get("cache_read", 0),
        reasoning_tokens=received.get("reasoning", 0),
        model_calls=1,
    )


def _nonsense(answer: object) -> ModelError:
    return ModelError(f"LangChain answered with a {type(answer).__name__}, not an AIMessage")
