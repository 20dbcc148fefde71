"""Build environments with pip, each at most once at a time, completely or not at all."""

import time
from collections.abc import Callable
from pathlib import Path
from random import random
from typing import Any
from weakref import WeakKeyDictionary

import anyio
import anyio.to_thread
from anyio.lowlevel import RunVar

from planish.abc import Clock
from planish.errors import SandboxError

from ._index import Index
from ._pip import InstallFailure, install_failure, run_pip
from ._requirements import dependents_of
from ._spec import EnvSpec
from ._store import BuiltEnvironment, Store

__all__ = ["Builder", "run_cleanup"]

_FIRST = (
    0.5  # seconds: upper bound of the wait before the first retry; doubled for each further one
)
_ARGUMENTS = (
    *("install", "--no-input", "--no-color", "--progress-bar", "off", "--retries", "1"),
    *("--disable-pip-version-check", "--root-user-action", "ignore", "-vv"),
    "--no-warn-conflicts",  # slow, and this interpreter's packages do not matter
)

_Locks = WeakKeyDictionary[object, dict[str, anyio.Lock]]
# An anyio lock belongs to one event loop; a builder may be used on several.
_locks: RunVar[_Locks] = RunVar("planish_environments_waiting")


class Builder:
    """Return the environment of a specification: from the store, or built with pip.

    Args:
        store: Where environments are stored.
        index: Where packages come from.
        timeout: Seconds for one run of pip.
        tries: How often pip is run if the index cannot be reached or sends broken files.
        clock: Waits between two tries.
        denylist: Distributions that no environment may contain.
    """

    def __init__(
        self,
        store: Store,
        index: Index,
        *,
        timeout: float,
        tries: int,
        clock: Clock,
        denylist: frozenset[str],
    ) -> None:
        self._store = store
        self._index = index
        self._timeout = timeout
        self._tries = tries
        self._clock = clock
        self._denylist = denylist
        # The last failure of each specification, so that tasks that waited for it do not retry.
        self._failed: dict[str, tuple[float, InstallFailure]] = {}

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_failed": {}}

    async def get(self, spec: EnvSpec) -> tuple[BuiltEnvironment | InstallFailure, bool]:
        """Return the environment or the reason why there is none, and whether this call built it.

        Raises:
            SandboxError: the directory cannot be written, or no process can be started.
        """
        called_at = time.monotonic()
        fingerprint = spec.fingerprint
        try:
            built = self._store.find(fingerprint)
            if built is not None:
                return self._reject_denied(built, spec), False
            # Tasks of this process wait on a lock in memory; one of them waits for other processes.
            async with self._lock_for(fingerprint), self._store.lock(fingerprint) as lock:
                built = self._store.find(fingerprint)
                if built is not None:
                    return self._reject_denied(built, spec), False
                when, failure = self._failed.get(fingerprint, (called_at, None))
                if failure is not None and when > called_at:
                    return failure, False
                return await self._build(spec, lock), True
        except OSError as error:
            raise SandboxError(f"the environment cannot be stored: {error}") from error

    def _lock_for(self, fingerprint: str) -> anyio.Lock:
        try:
            waiting = _locks.get()
        except LookupError:
            waiting = _Locks()
            _locks.set(waiting)
        return waiting.setdefault(self, {}).setdefault(fingerprint, anyio.Lock())

    async def _build(self, spec: EnvSpec, lock: int) -> BuiltEnvironment | InstallFailure:
        result = await self._build_with_retries(spec, lock)
        if isinstance(result, InstallFailure):
            self._failed[spec.fingerprint] = (time.monotonic(), result)
            return result
        self._failed.pop(spec.fingerprint, None)
        return self._reject_denied(result, spec)

    async def _build_with_retries(
        self, spec: EnvSpec, lock: int
    ) -> BuiltEnvironment | InstallFailure:
        failures = 0
        while True:
            # The broken file may come from pip's cache, so a retry does not use the cache.
            found = await self._run_pip(spec, lock, fresh=failures > 0)
            if isinstance(found, BuiltEnvironment) or found.kind not in ("unreachable", "broken"):
                return found
            failures += 1
            if failures >= self._tries:
                return found
            await self._clock.sleep(random() * _FIRST * 2 ** (failures - 1))  # noqa: S311

    async def _run_pip(
        self, spec: EnvSpec, lock: int, *, fresh: bool
    ) -> BuiltEnvironment | InstallFailure:
        """Run pip once in a new folder, which then becomes an environment or is removed."""
        start = time.perf_counter()
        folder = self._store.begin(spec.fingerprint)
        try:
            arguments = self._arguments(spec, folder, fresh=fresh)
            variables = {**self._index.variables(), "TMPDIR": str(folder / "tmp")}
            result = await run_pip(arguments, variables, lock, self._timeout)
            failure = install_failure(result)
            if failure is not None:
                text = self._index.redact(failure.text)
                return InstallFailure(failure.kind, failure.names, text)
            seconds = time.perf_counter() - start
            return self._store.finish(folder, spec, seconds)
        finally:
            await run_cleanup(lambda: self._store.discard(folder))

    def _arguments(self, spec: EnvSpec, folder: Path, *, fresh: bool) -> list[str]:
        (folder / "tmp").mkdir()
        (folder / "site").mkdir()
        bounds = folder / "tmp" / "constraints.txt"
        bounds.write_text("".join(f"{one}\n" for one in spec.constraints), encoding="utf-8")
        cache = ["--no-cache-dir"] if fresh else ["--cache-dir", str(self._store.directory / "pip")]
        wheels = ["--only-binary", ":all:"] if spec.wheels_only else []
        target = ["--target", str(folder / "site"), "--constraint", str(bounds)]
        return [*_ARGUMENTS, *cache, *wheels, *target, "--", *spec.requirements]

    def _reject_denied(
        self, built: BuiltEnvironment, spec: EnvSpec
    ) -> BuiltEnvironment | InstallFailure:
        """Return the environment, or a failure if it contains a distribution that is denied now."""
        denied = sorted(self._denylist & built.versions.keys())
        if not denied:
            return built
        names = dependents_of(built.path, spec.requirements, denied[0])
        return InstallFailure("denied", names, f"it needs {denied[0]}, which is denied here")


async def run_cleanup(clean: Callable[[], None]) -> None:
    """Run a clean-up function in a thread to its end, even if the calling task is cancelled.

    Args:
        clean: May be called a second time, also while the first call still runs.
    """
    try:
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(clean)
    except anyio.get_cancelled_exc_class():  # asyncio can cancel a task despite the shield
        clean()  # in this thread: without an await, nothing can interrupt it
        raise
