"""`Environments`: install what programs import from an allow-list, each set of packages once."""

import os
from collections.abc import AsyncGenerator, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import anyio.to_thread

from planish.abc import Clock
from planish.clock import SYSTEM_CLOCK
from planish.data.program import Program
from planish.data.usage import is_amount
from planish.errors import SandboxLostError, UnsupportedError

from ._builder import Builder
from ._imports import imports_of
from ._index import Index
from ._plan import ResolveUnknown, plan
from ._records import Environment, Install, record_events
from ._resolution import BuildResult, FindReplacement, build_best_effort, build_exact
from ._rules import Allow, Rules, require_buildable
from ._spec import EnvSpec
from ._store import BuiltEnvironment, Store

__all__ = ["Environments"]


class Environments:
    """Installs the packages that programs import, if allowed, and builds each set only once.

    An environment is a folder made by `pip install --target`. Unlike a virtual environment it
    contains no interpreter that could be replaced, and its `.pth` files are not executed. A sandbox
    can mount it read-only, or a program can have it on PYTHONPATH.

    Environments are identified by a fingerprint of everything that changes their content.
    Concurrent requests for one fingerprint, in this process or in others, share one build. pip
    builds in a temporary folder that is renamed when complete, so a build that fails, is cancelled
    or is killed leaves no environment. pip runs with network access as a process of this
    interpreter; the programs need no network. A version that is not pinned is the newest allowed
    one on the day of the build.

    Args:
        allow: Distributions that programs may import, with optional version ranges in pip's
            syntax: `("numpy", "pandas>=2,<3")`, or a mapping from name to range. Their
            dependencies are installed too. Required, because installed code is executed.
        deny: Distributions that may not be installed, not even as dependencies.
        pins: Distribution to its exact version; applies to dependencies too.
        always: Requirements of every environment, whether the program imports them or not, such
            as test dependencies. They need not be in `allow`. What a program needs and cannot be
            installed beside them is left out.
        directory: Where environments are stored; several processes may share it. Default:
            `planish/environments` in XDG_CACHE_HOME or, where that is not set, in `~/.cache`.
        index_url: The only package index to use. Default: pip's own configuration.
        find_links: Folders or pages with wheels. Without `index_url`, the only sources.
        timeout: Seconds for one run of pip.
        tries: How often pip is run, the first run included, if the index cannot be reached or
            sends a broken file; also the most calls of `find_replacement` in one `build`.
        inherit: Do not install what this process's interpreter has installed. For sandboxes in
            which programs can import it.
        wheels_only: Install no source distributions, because building one runs its code on this
            machine outside any sandbox.
        env: Names of environment variables that pip may read, in addition to those for proxies
            and certificates. Their values are removed from messages.
        resolve_unknown: Returns the distribution of a module that is neither installed nor in the
            table of known modules and whose own name is not allowed. The result must be allowed.
        clock: Waits between two runs of pip.

    Raises:
        ValueError: a name, version or number is invalid, or `allow` contradicts another argument;
            or a single text where a collection of texts is required.
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
        resolve_unknown: ResolveUnknown | None = None,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        if os.name != "posix":
            raise UnsupportedError("Environments needs Linux or macOS; use a remote sandbox here")
        if type(tries) is not int or tries < 1:
            raise ValueError(f"Environments(tries={tries!r}): must be at least 1, a whole number")
        if not (is_amount(timeout) and timeout > 0):
            raise ValueError(f"Environments(timeout={timeout!r}): must be more than 0 and finite")
        self._rules = Rules(allow, deny, pins or {}, always)
        self._index = Index(index_url, find_links, env)
        self._env = tuple(env)
        self._tries = tries
        self._inherit = inherit
        self._wheels_only = wheels_only
        self._resolve_unknown = resolve_unknown
        self._store = Store(_cache() if directory is None else Path(directory).absolute())
        self._builder = Builder(
            self._store,
            self._index,
            timeout=timeout,
            tries=tries,
            clock=clock,
            denylist=self._rules.denylist,
        )

    def config(self) -> Mapping[str, Any]:
        """Return the options that decide what is installed, for fingerprints."""
        return {
            "rules": self._rules.config(),
            "sources": self._index.sources,
            "env": self._env,
            "inherit": self._inherit,
            "wheels_only": self._wheels_only,
            "resolve_unknown": self._resolve_unknown,
        }

    def __repr__(self) -> str:
        return f"Environments({self._rules.describe()})"

    async def resolve(self, program: Program) -> Environment:
        """Return the environment of the packages that a program imports or names, and may use.

        Packages that are not allowed, or that no index has, are left out and listed in
        `Environment.findings`. pip is started only if something allowed has to be installed. A
        program that is not Python, or imports no packages, needs no environment.

        Raises:
            SandboxError: the index cannot be reached after all tries, an installation took longer
                than `timeout`, or the directory cannot be written.
            AuthenticationError: the index refuses the credentials.
        """
        if program.language != "python":
            return self._environment(BuildResult(self.spec(), None, fresh=False, failures=()), ())
        files = dict(program.files)
        if not program.main.endswith(".py") and program.main in files:
            files[f"{program.main}.py"] = files[program.main]
        imports = imports_of(files)
        install_plan = await plan(
            imports,
            self._rules,
            named=program.packages,
            inherit=self._inherit,
            resolve_unknown=self._resolve_unknown,
        )
        requirements = {**dict.fromkeys(self._rules.always, ""), **install_plan.requirements}
        result = await build_best_effort(
            self._builder, lambda texts: self.spec(*texts), requirements, self._rules.always
        )
        return self._environment(result, install_plan.refusals)

    @asynccontextmanager
    async def using(self, program: Program) -> AsyncGenerator[Environment]:
        """Resolve a program's environment and prevent its pruning until the block ends.

        Raises:
            SandboxError: as for `resolve`; so are its other errors.
        """
        while True:
            environment = await self.resolve(program)
            lease = environment.lease()
            try:
                lease.__enter__()
            except SandboxLostError:  # another process pruned it after `resolve`
                continue
            break
        try:
            yield environment
        finally:
            lease.__exit__(None, None, None)

    def spec(self, *requirements: str) -> EnvSpec:
        """Return the specification of these requirements, with the settings of this object.

        Raises:
            ValueError: as for `EnvSpec`.
        """
        return self._with_settings(EnvSpec(requirements=requirements))

    async def build(
        self, spec: EnvSpec, *, find_replacement: FindReplacement | None = None
    ) -> Environment:
        """Return exactly the environment of a specification, or raise an error.

        The pins, version ranges, sources and other settings of this object apply too.

        Args:
            spec: What the environment consists of.
            find_replacement: Returns another requirement for one that cannot be installed; called
                at most `tries` times. The result must be allowed. None (the default) for no
                replacements.

        Raises:
            UnsupportedError: a package is not allowed, or cannot be installed and has no
                replacement; or `spec` requires a system package, a command, an image or another
                Python.
            SandboxError: as for `resolve`; so are its other errors.
        """
        require_buildable(spec, self._rules)
        result = await build_exact(
            self._builder,
            self._with_settings,
            self._rules,
            spec,
            find_replacement=find_replacement,
            tries=self._tries,
        )
        return self._environment(result, ())

    async def prune(self, keep_days: float = 30.0) -> tuple[str, ...]:
        """Remove environments that are not in use and were not used for more than `keep_days` days.

        Also removes incomplete builds of processes that were killed.

        Args:
            keep_days: Days; 30.0 by default.

        Returns:
            The fingerprints of the removed environments.
        """
        return await anyio.to_thread.run_sync(self._store.prune, keep_days)

    def _with_settings(self, spec: EnvSpec) -> EnvSpec:
        """Return a specification with the settings of this object."""
        return replace(
            spec,
            requirements=tuple(map(self._rules.with_versions, spec.requirements)),
            constraints=self._rules.constraints(),
            sources=self._index.sources,
            wheels_only=self._wheels_only,
            env=self._env,
        )

    def _environment(self, result: BuildResult, refusals: tuple[Install, ...]) -> Environment:
        fingerprint = result.spec.fingerprint
        missing = (*(replace(one, fingerprint=fingerprint) for one in refusals), *result.failures)
        built = result.built
        installs = (*_installs(built, fingerprint, cached=not result.fresh), *missing)
        record_events(installs)
        environment = Environment(
            path=None if built is None else built.path,
            spec=result.spec,
            fingerprint=fingerprint,
            installs=installs,
            findings=tuple(self._index.redact(one.reason) for one in missing),
        )
        return (
            environment
            if built is None
            else replace(environment, acquire_lease=partial(self._store.use, fingerprint))
        )


def _installs(
    built: BuiltEnvironment | None, fingerprint: str, *, cached: bool
) -> tuple[Install, ...]:
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
