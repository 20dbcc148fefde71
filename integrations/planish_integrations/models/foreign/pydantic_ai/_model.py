"""A pydantic-ai model as ours."""

from typing import TYPE_CHECKING

from planish.abc import OnText
from planish.data.message import Reply, Request
from planish.data.usage import ModelPrice
from planish_integrations.models.foreign.calling.foreign import error_of, needed

if TYPE_CHECKING:
    from pydantic_ai.models import Model as TheirModel

__all__ = ["PydanticAIModel"]


class PydanticAIModel:
    """A `planish.abc.Model` that asks a model of pydantic-ai.

    On asyncio, and on trio where the provider's client runs there. What the provider raises
    becomes planish's error of that road; how often it is tried again before, its client decides.
    `Request.schema` is not sent.

    Args:
        model: A model, or what pydantic-ai knows one by: "openai:gpt-6.1-terra".
        price: What it costs, for `budget(usd=...)`: a `planish.data.usage.Price`, "reported" where
            pydantic-ai says in `Usage.usd` what each reply cost, or None (the default) where
            neither is known.

    Raises:
        UnsupportedError: pydantic-ai is not installed.
        RequestError: it knows no such model, or misses something to reach it: a key, a package.
    """

    def __init__(self, model: "TheirModel | str", *, price: ModelPrice = None) -> None:
        needed("pydantic_ai", "pydantic-ai")
        from ._speak import find  # noqa: PLC0415  # imported when used

        self._model = find(model)
        self._price: ModelPrice = price

    @property
    def price(self) -> ModelPrice:
        """What it costs, for `budget(usd=...)`; None where that is not known."""
        return self._price

    @property
    def name(self) -> str:
        """The model's name: `gen_ai.request.model`."""
        return self._model.model_name

    @property
    def provider(self) -> str:
        """Who serves it: `gen_ai.provider.name`."""
        return self._model.system

    def __repr__(self) -> str:
        return f"PydanticAIModel({self.name!r}, provider={self.provider!r})"

    async def reply(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Answer one request; see `planish.abc.Model.reply`.

        Raises:
            ModelError: and all else that `Model.reply` raises.
        """
        from ._speak import asked, streamed  # noqa: PLC0415

        try:
            if on_text is None:
                return await asked(self._model, request)
            return await streamed(self._model, request, on_text)
        except Exception as error:
            known = error_of(error, self.name)
            if known is None or known is error:
                raise
            raise known from error
