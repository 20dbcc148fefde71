"""`InEnvironment`: wrap any sandbox so that each program finds the packages it imports."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from threading import Lock
from typing import Any, Self

from planish.abc import Sandbox
from planish.data.program import Completed, Program

from ._environments import Environments
from ._records import Environment

__all__ = ["InEnvironment"]


class InEnvironment:
    """A sandbox in which each program finds the packages that it imports and that are allowed.

    Packages that are not allowed are named in `Completed.findings`, and so in the feedback to the
    generator.

    Args:
        sandbox_for: Makes the sandbox for an environment; called once for each environment, and
            once for programs that need none. `Environment.path` must be on the program's path.
        environments: What may be installed.
        pythonpath: Put the environment on the program's PYTHONPATH, for sandboxes in which
            programs see this machine's files. Other sandboxes mount `Environment.path` themselves.

    Example:
        ```python
        environments = Environments(allow=("numpy", "pandas>=2,<3"))
        sandbox = InEnvironment(
            lambda environment: UnsafeLocalSandbox(), environments, pythonpath=True
        )
        ```
    """

    def __init__(
        self,
        sandbox_for: Callable[[Environment], Sandbox],
        environments: Environments,
        *,
        pythonpath: bool = False,
    ) -> None:
        self._sandbox_for = sandbox_for
        self._environments = environments
        self._pythonpath = pythonpath
        self._mutex = Lock()
        empty = environments.spec()
        self._empty = sandbox_for(Environment(path=None, spec=empty, fingerprint=empty.fingerprint))
        self._sandboxes: dict[str, Sandbox] = {}

    @property
    def name(self) -> str:
        """The name of the sandboxes that `sandbox_for` makes."""
        return self._empty.name

    def config(self) -> Mapping[str, Any]:
        """Return the options by name, for fingerprints."""
        return {
            "sandbox_for": self._sandbox_for,
            "environments": self._environments,
            "pythonpath": self._pythonpath,
        }

    def __reduce__(self) -> tuple[Any, ...]:
        make = partial(InEnvironment, pythonpath=self._pythonpath)
        return make, (self._sandbox_for, self._environments)

    def __repr__(self) -> str:
        return f"InEnvironment({self._empty!r}, {self._environments!r})"

    async def aclose(self) -> None:
        """Close the sandboxes that have an `aclose` method."""
        with self._mutex:
            sandboxes, self._sandboxes = [*self._sandboxes.values(), self._empty], {}
        for sandbox in sandboxes:
            close = getattr(sandbox, "aclose", None)
            if close is not None:
                await close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def run(self, program: Program) -> Completed:
        """Install what the program imports and may use, then run it. See `planish.abc.Sandbox`.

        The program's time limit does not include the installation.

        Raises:
            SandboxError: the index cannot be reached; or as the sandbox's own `run`.
            AuthenticationError: the index refuses the credentials.
        """
        async with self._environments.using(program) as environment:
            completed = await self._sandbox(environment).run(self._with_path(program, environment))
        return replace(completed, findings=(*environment.findings, *completed.findings))

    def _sandbox(self, environment: Environment) -> Sandbox:
        if environment.path is None:
            return self._empty
        with self._mutex:  # `run` may be called from several threads
            if environment.fingerprint not in self._sandboxes:
                self._sandboxes[environment.fingerprint] = self._sandbox_for(environment)
            return self._sandboxes[environment.fingerprint]

    def _with_path(self, program: Program, environment: Environment) -> Program:
        if environment.path is None or not self._pythonpath:
            return program
        own: Mapping[str, str] = program.env
        paths = [str(environment.path), *filter(None, [own.get("PYTHONPATH")])]
        return replace(program, env={**own, "PYTHONPATH": ":".join(paths)})
