"""LiteLLM as a model of ours."""

from collections.abc import Mapping
from typing import Any

from planish.abc import OnText
from planish.data.message import Reply, Request
from planish.data.usage import ModelPrice
from planish_integrations.models.foreign.calling.foreign import (
    error_of,
    must_run_on_asyncio,
    needed,
)

from ._speak import asked, listed_price, streamed

__all__ = ["LiteLLMModel"]

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
