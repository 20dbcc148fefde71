"""Compute what one model call may use of a budget, before it is sent; what is reserved for it."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from math import inf

from planish.abc import Model
from planish.data.message import Request
from planish.data.usage import CHARS_PER_TOKEN, ModelPrice, Price
from planish.errors import UnsupportedError

__all__ = ["Demand", "Reservation", "demand_of"]

_BYTES_PER_MESSAGE = 16  # a chat template puts a few tokens of its own around each message


@dataclass(frozen=True, slots=True)
class Demand:
    """What one model call may use, by the names of the limits of `budget`.

    Attributes:
        model: Provider and name of the model. Calls of the same model are compared.
        maximum: The most the call can use; infinite if unknown. 0.0 if it costs nothing.
        prompt: A rough estimate of what the prompt alone uses.
    """

    model: str
    maximum: Mapping[str, float]
    prompt: Mapping[str, float]


@dataclass(frozen=True, slots=True, eq=False)
class Reservation:
    """What one call in flight may use, reserved until `Budget.settle`.

    Attributes:
        amounts: The reserved amounts, by the names of the limits.
        exclusive: Limits of which no other call may use anything until this call has ended.
        model: Provider and name of the model; empty for a program.
    """

    amounts: Mapping[str, float]
    exclusive: Collection[str] = ()
    model: str = ""


def demand_of(model: Model, request: Request, *, priced: bool) -> Demand:
    """Compute what a model call may use.

    A token of any tokenizer stands for at least one byte, so the bytes of the prompt bound its
    tokens. The reply is bounded by `Request.max_tokens`, else by the model's own `max_tokens`.

    Args:
        model: The model.
        request: The request that will be sent.
        priced: A budget limits US dollars, so that the model must have a price.

    Raises:
        UnsupportedError: a budget limits US dollars and the model has no price.
    """
    prompt_bytes = sum(_byte_length(m.content) + _BYTES_PER_MESSAGE for m in request.messages)
    if request.schema is not None:
        prompt_bytes += _byte_length(str(request.schema))
    prompt_tokens = sum(len(message.content) for message in request.messages) / CHARS_PER_TOKEN
    price: ModelPrice = getattr(model, "price", None)
    limit: object = request.max_tokens or getattr(model, "max_tokens", None)
    # A model that only reports what a reply cost may have sent any number of requests for it.
    reply_tokens = limit if isinstance(limit, int) and price != "reported" else inf
    maximum = {"model_calls": 1.0, "tokens": prompt_bytes + reply_tokens}
    prompt = {"model_calls": 1.0, "tokens": prompt_tokens}
    if priced:
        if price is None:
            raise UnsupportedError(_no_price_message(model))
        if isinstance(price, Price):
            maximum["usd"] = price.max_cost(prompt_bytes, reply_tokens)
            prompt["usd"] = price.max_cost(prompt_tokens, 0)
        else:
            maximum["usd"], prompt["usd"] = inf, 0.0
    return Demand(f"{model.provider} {model.name}", maximum, prompt)


def _no_price_message(model: Model) -> str:
    return (
        f"budget(usd=...) cannot limit {model!r}: no price of {model.name!r} is known. Give the "
        "model one: price=Price(input=..., output=...) in US dollars per million tokens, or "
        "price=FREE if it costs nothing (both are in planish.data.usage; a model of your own "
        "has it as its attribute `price`). Or limit tokens or model_calls instead"
    )


def _byte_length(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
