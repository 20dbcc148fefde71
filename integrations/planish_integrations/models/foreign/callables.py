"""Any callable that returns or streams text, as a model.

>>> from planish_integrations.callables import as_model
>>> async def shout(prompt: str) -> str:
...     return prompt.upper()
>>> as_model(shout)
CallableModel('shout')
"""

import inspect
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import replace
from typing import Any, Literal, cast

from planish.abc import OnText
from planish.data.message import Reply, Request
from planish.data.usage import ModelPrice, Usage
from planish.errors import ModelError, PlanishError
from planish_integrations.models.foreign.errors import error_of

__all__ = ["Answered", "CallableModel", "Takes", "as_model"]

Takes = Literal["messages", "prompt", "request"]
"""What a function is called with: a tuple of `Message`, one text, or the whole `Request`."""

Answered = str | Reply | Awaitable[str | Reply] | AsyncGenerator[str, None]
"""What it gives: a text or a `Reply`, awaited or not, or the pieces of a text as they come."""

_ANNOTATED: dict[object, Takes] = {
    str: "prompt",
    "str": "prompt",
    Request: "request",
    "Request": "request",
}


class CallableModel:
    """A `planish.abc.Model` made of a callable: a client of one's own, an agent, a stand-in.

    Errors of planish pass through; so does what is plainly a bug. What another library raises
    for a refused key, a rate limit, overload or a lost connection becomes the planish error of
    that kind (see `error_of` beside this). Nothing is tried again here: retrying is left to
    the callable's own client.

    Args:
        call: Called with one argument for each request. An async generator streams.
        name: The model's name; None (the default) for the callable's.
        provider: Who serves it, as OpenTelemetry names providers; "callable" by default.
        takes: What it is called with; None (the default) to read it from the annotation of its
            first parameter: `str` is the prompt, `Request` the request, all else the messages.
        price: What it costs, for `budget(usd=...)`: a `planish.data.usage.Price`, "reported" where
            it says in `Usage.usd` what each reply cost, or None (the default) where neither
            is known.

    Raises:
        TypeError: it is not callable, or takes no argument.
    """

    def __init__(
        self,
        call: Callable[[Any], Answered],
        *,
        name: str | None = None,
        provider: str = "callable",
        takes: Takes | None = None,
        price: ModelPrice = None,
    ) -> None:
        if not callable(call):
            raise TypeError(f"CallableModel({call!r}): not callable")
        self._call = call
        self._name = name or str(getattr(call, "__name__", type(call).__name__))
        self._provider = provider
        self._takes: Takes = takes or _taken(call)
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
        return f"CallableModel({self._name!r})"

    async def reply(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Call it; see `planish.abc.Model.reply`.

        Raises:
            ModelError: it gave something that is no answer; and its subclasses.
            AuthenticationError: another library said that the key is wrong.
            RequestError: another library said that the request is.
        """
        try:
            answer = await self._answer(request, on_text)
        except PlanishError:
            raise
        except Exception as error:  # another library's: what it means is looked up
            known = error_of(error, self._name)
            if known is None:
                raise
            raise known from error
        calls = replace(answer.usage, model_calls=1)
        return answer if answer.usage == calls else replace(answer, usage=calls)

    async def _answer(self, request: Request, on_text: OnText | None) -> Reply:
        given: Any = self._call(self._argument(request))
        if inspect.isawaitable(given):
            given = await given
        if isinstance(given, AsyncGenerator):
            pieces = cast("AsyncGenerator[object, None]", given)
            return await _streamed(pieces, on_text, self._name)
        if not isinstance(given, str | Reply):
            raise _nonsense(self._name, given)
        reply = Reply(text=given) if isinstance(given, str) else given
        if on_text is not None and reply.text:
            on_text(reply.text)
        return reply

    def _argument(self, request: Request) -> object:
        match self._takes:
            case "request":
                return request
            case "prompt":
                return "\n\n".join(message.content for message in request.messages)
            case "messages":
                return request.messages


def as_model(
    call: Callable[[Any], Answered],
    *,
    name: str | None = None,
    provider: str = "callable",
    takes: Takes | None = None,
    price: ModelPrice = None,
) -> CallableModel:
    """Make a model of a callable. Also a decorator.

    Args:
        call: See `CallableModel`, and so for the others.
        name: The model's name.
        provider: Who serves it.
        takes: What it is called with.
        price: What it costs.

    Raises:
        TypeError: it is not callable, or takes no argument.
    """
    return CallableModel(call, name=name, provider=provider, takes=takes, price=price)


def _taken(call: Callable[[Any], Answered]) -> Takes:
    parameters = [*inspect.signature(call).parameters.values()]
    if not parameters:
        raise TypeError(f"CallableModel({call!r}): it must take the prompt or the messages")
    return _ANNOTATED.get(parameters[0].annotation, "messages")


async def _streamed(
    pieces: AsyncGenerator[object, None], on_text: OnText | None, name: str
) -> Reply:
    text: list[str] = []
    async with aclosing(pieces):
        async for piece in pieces:
            if not isinstance(piece, str):
                raise _nonsense(name, piece)
            text.append(piece)
            if on_text is not None and piece:
                on_text(piece)
    return Reply(text="".join(text), usage=Usage(model_calls=1))


def _nonsense(name: str, given: object) -> ModelError:
    return ModelError(f"{name} gave a {type(given).__name__}, not a str or a planish.Reply")
