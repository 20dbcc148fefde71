"""The zygotes that one sandbox uses: each started once, and again when it has died."""

import os
import threading
from collections import Counter
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from functools import partial

import anyio
import anyio.to_thread

from planish.verification import verifier_bundle

from ._configuration import Recipe
from ._shared import acquire, release
from ._worker import Spare
from ._zygote import Zygote

__all__ = ["Pool"]

_KEPT = 4  # recipes whose zygotes wait, of those that come and go: each is an interpreter


class Pool:
    """Hands out sandboxes that are ready; starts what makes them, when they are first wanted."""

    def __init__(self) -> None:
        self._starting = threading.Lock()
        self._zygotes: dict[Recipe, Zygote] = {}
        self._passing = Counter[Recipe]()  # how many runs use each, the latest used last
        self._host = os.getpid()

    async def claim(self, recipe: Recipe) -> Spare:
        """A sandbox made after this recipe.

        Raises:
            SandboxError: its zygote cannot be started, or has just failed.
        """
        return await self._zygote(recipe).claim()

    def load_verifier(self, recipe: Recipe) -> None:
        """Have the verifier's modules loaded in the sandboxes that are made from now on.

        Raises:
            SandboxError: as `claim`.
        """
        self._zygote(recipe).load_verifier(verifier_bundle())

    async def start(self, recipe: Recipe) -> None:
        """Have one ready.

        Raises:
            SandboxError: as `claim`.
        """
        zygote = self._zygote(recipe)
        zygote.keep(await zygote.claim())

    @asynccontextmanager
    async def using(self, recipe: Recipe) -> AsyncGenerator[None]:
        """Use a recipe that is one of many. Of those, the ones used last are kept ready."""
        with self._starting:
            self._disown()
            runs = self._passing.pop(recipe, 0)
            self._passing[recipe] = runs + 1
        try:
            yield
        finally:
            with self._starting:
                self._passing[recipe] -= 1
                idle = [zygote for one in self._idle() if (zygote := self._forget(one))]
            for zygote in idle:
                await _in_thread(partial(release, zygote, self))

    def _idle(self) -> list[Recipe]:
        """Those that no run uses, of the ones that are too many."""
        return [one for one in [*self._passing][:-_KEPT] if not self._passing[one]]

    def _forget(self, recipe: Recipe) -> Zygote | None:
        del self._passing[recipe]
        return self._zygotes.pop(recipe, None)

    def _zygote(self, recipe: Recipe) -> Zygote:
        with self._starting:
            self._disown()
            known = self._zygotes.get(recipe)
            if known is None or not known.usable:
                known = self._zygotes[recipe] = acquire(recipe, self)
            return known

    def _disown(self) -> None:
        """In a fork of the host's: what it inherited is not its own."""
        if self._host != os.getpid():
            self._zygotes.clear()
            self._passing.clear()
            self._host = os.getpid()

    async def aclose(self) -> None:
        """As `close`, in a thread."""
        await _in_thread(self.close)

    def close(self) -> None:
        """End all zygotes that no other pool uses, and the sandboxes that they hold ready.

        A later claim starts afresh.
        """
        with self._starting:
            zygotes = [*self._zygotes.values()]
            self._zygotes.clear()
        for zygote in zygotes:
            release(zygote, self)


async def _in_thread(act: Callable[[], None]) -> None:
    with anyio.CancelScope(shield=True):
        try:
            await anyio.to_thread.run_sync(act)
        except RuntimeError:  # no thread can be started: then it takes the time of this one
            act()
