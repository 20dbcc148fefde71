"""LiteLLM as a planish model: any of its providers, or a Router over several.

Needs `pip install "planish[litellm]"`; litellm is imported when a model is made. asyncio only.
"""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any

import anyio

from planish.abc import OnText
from planish.data.message import FinishReason, Reply, Request
from planish.data.usage import ModelPrice, Price, Usage
from planish.errors import ModelError
from planish_integrations.models.foreign.errors import (
    error_of,
    must_run_on_asyncio,
    needed,
)

__all__ = ["LiteLLMModel", "asked", "listed_price", "streamed"]

_OWN = frozenset({"model", "messages", "stream", "stream_options"})


class LiteLLMModel:
    """A `planish.abc.Model` that asks LiteLLM: `litellm.acompletion`, or a Router's.

    What the provider raises becomes planish's error of that road; how often it is tried again
    before, `num_retries` or the Router decides. Parameters of a request that the provider does
    not take are dropped by LiteLLM. `Usage.usd` is what LiteLLM makes of its own price table;
    0.0 where it knows no price. `Request.schema` is not sent.

    LiteLLM reads a price table from the network when it is imported, unless the environment
    says LITELLM_LOCAL_MODEL_COST_MAP=True.

    Args:
        model: As LiteLLM knows it: "anthropic/claude-...", or a model group of the Router.
        router: A `litellm.Router`; None (the default) for `litellm.acompletion`.
        provider: Who serves it; None (the default) for what stands before the first "/" of the
            name, or "litellm".
        price: What it costs, for `budget(usd=...)`: a `planish.data.usage.Price`, or "reported"
            where each reply's `Usage.usd` has what it cost. None (the default) for what LiteLLM's
            own table says; of a Router's models that is not known.
        options: Further arguments of each call: `api_key`, `api_base`, `timeout`,
            `num_retries`, ...; they win over planish's own. They are not shown.

    Raises:
        UnsupportedError: litellm is not installed.
        ValueError: `options` sets the model, messages or stream.
    """

    def __init__(
        self,
        model: str,
        *,
        router: Any = None,
        provider: str | None = None,
        price: ModelPrice = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        self._options = dict(options or {})
        if own := _OWN & self._options.keys():
            raise ValueError(f"options may not set {', '.join(sorted(own))}: planish does")
        self._library: Any = needed("litellm", "litellm")
        self._call: Any = (self._library if router is None else router).acompletion
        self._name = model
        self._price: ModelPrice = price
        if price is None and router is None:
            self._price = listed_price(self._library, model)
        before, slash, _ = model.partition("/")
        self._provider = provider or (before if slash and router is None else "litellm")

    @property
    def price(self) -> ModelPrice:
        """What it costs, for `budget(usd=...)`; None where that is not known."""
        return self._price

    @property
    def name(self) -> str:
        """The model asked for: `gen_ai.request.model`."""
        return self._name

    @property
    def provider(self) -> str:
        """Who serves it: `gen_ai.provider.name`."""
        return self._provider

    def __repr__(self) -> str:
        return f"LiteLLMModel({self._name!r}, provider={self._provider!r})"

    async def reply(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Answer one request; see `planish.abc.Model.reply`.

        Raises:
            ModelError: and all else that `Model.reply` raises.
            UnsupportedError: this is trio.
        """
        must_run_on_asyncio("LiteLLM")
        fields: dict[str, Any] = {"model": self._name, "drop_params": True} | self._options
        try:
            if on_text is None:
                return await asked(self._library, self._call, request, fields)
            return await streamed(self._library, self._call, request, fields, on_text)
        except Exception as error:
            known = error_of(error, self._name)
            if known is None or known is error:
                raise
            raise known from error


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
            cache_read=_optional(listed.get("cache_read_input_token_cost")),
            cache_write=_optional(listed.get("cache_creation_input_token_cost")),
        )
    return None


def _optional(cost: float | None) -> float | None:
    return None if cost is None else _per_million(cost)


def _per_million(cost: float) -> float:
    return float(cost) * 1_000_000
