"""LiteLLM as a planish model: any of its providers, or a Router over several.

Needs the extra `litellm`; litellm is imported when a model is made. asyncio only.
"""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

import anyio

from planish.abc import OnText
from planish.data.message import Reply, Request
from planish.data.usage import ModelPrice, Price, Usage, require_price
from planish.errors import ModelError
from planish_integrations.models.foreign.errors import require_asyncio, require_package
from planish_integrations.models.foreign.failures import foreign_call
from planish_integrations.models.foreign.secrets import packed, without_secrets
from planish_integrations.models.foreign.tables import find_finish_reason

__all__ = ["LiteLLMModel", "find_price", "request_reply", "stream_reply"]

_RESERVED = frozenset({"model", "messages", "stream", "stream_options"})


class LiteLLMModel:
    """A `planish.abc.Model` that calls `litellm.acompletion`, or a Router's `acompletion`.

    A provider's error becomes planish's error of the same kind; `num_retries` or the Router sets
    how often a call is retried before. LiteLLM drops parameters that the provider does not
    accept. `Usage.usd` comes from LiteLLM's price table; 0.0 if that has no price.
    `Request.schema` is not sent.

    LiteLLM loads a price table from the network when it is imported, unless the environment has
    LITELLM_LOCAL_MODEL_COST_MAP=True.

    Args:
        model: LiteLLM's name of the model: "anthropic/claude-...", or a model group of the Router.
        router: A `litellm.Router`; None (the default) for `litellm.acompletion`.
        provider: The provider's name in OpenTelemetry; None (the default) for the part of `model`
            before the first "/", or "litellm".
        price: The price, for `budget(usd=...)`: a `planish.data.usage.Price`; "reported" if each
            reply's `Usage.usd` has its cost; None (the default) for that of LiteLLM's table,
            which does not apply to a Router's models.
        options: Further arguments of each call: `api_key`, `api_base`, `timeout`,
            `num_retries`, ...; they override planish's own. The repr omits them.

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
        if conflicts := _RESERVED & self._options.keys():
            names = ", ".join(sorted(conflicts))
            raise ValueError(f"options may not set {names}: planish sets them")
        self._library: Any = require_package("litellm", "litellm")
        self._router: Any = router
        self._call: Any = (self._library if router is None else router).acompletion
        self._name = model
        require_price("LiteLLMModel", price)
        self._price: ModelPrice = price
        if price is None and router is None:
            self._price = find_price(self._library, model)
        before, slash, _ = model.partition("/")
        self._provider = provider or (before if slash and router is None else "litellm")

    @property
    def price(self) -> ModelPrice:
        """The price, for `budget(usd=...)`; None if it is unknown."""
        return self._price

    @property
    def name(self) -> str:
        """The model to request: `gen_ai.request.model`."""
        return self._name

    @property
    def provider(self) -> str:
        """The provider's name: `gen_ai.provider.name`."""
        return self._provider

    def config(self) -> Mapping[str, Any]:
        """Return the options by name, without secrets, for fingerprints."""
        names = {"name": self._name, "provider": self._provider}
        return {**names, "options": without_secrets(self._options)}

    def __reduce__(self) -> tuple[Any, ...]:
        packed(self, (self._options, self._router))  # refuses keys
        if self._router is not None:
            raise TypeError(f"{self!r} is not pickled: create a router where it runs")
        make = partial(
            LiteLLMModel, provider=self._provider, price=self._price, options=self._options
        )
        return make, (self._name,)

    def __repr__(self) -> str:
        return f"LiteLLMModel({self._name!r}, provider={self._provider!r})"

    async def reply(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Reply to one request; see `planish.abc.Model.reply`.

        Raises:
            ModelError: and all other errors that `Model.reply` raises.
            UnsupportedError: the event loop is trio's.
        """
        require_asyncio("LiteLLM")

        async def call(on_piece: OnText | None) -> Reply:
            fields: dict[str, Any] = {"model": self._name, "drop_params": True} | self._options
            if on_piece is None:
                return await request_reply(self._library, self._call, request, fields)
            return await stream_reply(self._library, self._call, request, fields, on_piece)

        return await foreign_call(
            self._name,
            lambda: (self._options, self._router),
            request,
            self._price,
            on_text,
            call,
        )


Call = Callable[..., Awaitable[Any]]

_CLOSE_TIMEOUT = 5.0  # seconds to close a stream while this call is being cancelled


async def request_reply(
    library: Any, call: Call, request: Request, fields: dict[str, Any]
) -> Reply:
    """Request a reply without streaming."""
    return _reply(library, await call(**_arguments(request) | fields))


async def stream_reply(
    library: Any, call: Call, request: Request, fields: dict[str, Any], on_text: OnText
) -> Reply:
    """Request a reply as a stream."""
    arguments = _arguments(request) | {"stream": True, "stream_options": {"include_usage": True}}
    stream = await call(**arguments | fields)
    chunks: list[Any] = []
    pieces: list[str] = []
    try:
        async for chunk in stream:
            chunks.append(chunk)
            text = _chunk_text(chunk)
            if text:
                pieces.append(text)
                on_text(text)
    finally:
        await _close(stream)
    whole = library.stream_chunk_builder(chunks, messages=arguments["messages"])
    if whole is None:
        raise ModelError("LiteLLM's stream ended without a chunk")
    return _reply(library, whole, "".join(pieces))


def _chunk_text(chunk: Any) -> str:
    choices = chunk.choices
    return "" if not choices else choices[0].delta.content or ""


async def _close(stream: Any) -> None:
    close = getattr(stream, "aclose", None)
    if close is not None:
        with anyio.move_on_after(_CLOSE_TIMEOUT, shield=True):
            await close()


def _arguments(request: Request) -> dict[str, Any]:
    optional = {
        "temperature": request.temperature,
        "max_tokens": request.max_tokens,
        "seed": request.seed,
        "stop": list(request.stop) or None,
    }
    messages = [{"role": m.role, "content": m.content} for m in request.messages]
    return {"messages": messages} | {n: value for n, value in optional.items() if value is not None}


def _reply(library: Any, response: Any, text: str | None = None) -> Reply:
    if not getattr(response, "choices", None):
        raise ModelError(f"LiteLLM returned a {type(response).__name__} without choices")
    choice = response.choices[0]
    message = choice.message
    return Reply(
        text=(message.content or "") if text is None else text,
        finish_reason=find_finish_reason(choice.finish_reason),
        provider_finish_reason=str(choice.finish_reason)[:100] if choice.finish_reason else None,
        usage=_usage(library, response),
        model=response.model or None,
        id=response.id or None,
        reasoning=getattr(message, "reasoning_content", None) or "",
    )


def _usage(library: Any, response: Any) -> Usage:
    counts = getattr(response, "usage", None)
    inputs = getattr(counts, "prompt_tokens_details", None)
    outputs = getattr(counts, "completion_tokens_details", None)
    return Usage(
        input_tokens=getattr(counts, "prompt_tokens", 0) or 0,
        output_tokens=getattr(counts, "completion_tokens", 0) or 0,
        cached_tokens=getattr(inputs, "cached_tokens", 0) or 0,
        cache_write_tokens=getattr(inputs, "cache_creation_tokens", 0) or 0,
        reasoning_tokens=getattr(outputs, "reasoning_tokens", 0) or 0,
        model_calls=1,
        usd=_cost(library, response),
    )


def _cost(library: Any, response: Any) -> float:
    hidden: Mapping[str, Any] = getattr(response, "_hidden_params", None) or {}
    if (cost := hidden.get("response_cost")) is not None:
        return float(cost)
    with suppress(Exception):  # for a model without a price it raises various errors
        return float(library.completion_cost(completion_response=response))
    return 0.0


def find_price(library: Any, model: str) -> Price | None:
    """Return a model's price in LiteLLM's table; None if it has no price per token."""
    with suppress(Exception):  # for an unknown model it raises a plain Exception
        entry: Mapping[str, Any] = library.get_model_info(model)
        if not (entry["input_cost_per_token"] or entry["output_cost_per_token"]):
            return None  # 0 also stands for an unknown price
        return Price(
            input=_per_million(entry["input_cost_per_token"]),
            output=_per_million(entry["output_cost_per_token"]),
            cache_read=_per_million_or_none(entry.get("cache_read_input_token_cost")),
            cache_write=_per_million_or_none(entry.get("cache_creation_input_token_cost")),
        )
    return None


def _per_million_or_none(cost: float | None) -> float | None:
    return None if cost is None else _per_million(cost)


def _per_million(cost: float) -> float:
    return float(cost) * 1_000_000
