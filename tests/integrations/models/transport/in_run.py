"""Requests made inside of a run, where spans are."""

from planish import step
from planish.abc import Model
from planish.data import Message, Reply, Request
from planish.effects import ask

ASK = Request(messages=(Message("user", "hello"),))


async def ask_in_run(model: Model) -> Reply:
    """Ask one question in a run of one step."""

    async def once(request: Request) -> Reply:
        return await ask(model, request)

    return await step(once).run(ASK)
