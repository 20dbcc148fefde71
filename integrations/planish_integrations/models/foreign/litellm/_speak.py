"""From our requests to LiteLLM's arguments, and back."""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any

import anyio

from planish.abc import OnText
from planish.data.message import FinishReason, Reply, Request
from planish.data.usage import Price, Usage
from planish.errors import ModelError

__all__ = ["asked", "listed_price", "streamed"]

Call = Callable[..., Awaitable[Any]]

_FINISH: Mapping[str, FinishReason] = {
    "stop": "stop",
    "eos": "stop",
    "length": "length",
    "content_filter": "content_filter",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
}
_CLOSING = 5.0  # seconds to close a stream, when this call is being cancelled


async def asked(library: Any, call: Call, request: Request, fields: dict[str, Any]) -> Reply:
    """Ask for the answer in one piece."""
    return _reply(library, await call(**_arguments(request) | fields))


async def streamed(
    library: Any, call: Call, request: Request, fields: dict[str, Any], on_text: OnText
) -> Reply:
    """Ask for a stream."""
    arguments = _arguments(request) | {"stream": True, "stream_options": {"include_usage": True}}
    stream = await call(**arguments | fields)
    chunks: list[Any] = []
    pieces: list[str] = []
    try:
        async for chunk in stream:
            chunks.append(chunk)
            text = _said(chunk)
            if text:
                pieces.append(text)
                on_text(text)
    finally:
        await _close(stream)
    whole = library.stream_chunk_builder(chunks, messages=arguments["messages"])
    if whole is None:
        raise ModelError("LiteLLM's stream ended before it began")
    return _reply(library, whole, "".join(pieces))


def _said(chunk: Any) -> str:
    choices = chunk.choices
    return "" if not choices else choices[0].delta.content or ""


async def _close(stream: Any) -> None:
    close = getattr(stream, "aclose", None)
    if close is not None:
        with anyio.move_on_after(_CLOSING, shield=True):
            await close()


def _arguments(request: Request) -> dict[str, Any]:
    wishes = {
        "temperature": request.temperature,
        "max_tokens": request.max_tokens,
        "seed": request.seed,
        "stop": list(request.stop) or None,
    }
    messages = [{"role": m.role, "content": m.content} for m in request.messages]
    return {"messages": messages} | {n: wish for n, wish in wishes.items() if wish is not None}


def _reply(library: Any, answer: Any, text: str | None = None) -> Reply:
    if not getattr(answer, "choices", None):
        raise ModelError(f"LiteLLM answered nothing: {type(answer).__name__} without choices")
    choice = answer.choices[0]
    message = choice.message
    return Reply(
        text=(message.content or "") if text is None else text,
        finish_reason=_FINISH.get(choice.finish_reason, "unknown"),
        usage=_usage(library, answer),
        model=answer.model or None,
        id=answer.id or None,
        reasoning=getattr(message, "reasoning_content", None) or "",
    )


def _usage(library: Any, answer: Any) -> Usage:
    told = getattr(answer, "usage", None)
    sent = getattr(told, "prompt_tokens_details", None)
    received = getattr(told, "completion_tokens_details", None)
    return Usage(
        input_tokens=getattr(told, "prompt_tokens", 0) or 0,
        output_tokens=getattr(told, "completion_tokens", 0) or 0,
        cached_tokens=getattr(sent, "cached_tokens", 0) or 0,
        reasoning_tokens=getattr(received, "reasoning_tokens", 0) or 0,
        model_calls=1,
        usd=_cost(library, answer),
    )


def _cost(library: Any, answer: Any) -> float:
    hidden: Mapping[str, Any] = getattr(answer, "_hidden_params", None) or {}
    if (told := hidden.get("response_cost")) is not None:
        return float(told)
    with suppress(Exception):  # of a model without a price it raises whatever it likes
        return float(library.completion_cost(completion_response=answer))
    return 0.0


def listed_price(library: Any, model: str) -> Price | None:
    """Look a model up in LiteLLM's price table; None where it has no price per token."""
    with suppress(Exception):  # of a model it does not know it raises a plain Exception
        listed: Mapping[str, Any] = library.get_model_info(model)
        if not (listed["input_cost_per_token"] or listed["output_cost_per_token"]):
            return None  # it has 0 for what it does not know, too
        return Price(
            input=_per_million(listed["input_cost_per_token"]),
            output=_per_million(listed["output_cost_per_token"]),
            cached=_optional(listed.get("cache_read_input_token_cost")),
            written=_optional(listed.get("cache_creation_input_token_cost")),
        )
    return None


def _optional(cost: float | None) -> float | None:
    return None if cost is None else _per_million(cost)


def _per_million(cost: float) -> float:
    return float(cost) * 1_000_000
