"""A model that counts its calls, and uses as many tokens as a test wants it to."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import anyio.lowlevel
from tests.laws.kit import answer

from planish.abc import OnText
from planish.data import Message, Reply, Request, Usage
from planish.data.usage import ModelPrice, Price
from planish.errors import ModelError

__all__ = ["HANGS", "PRICE", "Metered", "asking"]

PRICE = Price(input=1000.0, output=1000.0)  # a dollar for 1000 tokens
HELLO = (Message("user", "hello"),)
HANGS = 30
"""Seconds after which a deadlock of calls is reported."""


@dataclass
class Metered:
    """A model whose calls take turns of the event loop and use as many tokens as a test says."""

    name: str = "metered"
    provider: str = "planish"
    price: ModelPrice = PRICE
    uses: Sequence[int] = (10,)
    turns: Sequence[int] = (1,)
    fails: Sequence[bool] = (False,)
    max_tokens: int | None = None
    usage: list[Usage] = field(default_factory=list[Usage])
    started: int = 0
    active: int = 0
    most_active: int = 0

    async def reply(self, request: Request, on_text: OnText | None = None) -> Reply:
        del on_text
        number = self.started
        self.started += 1
        self.active += 1
        self.most_active = max(self.most_active, self.active)
        try:
            for _ in range(self.turns[number % len(self.turns)]):
                await anyio.lowlevel.checkpoint()
            if self.fails[number % len(self.fails)]:
                raise ModelError("out of order")
        finally:
            self.active -= 1
        tokens = self.uses[number % len(self.uses)]
        if request.max_tokens is not None:
            tokens = min(tokens, request.max_tokens)
        usd = tokens / 1000 if self.price == "reported" else 0.0
        used = Usage(input_tokens=1, output_tokens=tokens, model_calls=1, usd=usd)
        cost = self.price.cost(used) if isinstance(self.price, Price) else usd
        self.usage.append(Usage(output_tokens=used.tokens, usd=cost))
        return Reply(text=answer(1, str(number)), usage=used)


def asking(max_tokens: int | None = None) -> Request:
    return Request(messages=HELLO, max_tokens=max_tokens)
