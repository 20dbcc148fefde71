"""`Environments`: what a program may install, and where it lies once it is."""

import os
from collections.abc import AsyncGenerator, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from math import isfinite
from pathlib import Path

import anyio.to_thread

from planish.abc import Clock
from planish.clock import SYSTEM_CLOCK
from planish.data.program import Program
from planish.errors import SandboxLostError, UnsupportedError

from ._builder import Builder
from ._imports import imports_of
from ._index import Index
from ._plan import Unknown, plan
from ._records import Environment, Install, tell
from ._resolution import Replace, Settled, insist, settle
from ._rules import Allow, Rules, check
from ._spec import EnvSpec
from ._store import Built, Store

__all__ = ["Environments"]


class Environments:
    """Installs what programs import, of what they may, each set of packages once.

    An environment is a folder made by `pip install --target`. That is less than a virtual
    environment, on purpose: there is no interpreter in it to be replaced, its `.pth` files are
    not run, and it can be bound read-only into any sandbox, or stand on PYTHONPATH.

    Each is built once, under a fingerprint of all that changes it, however many ask for it at
    once, in this process or another; in a folder of its own that is renamed when it is complete.
    A build that fails, is cancelled or is killed leaves nothing. pip runs with network as a
    process of this interpreter; the programs themselves need none. Versions that are not pinned
    are those of the day of the build.

    Args:
        allow: What programs may import: names with, perhaps, versions as pip takes them:
            `("numpy", "pandas>=2,<3")`, or name to versions. What these need comes with them.
            There is no default, because whatever is installed here is run.
        deny: Distributions that may not come in, not even because an allowed one needs them.
        pins: Distribution to its one version, also of what comes in because it is needed.
        always: What is in every environment, though the program does not import it: what the
            tests need. Allowed by standing here.
        directory: Where environments are kept; several processes may share it. Default:
            `planish/environments` in XDG_CACHE_HOME, or in `~/.cache`.
        index_url: The address of one index, and no other is asked. Default: pip's own setting.
        find_links: Folders or pages with wheels. Without `index_url`, only these are asked.
        timeout: Seconds for one run of pip.
        tries: How often pip is run when the index cannot be reached or sends a broken file, the
            first time included; and how often a replacement is asked for (see `build`).
        inherit: What this process's interpreter has installed need not be: for sandboxes that
            show it to programs.
        wheels_only: Take no source distributions. To build one runs its code on this machine,
            outside of any sandbox.
        env: Names of environment variables that pip may see, besides those for proxies and
            certificates. Their values are kept out of messages.
        unknown: Asked for the distribution of a module that is neither installed nor known and
            may not be installed under its own name. What it says must be allowed too.
        clock: What waits before pip is run again.

    Raises:
        ValueError: a name, version or number is not one, or `allow` contradicts the others.
        TypeError: one text where several belong.
        UnsupportedError: this is not a POSIX system.
    """

    def __init__(  # noqa: PLR0913  # keyword-only; all but one have a default
        self,
        *,
        allow: Allow,
        deny: Collection[str] = (),
        pins: Mapping[str, str] | None = None,
        always: Collection[str] = (),
        directory: str | Path | None = None,
        index_url: str | None = None,
        find_links: Collection[str | Path] = (),
        timeout: float = 600.0,
        tries: int = 3,
        inherit: bool = False,
        wheels_only: bool = True,
        env: Collection[str] = (),
        unknown: Unknown | None = None,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        if os.name != "posix":
            raise UnsupportedError("Environments needs Linux or macOS; use a remote sandbox here")
        if tries < 1:
            raise ValueError(f"Environments(tries={tries!r}): must be at least 1")
        if not (timeout > 0 and isfinite(timeout)):
            raise ValueError(f"Environments(timeout={timeout!r}): must be more than 0 and finite")
        self._rules = Rules(allow, deny, pins or {}, always)
        self._index = Index(index_url, find_links, env)
        self._env = tuple(env)
        self._tries = tries
        self._inherit = inherit
        self._wheels_only = wheels_only
        self._unknown = unknown
        self._store = Store(_cache() if directory is None else Path(directory).absolute())
        self._builder = Builder(
            self._store,
            self._index,
            timeout=timeout,
            tries=tries,
            clock=clock,
            denied=self._rules.denied,
        )

    def __repr__(self) -> str:
        return f"Environments({self._rules.described()})"

    async def resolve(self, program: Program) -> Environment:
        """The environment of a program: what it imports and may have.

        What may not be installed, or is in no index, is left out; `Environment.findings` says
        so. For what may not be installed no process is started. A program that is not Python,
        or imports nothing, needs no environment.

        Raises:
            SandboxError: the index cannot be reached after all tries, an installation took
                longer than `timeout`, or the directory cannot be written.
            AuthenticationError: the index refuses the credentials.
        """
        if program.language != "python":
            return self._environment(Settled(self.spec(), None, fresh=False, lost=()), ())
        files = dict(program.files)
        if not program.main.endswith(".py") and program.main in files:
            files[f"{program.main}.py"] = files[program.main]
        imports = imports_of(files)
        planned = await plan(imports, self._rules, inherit=self._inherit, unknown=self._unknown)
        wanted = {**dict.fromkeys(self._rules.always, ""), **planned.wanted}
        settled = await settle(self._builder, lambda texts: self.spec(*texts), wanted)
        return self._environment(settled, planned.refused)

    @asynccontextmanager
    async def using(self, program: Program) -> AsyncGenerator[Environment]:
        """Resolve, and keep the environment from being pruned until the block ends.

        Raises:
            SandboxError: as `resolve`, and so for its other errors.
        """
        while True:
            environment = await self.resolve(program)
            hold = environment.lease()
            try:
                hold.__enter__()
            except SandboxLostError:  # pruned in between, by another process
                continue
            break
        try:
            yield environment
        finally:
            hold.__exit__(None, None, None)

    def spec(self, *requirements: str) -> EnvSpec:
        """The specification of these requirements, with the settings of this object.

        Raises:
            ValueError: as `EnvSpec`.
        """
        return self._ours(EnvSpec(requirements=requirements))

    async def build(self, spec: EnvSpec, *, replacing: Replace | None = None) -> Environment:
        """Exactly this environment, or an error: never another one, and never none.

        The pins, ranges, sources and other settings of this object hold besides.

        Args:
            spec: What it is made of.
            replacing: Asked for another requirement when one cannot be installed, `tries` times
                in all. What it says must be allowed.

        Raises:
            UnsupportedError: a package may not be installed, or cannot be and there is no
                replacement; a system package, command or image is asked for, or another Python.
            SandboxError: as `resolve`, and so for its other errors.
        """
        check(spec, self._rules)
        settled = await insist(
            self._builder, self._ours, self._rules, spec, replacing=replacing, tries=self._tries
        )
        return self._environment(settled, ())

    async def prune(self, keep_days: float = 30.0) -> tuple[str, ...]:
        """Remove environments that are not in use and have not been used for so many days.

        Also removes what builders that were killed have left.

        Returns:
            The fingerprints of the environments that were removed.
        """
        return await anyio.to_thread.run_sync(self._store.prune, keep_days)

    def _ours(self, spec: EnvSpec) -> EnvSpec:
        """A specification with the settings of this object."""
        return replace(
            spec,
            requirements=tuple(map(self._rules.bounded, spec.requirements)),
            constraints=self._rules.constraints(),
            sources=self._index.sources,
            wheels_only=self._wheels_only,
            env=self._env,
        )

    def _environment(self, settled: Settled, refused: tuple[Install, ...]) -> Environment:
        fingerprint = settled.spec.fingerprint
        gone = (*(replace(one, fingerprint=fingerprint) for one in refused), *settled.lost)
        built = settled.built
        installs = (*_installs(built, fingerprint, cached=not settled.fresh), *gone)
        tell(installs)
        found = Environment(
            path=None if built is None else built.path,
            spec=settled.spec,
            fingerprint=fingerprint,
            installs=installs,
            findings=tuple(self._index.redact(one.reason) for one in gone),
        )
        return (
            found if built is None else replace(found, hold=partial(self._store.use, fingerprint))
        )


def _installs(built: Built | None, fingerprint: str, *, cached: bool) -> tuple[Install, ...]:
    if built is None:
        return ()
    return tuple(
        Install(
            distribution=name,
            version=version,
            fingerprint=fingerprint,
            cached=cached,
            seconds=built.seconds,
        )
        for name, version in sorted(built.versions.items())
    )


def _cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "planish" / "environments"
