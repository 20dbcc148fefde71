"""Find out which engine answers, once in each event loop."""

from collections.abc import Sequence

from planish.errors import SandboxError
from planish_integrations.sandboxes.host import per_loop

from ._engine import Engine

__all__ = ["answering"]


async def answering(owner: object, engines: Sequence[Engine]) -> Engine:
    """Return the first engine that answers; where there is only one, that one.

    Raises:
        SandboxError: none does; it says why of each.
    """
    if len(engines) == 1:
        return engines[0]
    known: list[Engine] = per_loop(owner, "engine", list[Engine])
    if known:
        return known[0]
    reasons: list[str] = []
    for engine in engines:
        try:
            await engine.call("info")
        except SandboxError as error:
            reasons.append(str(error))
        else:
            known.append(engine)
            return engine
    raise SandboxError("no container engine answers: " + "; ".join(reasons))
