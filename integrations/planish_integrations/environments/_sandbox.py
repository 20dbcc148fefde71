"""`InEnvironment`: any sandbox, with what each program may import."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from threading import Lock
from typing import Self

from planish.abc import Sandbox
from planish.data.program import Completed, Program

from ._environments import Environments
from ._records import Environment

__all__ = ["InEnvironment"]


class InEnvironment:
    """A sandbox in which each program finds the packages that it imports and may have.

    What it may not have is in `Completed.findings`, and so in the feedback to the generator.

    Args:
        sandbox_for: Makes the sandbox for an environment; called once for each, and once for
            programs that need none. `Environment.path` is what has to be on the path.
        environments: What may be installed.
        pythonpath: Put the environment on the program's PYTHONPATH, for a sandbox that programs
            see this machine's files from. Others bind `Environment.path` themselves.

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
        self._making = Lock()
        empty = environments.spec()
        self._empty = sandbox_for(Environment(path=None, spec=empty, fingerprint=empty.fingerprint))
        self._sandboxes: dict[str, Sandbox] = {}

    @property
    def name(self) -> str:
        """The name of the sandboxes it makes."""
        return self._empty.name

    def __repr__(self) -> str:
        return f"InEnvironment({self._empty!r}, {self._environments!r})"

    async def aclose(self) -> None:
        """Close the sandboxes it made, those that can be closed."""
        with self._making:
            made, self._sandboxes = [*self._sandboxes.values(), self._empty], {}
        for sandbox in made:
            close = getattr(sandbox, "aclose", None)
            if close is not None:
                await close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def run(self, program: Program) -> Completed:
        """Install what the program imports and may have, and run it. See `planish.abc.Sandbox`.

        The time that takes is not the program's.

        Raises:
            SandboxError: the index cannot be reached, or as the sandbox's own `run`.
            AuthenticationError: the index refuses the credentials.
        """
        async with self._environments.using(program) as environment:
            done = await self._sandbox(environment).run(self._with_path(program, environment))
        return replace(done, findings=(*environment.findings, *done.findings))

    def _sandbox(self, environment: Environment) -> Sandbox:
        if environment.path is None:
            return self._empty
        with self._making:  # runs may be of several threads
            if environment.fingerprint not in self._sandboxes:
                self._sandboxes[environment.fingerprint] = self._sandbox_for(environment)
            return self._sandboxes[environment.fingerprint]

    def _with_path(self, program: Program, environment: Environment) -> Program:
        if environment.path is None or not self._pythonpath:
            return program
        own: Mapping[str, str] = program.env
        paths = [str(environment.path), *filter(None, [own.get("PYTHONPATH")])]
        return replace(program, env={**own, "PYTHONPATH": ":".join(paths)})
