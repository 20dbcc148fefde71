"""Builds environments: each once at a time, whole or not at all."""

import time
from collections.abc import Callable
from pathlib import Path
from random import random
from weakref import WeakKeyDictionary

import anyio
import anyio.to_thread
from anyio.lowlevel import RunVar

from planish.abc import Clock
from planish.errors import SandboxError

from ._index import Index
from ._pip import Trouble, run_pip, trouble_of
from ._requirements import needing
from ._spec import EnvSpec
from ._store import Built, Store

__all__ = ["Builder", "surely"]

_FIRST = 0.5  # seconds: upper bound of the first wait before another try, doubled for each
_ARGUMENTS = (
    *("install", "--no-input", "--no-color", "--progress-bar", "off", "--retries", "1"),
    *("--disable-pip-version-check", "--root-user-action", "ignore", "-vv"),
    "--no-warn-conflicts",  # with what is installed here, which is beside the point and slow
)

_Waiting = WeakKeyDictionary[object, dict[str, anyio.Lock]]
# Locks of anyio belong to an event loop, the objects that ask for them do not.
_waiting: RunVar[_Waiting] = RunVar("planish_environments_waiting")


class Builder:
    """Gets environments by their specification: from the disk, or by building them.

    Args:
        store: Where they are kept.
        index: Where packages come from.
        timeout: Seconds for one run of pip.
        tries: How often pip is run when the index cannot be reached or sends broken files.
        clock: What waits between two tries.
        denied: Distributions that may be in none.
    """

    def __init__(
        self,
        store: Store,
        index: Index,
        *,
        timeout: float,
        tries: int,
        clock: Clock,
        denied: frozenset[str],
    ) -> None:
        self._store = store
        self._index = index
        self._timeout = timeout
        self._tries = tries
        self._clock = clock
        self._denied = denied
        # When a build of a specification failed last, and why: who waited for it need not try.
        self._failed: dict[str, tuple[float, Trouble]] = {}

    async def get(self, spec: EnvSpec) -> tuple[Built | Trouble, bool]:
        """The environment, or why there is none; and whether it was built just now, for this.

        Raises:
            SandboxError: the directory cannot be written, or no process can be started.
        """
        asked = time.monotonic()
        fingerprint = spec.fingerprint
        try:
            built = self._store.find(fingerprint)
            if built is not None:
                return self._checked(built, spec), False
            # Those who wait in this process wait for each other, one of them for other processes.
            async with self._turn(fingerprint), self._store.lock(fingerprint) as lock:
                built = self._store.find(fingerprint)
                if built is not None:
                    return self._checked(built, spec), False
                when, trouble = self._failed.get(fingerprint, (asked, None))
                if trouble is not None and when > asked:
                    return trouble, False
                return await self._build(spec, lock), True
        except OSError as error:
            raise SandboxError(f"no environment can be kept: {error}") from error

    def _turn(self, fingerprint: str) -> anyio.Lock:
        try:
            waiting = _waiting.get()
        except LookupError:
            waiting = _Waiting()
            _waiting.set(waiting)
        return waiting.setdefault(self, {}).setdefault(fingerprint, anyio.Lock())

    async def _build(self, spec: EnvSpec, lock: int) -> Built | Trouble:
        found = await self._tried(spec, lock)
        if isinstance(found, Trouble):
            self._failed[spec.fingerprint] = (time.monotonic(), found)
            return found
        self._failed.pop(spec.fingerprint, None)
        return self._checked(found, spec)

    async def _tried(self, spec: EnvSpec, lock: int) -> Built | Trouble:
        failures = 0
        while True:
            # A broken file may be one that pip keeps: the next time it fetches it again.
            found = await self._once(spec, lock, fresh=failures > 0)
            if isinstance(found, Built) or found.kind not in ("unreachable", "broken"):
                return found
            failures += 1
            if failures >= self._tries:
                return found
            await self._clock.sleep(random() * _FIRST * 2 ** (failures - 1))  # noqa: S311

    async def _once(self, spec: EnvSpec, lock: int, *, fresh: bool) -> Built | Trouble:
        """One run of pip in a folder of its own; it is gone, or an environment, afterwards."""
        begun = time.perf_counter()
        folder = self._store.begin(spec.fingerprint)
        try:
            arguments = self._arguments(spec, folder, fresh=fresh)
            variables = {**self._index.variables(), "TMPDIR": str(folder / "tmp")}
            ended = await run_pip(arguments, variables, lock, self._timeout)
            trouble = trouble_of(ended)
            if trouble is not None:
                text = self._index.redact(trouble.text)
                return Trouble(trouble.kind, trouble.names, text)
            seconds = time.perf_counter() - begun
            return self._store.finish(folder, spec, seconds)
        finally:
            await surely(lambda: self._store.discard(folder))

    def _arguments(self, spec: EnvSpec, folder: Path, *, fresh: bool) -> list[str]:
        (folder / "tmp").mkdir()
        (folder / "site").mkdir()
        bounds = folder / "tmp" / "constraints.txt"
        bounds.write_text("".join(f"{one}\n" for one in spec.constraints), encoding="utf-8")
        kept = ["--no-cache-dir"] if fresh else ["--cache-dir", str(self._store.directory / "pip")]
        wheels = ["--only-binary", ":all:"] if spec.wheels_only else []
        target = ["--target", str(folder / "site"), "--constraint", str(bounds)]
        return [*_ARGUMENTS, *kept, *wheels, *target, "--", *spec.requirements]

    def _checked(self, built: Built, spec: EnvSpec) -> Built | Trouble:
        """The environment, unless something is in it that is denied now."""
        denied = sorted(self._denied & built.versions.keys())
        if not denied:
            return built
        names = needing(built.path, spec.requirements, denied[0])
        return Trouble("denied", names, f"it needs {denied[0]}, which is denied here")


async def surely(clean: Callable[[], None]) -> None:
    """Run a clean-up in a thread to its end, also when this is cancelled meanwhile.

    Args:
        clean: It may be called again, also while another call of it runs.
    """
    try:
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(clean)
    except anyio.get_cancelled_exc_class():  # asyncio can, in spite of the shield
        clean()  # so here and now, in one piece
        raise
