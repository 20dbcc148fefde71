"""A sandbox whose programs see what a session holds, and leave nothing in it."""

from planish.data import Completed, Program

from ._session import LocalSession

__all__ = ["InSession"]


class InSession:
    """Runs each program in a fork of a session: it reads the variables and files, and leaves none.

    So an attempt that fails leaves nothing behind, and two branches do not see each other's.
    What a program is to keep, a step of the session does: `session.run(report.best.code)`.

    A program finds the session's variables as builtins, under their own names, and a copy of
    its files in the working directory. Programs of one session run one at a time.

    Args:
        session: An open session.

    Example:
        ```python
        async with LocalSession(files={"data.csv": data}) as session:
            await session.run("rows = open('data.csv').read().splitlines()")
            attempt = CodeGenerator(model) >> CodeExecution(InSession(session)) >> Validator()
        ```
    """

    def __init__(self, session: LocalSession) -> None:
        self._session = session

    @property
    def name(self) -> str:
        """The session's name."""
        return self._session.name

    def __repr__(self) -> str:
        return f"InSession({self._session!r})"

    async def require_ready(self, *, pytest: bool) -> None:
        """Check that the session is open, before a reply is paid for. See `KnowsLanguages`.

        Raises:
            UnsupportedError: it is not.
        """
        await self._session.require_ready(pytest=pytest)

    async def run(self, program: Program) -> Completed:
        """Run one program beside the session. See `planish.abc.Sandbox.run`.

        `ResourceLimits.processes` is the session's, of all that runs in it. `disk_mb` and `files`
        limit what the program adds, and are at most those of the session.

        Raises:
            UnsupportedError: a language other than Python, a path that cannot be, or fewer
                processes than the session may have.
            SandboxLostError: the session is gone.
        """
        return await self._session.attempt(program)
