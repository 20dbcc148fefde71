"""pydantic-ai's models and agents as planish models."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Never

from planish.abc import OnText
from planish.data.message import Reply, Request
from planish.data.usage import FREE, ModelPrice, Price, require_price
from planish_integrations.models.foreign.errors import require_asyncio, require_package
from planish_integrations.models.foreign.failures import foreign_call
from planish_integrations.models.foreign.tables import find_price

if TYPE_CHECKING:
    from pydantic_ai import Agent
    from pydantic_ai.models import Model as TheirModel

__all__ = ["PydanticAIAgent", "PydanticAIModel"]


class PydanticAIModel:
    """A `planish.abc.Model` that calls a model of pydantic-ai.

    It runs on asyncio, and on trio if the provider's client does. A provider's error becomes
    planish's error of the same kind; the provider's client sets how often a call is retried
    before. `Request.schema` is not sent.

    Args:
        model: A model, or pydantic-ai's name of one: "openai:gpt-6.1-terra".
        price: The price, for `budget(usd=...)`: a `planish.data.usage.Price`; "reported" if
            pydantic-ai reports the cost of each reply in `Usage.usd`; None (the default) for that
            of planish's own table (`transport.CATALOGUE`).

    Raises:
        UnsupportedError: pydantic-ai is not installed.
        RequestError: pydantic-ai has no such model, or lacks a key or a package for it.
    """

    def __init__(self, model: "TheirModel | str", *, price: ModelPrice = None) -> None:
        require_package("pydantic_ai", "pydantic-ai")
        from ._messages import resolve_model  # noqa: PLC0415  # imported when used

        self._model = resolve_model(model)
        self._named = model if isinstance(model, str) else None
        require_price("PydanticAIModel", price)
        self._price: ModelPrice = price or find_price(self.provider, self.name)

    @property
    def price(self) -> ModelPrice:
        """The price, for `budget(usd=...)`; None if it is unknown."""
        return self._price

    @property
    def name(self) -> str:
        """The model's name: `gen_ai.request.model`."""
        return self._model.model_name

    @property
    def provider(self) -> str:
        """The provider's name: `gen_ai.provider.name`."""
        return self._model.system

    def config(self) -> Mapping[str, Any]:
        """Return name, provider and class, for fingerprints; its own options are not read."""
        return {"name": self.name, "provider": self.provider, "model": type(self._model)}

    def __reduce__(self) -> tuple[Any, ...]:
        if self._named is None:
            raise TypeError(
                f"{self!r} is not pickled, because its object has keys and connections: pass its "
                "name, such as 'openai:gpt-6.1-terra', or create the model where it runs"
            )
        return partial(PydanticAIModel, price=self._price), (self._named,)

    def __repr__(self) -> str:
        return f"PydanticAIModel({self.name!r}, provider={self.provider!r})"

    async def reply(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Reply to one request; see `planish.abc.Model.reply`.

        Raises:
            ModelError: and all other errors that `Model.reply` raises.
        """
        from ._messages import request_reply, stream_reply  # noqa: PLC0415

        async def call(on_piece: OnText | None) -> Reply:
            if on_piece is None:
                return await request_reply(self._model, request)
            return await stream_reply(self._model, request, on_piece)

        return await foreign_call(
            self.name, lambda: self._model, request, self._price, on_text, call
        )


class PydanticAIAgent:
    """A `planish.abc.Model` that runs a pydantic-ai agent, with its tools, for each request.

    The system messages of a request are added to the agent's instructions, the last message is
    the prompt, and the others are the history. An output that is not text becomes JSON. The usage
    is that of all requests of the agent, counted as one call.

    asyncio only: pydantic-ai's agents start asyncio tasks.

    Args:
        agent: The agent; without dependencies (`deps_type`), or with `deps` passed here.
        name: The model's name; None (the default) for the agent's name, or else its model's.
        deps: The agent's dependencies, passed to each run; None by default.
        price: The price of its model, for `budget(usd=...)`; "reported" if pydantic-ai reports the
            cost of a run in `Usage.usd`; None (the default) for that of planish's own table. One
            run may make any number of requests, so under a budget of money or tokens runs do not
            overlap.

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
        require_package("pydantic_ai", "pydantic-ai")
        self._agent = agent
        self._deps = deps
        require_price("PydanticAIAgent", price)
        self._price: ModelPrice = price or _price_of(agent.model)
        self._name = name or agent.name or _model_name(agent.model)

    @property
    def price(self) -> ModelPrice:
        """FREE, None, or else "reported": a run's cost has no bound, but its reply has a cost."""
        return self._price if self._price in (None, FREE) else "reported"

    @property
    def name(self) -> str:
        """The model's name: `gen_ai.request.model`."""
        return self._name

    @property
    def provider(self) -> str:
        """Always "pydantic_ai"."""
        return "pydantic_ai"

    def config(self) -> Mapping[str, Any]:
        """Return the name, for fingerprints; what the library's object holds is not read."""
        return {"name": self._name}

    def __reduce__(self) -> Never:
        raise TypeError(
            f"{self!r} is not pickled, because an agent has keys and connections: create the model "
            "where it runs"
        )

    def __repr__(self) -> str:
        return f"PydanticAIAgent({self._name!r})"

    async def reply(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Run the agent; see `planish.abc.Model.reply`.

        Raises:
            ModelError: and all other errors that `Model.reply` raises.
            LimitError: one of the agent's own usage limits was reached.
            UnsupportedError: the event loop is trio's.
        """
        require_asyncio("pydantic-ai's Agent")
        from ._messages import run_agent  # noqa: PLC0415  # imported when used

        async def call(on_piece: OnText | None) -> Reply:
            return await run_agent(self._agent, request, on_piece, self._deps)

        reply = await foreign_call(
            self._name,
            lambda: (self._agent, self._deps),
            request,
            self._price,
            on_text,
            call,
        )
        if not isinstance(self._price, Price) or reply.usage.usd:
            return reply
        return replace(reply, usage=replace(reply.usage, usd=self._price.cost(reply.usage)))


def _price_of(model: Any) -> ModelPrice:
    if isinstance(model, str):
        provider, _, name = model.partition(":")
        return find_price(provider, name)
    name, provider = getattr(model, "model_name", ""), getattr(model, "system", "")
    return find_price(str(provider), str(name))


def _model_name(model: Any) -> str:
    return str(getattr(model, "model_name", model or "agent"))
