"""`LangChainModel`: a LangChain chat model as a planish model."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from planish.abc import OnText
from planish.data.message import Reply, Request
from planish.data.usage import ModelPrice, require_price
from planish_integrations.models.foreign.errors import require_asyncio, require_package
from planish_integrations.models.foreign.failures import foreign_call
from planish_integrations.models.foreign.secrets import packed, unpacked
from planish_integrations.models.foreign.tables import find_price

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import BaseMessage
    from langchain_core.runnables import Runnable

__all__ = ["LangChainModel"]


class LangChainModel:
    """A `planish.abc.Model` that calls a chat model of LangChain.

    Or any Runnable from messages to a message: `model.with_fallbacks([...])`, `model.bind(...)`.
    A provider's error becomes planish's error of the same kind; the model's own `max_retries`
    sets how often a call is retried before. `Request.stop` is passed as LangChain's `stop`;
    temperature, token limit and seed as the arguments that most of its models accept
    (`temperature`, `max_tokens`, `seed`), each only if the request sets it. `Request.schema` is
    not sent.

    Args:
        model: The chat model.
        name: The model's name; None (the default) for the name it has in LangChain.
        provider: The provider's name; None (the default) for LangChain's name, or "langchain".
        price: The price, for `budget(usd=...)`: a `planish.data.usage.Price`; None (the default)
            for that of planish's own table (`transport.CATALOGUE`), because LangChain has none.

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
        require_package("langchain_core", "langchain")
        from ._messages import model_names  # noqa: PLC0415  # imported when used

        self._model = model
        own_name, own_provider = model_names(model)
        self._name = name or own_name
        self._provider = provider or own_provider
        require_price("LangChainModel", price)
        self._price: ModelPrice = price or find_price(self._provider, self._name)

    @property
    def price(self) -> ModelPrice:
        """The price, for `budget(usd=...)`; None if it is unknown."""
        return self._price

    @property
    def name(self) -> str:
        """The model's name: `gen_ai.request.model`."""
        return self._name

    @property
    def provider(self) -> str:
        """The provider's name: `gen_ai.provider.name`."""
        return self._provider

    def config(self) -> Mapping[str, Any]:
        """Return name, provider and class, for fingerprints; its own options are not read."""
        return {"name": self._name, "provider": self._provider, "model": type(self._model)}

    def __getstate__(self) -> dict[str, Any]:
        """Return the configuration, with the other library's object.

        Raises:
            TypeError: the object holds keys, or cannot be pickled.
        """
        return {**vars(self), "_model": packed(self, self._model)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update({**state, "_model": unpacked(state["_model"])})

    def __repr__(self) -> str:
        return f"LangChainModel({self._name!r}, provider={self._provider!r})"

    async def reply(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Reply to one request; see `planish.abc.Model.reply`.

        Raises:
            ModelError: and all other errors that `Model.reply` raises.
            UnsupportedError: the event loop is trio's.
        """
        require_asyncio("LangChain")
        from ._messages import request_reply, stream_reply  # noqa: PLC0415

        async def call(on_piece: OnText | None) -> Reply:
            if on_piece is None:
                return await request_reply(self._model, request)
            return await stream_reply(self._model, request, on_piece)

        return await foreign_call(
            self._name, lambda: self._model, request, self._price, on_text, call
        )
