"""Requests made inside of a run, where spans are."""

from planish import Message, Model, Reply, Request, ask, step

ASK = Request(messages=(Message("user", "hello"),))


async def asked(model: Model) -> Reply:
    """Ask one question in a run of one step."""

    async def once(request: Request) -> Reply:
        return await ask(model, request)

    return await step(once).run(ASK)
