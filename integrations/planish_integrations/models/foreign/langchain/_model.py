"""A LangChain chat model as ours."""

from typing import TYPE_CHECKING, Any

from planish.abc import OnText
from planish.data.message import Reply, Request
from planish.data.usage import ModelPrice
from planish_integrations.models.foreign.errors import (
    error_of,
    must_run_on_asyncio,
    needed,
)

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import BaseMessage
    from langchain_core.runnables import Runnable

__all__ = ["LangChainModel"]


class LangChainModel:
    """A `planish.abc.Model` that asks a chat model of LangChain.

    Or any Runnable of messages to a message: `model.with_fallbacks([...])`, `model.bind(...)`.
    What the provider raises becomes planish's error of that road; how often it is tried again
    before, the model's own `max_retries` decides. `Request.stop` is LangChain's `stop`; the
    temperature, most tokens and seed are given as the arguments most of its models know
    (`temperature`, `max_tokens`, `seed`), and only where a request has them.
    `Request.schema` is not sent.

    Args:
        model: The chat model.
        name: The model's name; None (the default) for what it calls itself.
        provider: Who serves it; None (the default) for what LangChain says, or "langchain".
        price: What it costs, for `budget(usd=...)`: a `planish.data.usage.Price`; None (the
            default) where that is not known, since LangChain knows no prices.

    Raises:
        UnsupportedError: langchain-core is not installed.
    """

    def __init__(
        self,
        model: "BaseChatModel | Runnable[Any, BaseMessage]",
        *,
        name: str | None = None,
        provider: str | None = None,
        price: ModelPrice = None,
    ) -> None:
        needed("langchain_core", "langchain")
        from ._messages import names  # noqa: PLC0415  # imported when used

        self._model = model
        known = names(model)
        self._name = name or known[0]
        self._provider = provider or known[1]
        self._price: ModelPrice = price

    @property
    def price(self) -> ModelPrice:
        """What it costs, for `budget(usd=...)`; None where that is not known."""
        return self._price

    @property
    def name(self) -> str:
        """The model's name: `gen_ai.request.model`."""
        return self._name

    @property
    def provider(self) -> str:
        """Who serves it: `gen_ai.provider.name`."""
        return self._provider

    def __repr__(self) -> str:
        return f"LangChainModel({self._name!r}, provider={self._provider!r})"

    async def reply(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Answer one request; see `planish.abc.Model.reply`.

        Raises:
            ModelError: and all else that `Model.reply` raises.
            UnsupportedError: this is trio.
        """
        must_run_on_asyncio("LangChain")
        from ._messages import asked, streamed  # noqa: PLC0415

        try:
            if on_text is None:
                return await asked(self._model, request)
            return await streamed(self._model, request, on_text)
        except Exception as error:
            known = error_of(error, self._name)
            if known is None or known is error:
                raise
            raise known from error
