"""Any callable that returns or streams text, as a model.

>>> from planish_integrations.callables import as_model
>>> async def shout(prompt: str) -> str:
...     return prompt.upper()
>>> as_model(shout)
CallableModel('shout')
"""

import inspect
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import replace
from typing import Any, Literal, cast

from planish.abc import OnText
from planish.data.message import Reply, Request
from planish.data.usage import ModelPrice, Usage, require_price
from planish.errors import ModelError
from planish_integrations.models.foreign.failures import foreign_call
from planish_integrations.models.foreign.secrets import packed, unpacked

__all__ = ["ArgumentKind", "CallableModel", "CallableResult", "as_model"]

ArgumentKind = Literal["messages", "prompt", "request"]
"""What a callable is called with: a tuple of `Message`, one text, or the whole `Request`."""

CallableResult = str | Reply | Awaitable[str | Reply] | AsyncGenerator[str, None]
"""What a callable returns: text or a `Reply`, awaited or not, or an async generator of text."""

_KIND_BY_ANNOTATION: dict[object, ArgumentKind] = {
    str: "prompt",
    "str": "prompt",
    Request: "request",
    "Request": "request",
}


class CallableModel:
    """A `planish.abc.Model` that calls a callable: a client of your own, an agent, a test double.

    planish's errors and bugs pass through. Another library's error for an invalid key, a rate
    limit, overload or a lost connection becomes the planish error of that kind (see
    `planish_integrations.models.foreign.errors.translate_error`). There are no retries: they are
    left to the callable's own client.

    Args:
        call: Called with one argument for each request. An async generator streams.
        name: The model's name; None (the default) for the callable's.
        provider: The provider's name in OpenTelemetry; "callable" by default.
        takes: What `call` is called with; None (the default) reads the annotation of its first
            parameter: `str` for the prompt, `Request` for the request, otherwise the messages.
        price: The price, for `budget(usd=...)`: a `planish.data.usage.Price`; "reported" if each
            reply's `Usage.usd` has its cost; None (the default) if it is unknown.

    Raises:
        TypeError: `call` is not callable, or takes no argument; or `price` is no price.
    """

    def __init__(
        self,
        call: Callable[[Any], CallableResult],
        *,
        name: str | None = None,
        provider: str = "callable",
        takes: ArgumentKind | None = None,
        price: ModelPrice = None,
    ) -> None:
        if not callable(call):
            raise TypeError(f"CallableModel({call!r}): not callable")
        self._call = call
        self._name = name or str(getattr(call, "__name__", type(call).__name__))
        self._provider = provider
        self._takes: ArgumentKind = takes or _argument_kind(call)
        require_price("CallableModel", price)
        self._price: ModelPrice = price

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
        """Return the options by name, without secrets, for fingerprints."""
        return {"call": self._call, "name": self._name, "takes": self._takes}

    def __getstate__(self) -> dict[str, Any]:
        """Return the configuration, with the other library's object.

        Raises:
            TypeError: the object holds keys, or cannot be pickled.
        """
        return {**vars(self), "_call": packed(self, self._call)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update({**state, "_call": unpacked(state["_call"])})

    def __repr__(self) -> str:
        return f"CallableModel({self._name!r})"

    async def reply(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Call the callable; see `planish.abc.Model.reply`.

        Raises:
            ModelError: the callable returned neither text nor a `Reply`; and its subclasses.
            AuthenticationError: another library reported an invalid key.
            RequestError: another library reported an invalid request.
        """

        async def call(on_piece: OnText | None) -> Reply:
            return await self._call_with(request, on_piece)

        reply = await foreign_call(
            self._name, lambda: self._call, request, self._price, on_text, call
        )
        usage = replace(reply.usage, model_calls=1)
        return reply if reply.usage == usage else replace(reply, usage=usage)

    async def _call_with(self, request: Request, on_text: OnText | None) -> Reply:
        result: Any = self._call(self._argument(request))
        if inspect.isawaitable(result):
            result = await result
        if isinstance(result, AsyncGenerator):
            pieces = cast("AsyncGenerator[object, None]", result)
            return await _join_pieces(pieces, on_text, self._name)
        if not isinstance(result, str | Reply):
            raise _wrong_type(self._name, result)
        reply = Reply(text=result) if isinstance(result, str) else result
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
    call: Callable[[Any], CallableResult],
    *,
    name: str | None = None,
    provider: str = "callable",
    takes: ArgumentKind | None = None,
    price: ModelPrice = None,
) -> CallableModel:
    """Return a model that calls a callable; also usable as a decorator.

    Args:
        call: See `CallableModel` for this and the other arguments.
        name: The model's name.
        provider: The provider's name in OpenTelemetry.
        takes: What `call` is called with.
        price: The price.

    Raises:
        TypeError: `call` is not callable, or takes no argument.
    """
    return CallableModel(call, name=name, provider=provider, takes=takes, price=price)


def _argument_kind(call: Callable[[Any], CallableResult]) -> ArgumentKind:
    parameters = [*inspect.signature(call).parameters.values()]
    if not parameters:
        raise TypeError(f"CallableModel({call!r}): it must take the prompt or the messages")
    return _KIND_BY_ANNOTATION.get(parameters[0].annotation, "messages")


async def _join_pieces(
    pieces: AsyncGenerator[object, None], on_text: OnText | None, name: str
) -> Reply:
    text: list[str] = []
    async with aclosing(pieces):
        async for piece in pieces:
            if not isinstance(piece, str):
                raise _wrong_type(name, piece)
            text.append(piece)
            if on_text is not None and piece:
                on_text(piece)
    return Reply(text="".join(text), usage=Usage(model_calls=1))


def _wrong_type(name: str, result: object) -> ModelError:
    return ModelError(f"{name} returned a {type(result).__name__}, not a str or a Reply")
