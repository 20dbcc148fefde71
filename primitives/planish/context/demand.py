"""What one model call may use of a budget, computed from its request before it is sent."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf

from planish.abc import Model
from planish.data.message import Request
from planish.data.usage import ModelPrice, Price
from planish.errors import UnsupportedError

__all__ = ["Demand", "demand_of"]

_CHARS_PER_TOKEN = 4  # of English and of code, roughly
_BYTES_OF_MESSAGE = 16  # a chat template puts a few tokens of its own around each message


@dataclass(frozen=True, slots=True)
class Demand:
    """What one model call may use, by the names of the limits.

    Attributes:
        model: Which model is called; calls of one model are compared with each other.
        most: The most it can use; infinite where that is not known. 0.0 costs nothing.
        prompt: What its prompt alone will use, roughly.
    """

    model: str
    most: Mapping[str, float]
    prompt: Mapping[str, float]


def demand_of(model: Model, request: Request, *, priced: bool) -> Demand:
    """Compute what a call may use.

    A token of any tokenizer stands for at least one byte, so the bytes of the prompt bound its
    tokens. The answer is bound by `Request.max_tokens`, else by the model's own `max_tokens`.

    Args:
        model: The model.
        request: What it is about to be sent.
        priced: Money is limited: the model has to have a price.

    Raises:
        UnsupportedError: money is limited and nothing is known of the model's price.
    """
    sent = sum(_bytes(m.content) + _BYTES_OF_MESSAGE for m in request.messages)
    if request.schema is not None:
        sent += _bytes(str(request.schema))
    chars = sum(len(message.content) for message in request.messages)
    likely = chars / _CHARS_PER_TOKEN
    price: ModelPrice = getattr(model, "price", None)
    bound: object = request.max_tokens or getattr(model, "max_tokens", None)
    # A model that only reports what a reply cost may have sent any number of requests for it.
    answer = bound if isinstance(bound, int) and price != "reported" else inf
    most = {"model_calls": 1.0, "tokens": sent + answer}
    prompt = {"model_calls": 1.0, "tokens": likely}
    if priced:
        if price is None:
            raise UnsupportedError(_unpriced(model))
        most["usd"] = price.max_cost(sent, answer) if isinstance(price, Price) else inf
        prompt["usd"] = price.max_cost(likely, 0) if isinstance(price, Price) else 0.0
    return Demand(f"{model.provider} {model.name}", most, prompt)


def _unpriced(model: Model) -> str:
    return (
        f"budget(usd=...) cannot hold for {model!r}: no price of {model.name!r} is known. Give the "
        "model one: price=Price(input=..., output=...) in US dollars per million tokens, or "
        "price=FREE where it costs nothing (both are in planish.data.usage; a model of your own "
        "has it as its attribute `price`). Or limit tokens or model_calls instead"
    )


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
