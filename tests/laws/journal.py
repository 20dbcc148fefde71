"""A journal that resumes runs, made of public names only. It stands in docs/extending.md."""

import json
from collections import Counter
from typing import TypeVar

import anyio

from planish.abc import Store
from planish.effects import Effect, Proceed

__all__ = ["Journal"]

R = TypeVar("R")


class Journal:
    """Answer the effects of a run that are recorded, and record those that are made."""

    def __init__(self, store: Store, run_id: str) -> None:
        self.store = store
        self.run_id = run_id
        self.counts: Counter[str] = Counter()

    async def __call__(self, effect: Effect[R], proceed: Proceed[R], /) -> R:
        if effect.kind == "session":  # the steps after it need what it changes in the session
            return await proceed()
        key = self._key(effect)
        recorded = await self.store.get(key)
        if recorded is not None:
            return effect.decode(recorded)
        reply = await proceed()
        with anyio.CancelScope(shield=True):  # what was paid for is recorded, come what may
            await self.store.put(key, effect.encode(reply).encode())
        return reply

    def _key(self, effect: Effect[R]) -> str:
        place = json.dumps([self.run_id, effect.path, effect.kind, effect.name, effect.digest])
        self.counts[place] += 1
        return f"{place} {self.counts[place]}"
