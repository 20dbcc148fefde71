"""The template processes that one sandbox uses: each started once, and again when it has died."""

import os
import threading
from collections import Counter
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from functools import partial

import anyio
import anyio.to_thread

from planish.verification import verifier_bundle

from ._configuration import ZygoteConfig
from ._shared import release_zygote, share_zygote
from ._worker import Worker
from ._zygote import Zygote

__all__ = ["Pool"]

_KEPT = 4  # of the configurations of environments; each template process is an interpreter


class Pool:
    """Gives out warm workers; starts a template process when its first worker is needed."""

    def __init__(self) -> None:
        self._starting = threading.Lock()
        self._zygotes: dict[ZygoteConfig, Zygote] = {}
        self._uses = Counter[ZygoteConfig]()  # runs of each environment, the latest used last
        self._host = os.getpid()

    def __reduce__(self) -> "tuple[type[Pool], tuple[()]]":
        return Pool, ()  # processes and locks stay in their process; a copy starts its own

    async def acquire(self, config: ZygoteConfig) -> Worker:
        """Return a worker of a configuration, once one is ready.

        Raises:
            SandboxError: its template process cannot be started, or has just failed.
        """
        return await self._zygote(config).acquire()

    def load_verifier(self, config: ZygoteConfig) -> None:
        """Have the verifier's modules loaded in the workers that are made from now on.

        Raises:
            SandboxError: as `acquire`.
        """
        self._zygote(config).load_verifier(verifier_bundle())

    async def start(self, config: ZygoteConfig) -> None:
        """Wait until a worker of a configuration is ready.

        Raises:
            SandboxError: as `acquire`.
        """
        zygote = self._zygote(config)
        zygote.return_unused(await zygote.acquire())

    @asynccontextmanager
    async def using(self, config: ZygoteConfig) -> AsyncGenerator[None]:
        """Use the configuration of an environment; keep those that were used last ready."""
        with self._starting:
            self._reset_after_fork()
            runs = self._uses.pop(config, 0)
            self._uses[config] = runs + 1
        try:
            yield
        finally:
            with self._starting:
                self._uses[config] -= 1
                idle = [zygote for one in self._idle() if (zygote := self._forget(one))]
            for zygote in idle:
                await _in_thread(partial(release_zygote, zygote, self))

    def _idle(self) -> list[ZygoteConfig]:
        """Return the configurations of environments that are too many and in no use."""
        return [one for one in [*self._uses][:-_KEPT] if not self._uses[one]]

    def _forget(self, config: ZygoteConfig) -> Zygote | None:
        del self._uses[config]
        return self._zygotes.pop(config, None)

    def _zygote(self, config: ZygoteConfig) -> Zygote:
        with self._starting:
            self._reset_after_fork()
            known = self._zygotes.get(config)
            if known is None or not known.usable:
                known = self._zygotes[config] = share_zygote(config, self)
            return known

    def _reset_after_fork(self) -> None:
        """In a fork of the host, forget what it inherited: that is its parent's."""
        if self._host != os.getpid():
            self._zygotes.clear()
            self._uses.clear()
            self._host = os.getpid()

    async def aclose(self) -> None:
        """Do what `close` does, in a thread."""
        await _in_thread(self.close)

    def close(self) -> None:
        """End all template processes that no other pool uses, with their workers.

        `acquire` starts them again.
        """
        with self._starting:
            zygotes = [*self._zygotes.values()]
            self._zygotes.clear()
        for zygote in zygotes:
            release_zygote(zygote, self)


async def _in_thread(act: Callable[[], None]) -> None:
    with anyio.CancelScope(shield=True):
        try:
            await anyio.to_thread.run_sync(act)
        except RuntimeError:  # no thread can be started: then it takes the time of this one
            act()
