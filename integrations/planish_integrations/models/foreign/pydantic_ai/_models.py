"""pydantic-ai's models and agents as planish models."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from planish.abc import OnText
from planish.data.message import Reply, Request
from planish.data.usage import FREE, ModelPrice, Price
from planish_integrations.models.foreign.errors import (
    error_of,
    must_run_on_asyncio,
    needed,
)

if TYPE_CHECKING:
    from pydantic_ai import Agent
    from pydantic_ai.models import Model as TheirModel

__all__ = ["PydanticAIAgent", "PydanticAIModel"]


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
        from ._messages import find  # noqa: PLC0415  # imported when used

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
        from ._messages import asked, streamed  # noqa: PLC0415

        try:
            if on_text is None:
                return await asked(self._model, request)
            return await streamed(self._model, request, on_text)
        except Exception as error:
            known = error_of(error, self.name)
            if known is None or known is error:
                raise
            raise known from error


class PydanticAIAgent:
    """A `planish.abc.Model` that runs an agent of pydantic-ai, with its tools, for each request.

    The system messages of a request are instructions beside the agent's own, the last message
    is the prompt, and those between are its history. An output that is no text comes as JSON.
    The usage is that of all requests the agent made, counted as one call.

    On asyncio only: pydantic-ai's agents start tasks of asyncio.

    Args:
        agent: Which one; it needs no dependencies (`deps_type`), or takes `deps`.
        name: The model's name; None (the default) for the agent's name, or else its model's.
        deps: The agent's dependencies, given to each run.
        price: What its model costs, for `budget(usd=...)`; "reported" where pydantic-ai says in
            `Usage.usd` what a run cost, or None (the default) where neither is known. One request
            may become any number of requests of the agent, so under a budget of money or tokens
            it is run one at a time.

    Raises:
        UnsupportedError: pydantic-ai is not installed.
    """

    def __init__(
        self,
        agent: "Agent[Any, Any]",
        *,
        name: str | None = None,
        deps: object = None,
        price: ModelPrice = None,
    ) -> None:
        needed("pydantic_ai", "pydantic-ai")
        self._agent = agent
        self._deps = deps
        self._price = price
        self._name = name or agent.name or _model_name(agent.model)

    @property
    def price(self) -> ModelPrice:
        """FREE, None, or else "reported": a run has no bound, but its reply has a cost."""
        return self._price if self._price in (None, FREE) else "reported"

    @property
    def name(self) -> str:
        """What it was called: `gen_ai.request.model`."""
        return self._name

    @property
    def provider(self) -> str:
        """Always "pydantic_ai"."""
        return "pydantic_ai"

    def __repr__(self) -> str:
        return f"PydanticAIAgent({self._name!r})"

    async def reply(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Run the agent; see `planish.abc.Model.reply`.

        Raises:
            ModelError: and all else that `Model.reply` raises.
            LimitError: one of the agent's own usage limits was reached.
            UnsupportedError: this is trio.
        """
        must_run_on_asyncio("pydantic-ai's Agent")
        from ._messages import ran  # noqa: PLC0415  # imported when used

        try:
            reply = await ran(self._agent, request, on_text, self._deps)
        except Exception as error:
            known = error_of(error, self._name)
            if known is None or known is error:
                raise
            raise known from error
        if not isinstance(self._price, Price) or reply.usage.usd:
            return reply
        return replace(reply, usage=replace(reply.usage, usd=self._price.cost(reply.usage)))


def _model_name(model: Any) -> str:
    return str(getattr(model, "model_name", model or "agent"))
