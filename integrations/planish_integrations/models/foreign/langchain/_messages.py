"""Convert planish requests to LangChain messages, and LangChain messages to replies."""

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
from planish_integrations.models.foreign.tables import find_finish_reason

__all__ = ["model_names", "request_reply", "stream_reply"]

ChatRunnable = Runnable[Any, Any]

_MESSAGE_CLASSES: Mapping[str, type[BaseMessage]] = {
    "system": SystemMessage,
    "user": HumanMessage,
    "assistant": AIMessage,
}
# The fields in which LangChain's models store the provider's finish reason.
_FINISH_FIELDS = ("finish_reason", "stop_reason", "done_reason", "stopReason")


def model_names(model: ChatRunnable) -> tuple[str, str]:
    """Return the names of a model and its provider, from its attributes and its package."""
    inner: object = model
    while not isinstance(inner, BaseChatModel) and hasattr(inner, "bound"):
        inner = cast("Any", inner).bound
    kind = type(inner)
    name = getattr(inner, "model_name", None) or getattr(inner, "model", None)
    # Each provider has a distribution of its own: langchain_openai, langchain_anthropic.
    package = kind.__module__.partition(".")[0]
    provider = package.removeprefix("langchain_") if package != "langchain_core" else "langchain"
    return str(name or kind.__name__), provider


async def request_reply(model: ChatRunnable, request: Request) -> Reply:
    """Request a reply without streaming."""
    result: object = await model.ainvoke(_messages(request.messages), **_settings(request))
    return _reply(result)


async def stream_reply(model: ChatRunnable, request: Request, on_text: OnText) -> Reply:
    """Request a reply as a stream."""
    whole: AIMessage | None = None
    stream = cast("Any", model.astream(_messages(request.messages), **_settings(request)))
    async with aclosing(stream) as chunks:
        async for chunk in chunks:
            if not isinstance(chunk, AIMessage):
                raise _wrong_type(chunk)
            # A model that cannot stream yields its whole message as the only chunk.
            if isinstance(whole, AIMessageChunk) and isinstance(chunk, AIMessageChunk):
                whole = whole + chunk
            else:
                whole = chunk
            if text := _text(chunk):
                on_text(text)
    if whole is None:
        raise ModelError("LangChain's stream ended without a chunk")
    return _reply(whole)


def _messages(messages: Sequence[Message]) -> list[BaseMessage]:
    return [_MESSAGE_CLASSES[message.role](content=message.content) for message in messages]


def _settings(request: Request) -> dict[str, Any]:
    optional = {
        "stop": list(request.stop) or None,
        "temperature": request.temperature,
        "max_tokens": request.max_tokens,
        "seed": request.seed,
    }
    return {name: value for name, value in optional.items() if value is not None}


def _reply(result: object) -> Reply:
    if not isinstance(result, AIMessage):
        raise _wrong_type(result)
    metadata = cast("Mapping[str, Any]", result.response_metadata)
    return Reply(
        text=_text(result),
        reasoning=_reasoning(result),
        finish_reason=_finish_reason(result, _finish_word(metadata)),
        provider_finish_reason=_finish_word(metadata),
        usage=_usage(result),
        model=metadata.get("model_name") or metadata.get("model"),
        id=metadata.get("id") or result.id,
    )


def _finish_reason(message: AIMessage, word: str | None) -> FinishReason:
    """Return why the model stopped; a refusal or a tool call counts where the word is "stop"."""
    reason = find_finish_reason(word)
    if reason not in {"stop", "unknown"}:
        return reason
    if _refusal(message):
        return "content_filter"
    return "tool_calls" if message.tool_calls else reason


def _refusal(message: AIMessage) -> str:
    """Return the text of a refusal, which OpenAI's models have apart from the content."""
    return str(cast("Mapping[str, Any]", message.additional_kwargs).get("refusal") or "")


def _text(message: AIMessage) -> str:
    content = cast("str | list[str | dict[str, Any]]", message.content)
    if isinstance(content, str):
        return content or _refusal(message)
    parts = [{"text": part} if isinstance(part, str) else part for part in content]
    return "".join(
        str(part.get("text", "")) for part in parts if part.get("type") in (None, "text")
    )


def _reasoning(message: AIMessage) -> str:
    extra = cast("Mapping[str, Any]", message.additional_kwargs)
    if reasoning := extra.get("reasoning_content"):  # DeepSeek, Ollama, vLLM
        return str(reasoning)
    blocks = cast("Sequence[Mapping[str, Any]]", message.content_blocks)
    return "".join(str(b.get("reasoning", "")) for b in blocks if b.get("type") == "reasoning")


def _finish_word(metadata: Mapping[str, Any]) -> str | None:
    """Return the provider's word for why the model stopped; None if it gave none."""
    word = next((metadata[name] for name in _FINISH_FIELDS if metadata.get(name)), None)
    return None if word is None else str(word)[:100]


def _usage(message: AIMessage) -> Usage:
    counts = message.usage_metadata
    if counts is None:
        return Usage(model_calls=1)
    inputs = counts.get("input_token_details", {})
    outputs = counts.get("output_token_details", {})
    return Usage(
        input_tokens=counts["input_tokens"],
        output_tokens=counts["output_tokens"],
        cached_tokens=inputs.get("cache_read", 0),
        cache_write_tokens=inputs.get("cache_creation", 0),
        reasoning_tokens=outputs.get("reasoning", 0),
        model_calls=1,
    )


def _wrong_type(result: object) -> ModelError:
    return ModelError(f"LangChain returned a {type(result).__name__}, not an AIMessage")
