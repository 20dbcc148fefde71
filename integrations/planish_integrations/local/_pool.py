"""The zygotes of one sandbox: each started once, and again when it has died."""

import os
import threading

from ._recipe import Recipe
from ._spare import Spare
from ._zygote import Zygote

__all__ = ["Pool"]


class Pool:
    """Hands out sandboxes that are ready; starts what makes them, when they are first wanted."""

    def __init__(self) -> None:
        self._starting = threading.Lock()
        self._zygotes: dict[Recipe, Zygote] = {}
        self._host = os.getpid()

    async def claim(self, recipe: Recipe) -> Spare:
        """A sandbox made after this recipe.

        Raises:
            SandboxError: its zygote cannot be started, or has just failed.
        """
        return await self._zygote(recipe).claim()

    async def start(self, recipe: Recipe) -> None:
        """Have one ready.

        Raises:
            SandboxError: as `claim`.
        """
        zygote = self._zygote(recipe)
        zygote.keep(await zygote.claim())

    def _zygote(self, recipe: Recipe) -> Zygote:
        with self._starting:
            if self._host != os.getpid():  # a fork of the host's: what it inherited is not its own
                self._zygotes.clear()
                self._host = os.getpid()
            known = self._zygotes.get(recipe)
            if known is None or not known.usable:
                known = self._zygotes[recipe] = Zygote(recipe)
            return known

    def close(self) -> None:
        """End all zygotes, and the sandboxes they hold ready. A later claim starts afresh."""
        with self._starting:
            zygotes = [*self._zygotes.values()]
            self._zygotes.clear()
        for zygote in zygotes:
            zygote.close()
