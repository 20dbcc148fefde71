"""A sandbox that runs programs at E2B."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from types import MappingProxyType, TracebackType
from typing import Any, Literal, Self

from planish.arguments import require_choice, require_count
from planish.data.program import Completed, Program, check_program
from planish.data.usage import is_amount
from planish.errors import SandboxError, UnsupportedError

from ._answer import Answer
from ._pool import MARGIN, SandboxPool, sandbox_pool
from ._running import perform
from ._sdk import the_sdk
from ._session import E2BSession
from ._settings import HOBBY, Plan, Settings, check_mappings, check_texts

__all__ = ["LANGUAGES", "E2BSandbox"]

_LONGEST = 3  # of the time limit: a program may compute for it, and wait for twice as long

LANGUAGES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "bash": ("bash",),
        "java": ("java",),
        "javascript": ("node",),
        "r": ("Rscript",),
        "sh": ("sh",),
    }
)
"""Language to the command that runs a file of it, as E2B's template for code has them."""


class E2BSandbox:
    """Runs programs in microVMs at E2B.

    Entered with `async with`, it keeps sandboxes between runs. A run has a process and a folder
    of its own, both gone at its end, in a sandbox that is leased to the branch it belongs to:
    attempts that follow one another in one task share it, tasks that run side by side never do.
    What a program leaves elsewhere, in `/tmp` say, a later attempt of the same branch can find:
    `fresh="sandbox"` gives every run a sandbox that nothing has run in. Not entered, it makes
    and kills one for every run.

    A sandbox is killed when its program had to be killed from here, when a run is cancelled or
    fails, when its branch is over, and when the block ends; at the latest E2B does, when its
    lifetime is up.

    On asyncio the SDK is awaited directly; on trio it runs in a thread with asyncio in it.

    Args:
        template: What sandboxes are made from. Default: E2B's template for code.
        api_key: Default: `E2B_API_KEY`.
        plan: What the account may ask for: sandboxes at once and per second.
        lifetime: Seconds after which E2B kills a sandbox by itself. One that has not enough left
            for a program is replaced before it runs.
        warm: Sandboxes kept ready for new branches, while it is entered.
        fresh: "context": a process and folder of its own for each run; "sandbox": a sandbox.
        internet: Programs may reach the internet.
        env: Variables all programs and sessions see.
        retries: How often a program whose sandbox was lost is run again in another one, before
            that is an error. One that may reach the internet is never run twice.
        options: More for the SDK: `domain`, `proxy`, `request_timeout`, and `languages`, which
            command runs which language in the template.

    Raises:
        UnsupportedError: the SDK is not installed.
        ValueError: an argument of a wrong type or range; a variable that no process can have.

    Example:
        ```python
        async with E2BSandbox(plan=PRO, warm=2) as sandbox:
            report = await Retry(generate >> CodeExecution(sandbox) >> Validator()).run(task)
        ```
    """

    def __init__(
        self,
        template: str | None = None,
        *,
        api_key: str | None = None,
        plan: Plan = HOBBY,
        lifetime: float = 300.0,
        warm: int = 0,
        fresh: Literal["context", "sandbox"] = "context",
        internet: bool = False,
        env: Mapping[str, str] | None = None,
        retries: int = 1,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        the_sdk()
        check_texts(template, api_key)
        require_choice("E2BSandbox", "fresh", fresh, ("context", "sandbox"))
        require_count("E2BSandbox", "warm", warm, least=0)
        require_count("E2BSandbox", "retries", retries, least=0)
        if not (is_amount(lifetime) and lifetime >= 1):
            raise ValueError(f"E2BSandbox(lifetime={lifetime!r}): must be at least 1")
        check_mappings(env, options)
        given = {name: value for name, value in (options or {}).items() if value is not None}
        languages: Mapping[str, tuple[str, ...]] = given.pop("languages", LANGUAGES)
        self._settings = Settings(
            template=template,
            plan=plan,
            lifetime=lifetime,
            warm=warm,
            reuse=fresh == "context",
            internet=internet,
            retries=0 if internet else retries,
            env=dict(env or {}),
            languages=dict(languages),
            options=given if api_key is None else {**given, "api_key": api_key},
        )
        self._entered: tuple[AsyncExitStack, SandboxPool] | None = None

    def config(self) -> Mapping[str, Any]:
        """Return the options by name, for fingerprints; of `env` and `options` the names only."""
        names = ("template", "plan", "lifetime", "warm", "reuse", "internet", "retries")
        values = {name: getattr(self._settings, name) for name in (*names, "languages")}
        return {
            **values,
            "env": sorted(self._settings.env),
            "options": sorted(self._settings.options.keys() - {"api_key"}),
        }

    def __repr__(self) -> str:
        settings = self._settings
        return f"E2BSandbox(template={settings.template!r}, plan={settings.plan!r})"

    def __getstate__(self) -> dict[str, Any]:
        """Return the configuration; E2B_API_KEY is read again where it is unpickled.

        Raises:
            TypeError: the key was passed as a value, or a name in `env` or `options` says that
                its value is a secret.
        """
        from planish_integrations.models.transport import find_secrets  # noqa: PLC0415 - loads httpx

        if "api_key" in self._settings.options:
            raise TypeError(
                "an E2BSandbox with api_key=... is not pickled, because others could read the key "
                "in a queue or a file: set E2B_API_KEY in the environment of the machine where the "
                "sandbox is used, or create the sandbox there"
            )
        fields = {"env": self._settings.env, "options": self._settings.options}
        if names := sorted({name for name, _ in find_secrets(fields)}):
            raise TypeError(
                f"an E2BSandbox with secrets is not pickled, because others could read them in a "
                f"queue or a file ({', '.join(names)}): create the sandbox where it is used"
            )
        # A copy of the settings is without the key that was read from the environment.
        return {**vars(self), "_settings": replace(self._settings), "_entered": None}

    @property
    def name(self) -> str:
        """Always "e2b"."""
        return "e2b"

    async def __aenter__(self) -> Self:
        """Keep sandboxes between runs, from here on.

        Raises:
            AuthenticationError: there is no key.
            SandboxError: it is entered already.
        """
        if self._entered is not None:
            raise SandboxError("E2BSandbox is entered already: share it, or make another one")
        _ = self._settings.key
        async with AsyncExitStack() as stack:
            entered = await stack.enter_async_context(sandbox_pool(self._settings))
            self._entered = (stack.pop_all(), entered)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        if self._entered is None:
            return None
        stack, _ = self._entered
        self._entered = None
        return await stack.__aexit__(kind, error, trace)

    def require_language(self, language: str) -> None:
        """Check that a language has a command; the template may lack it. See `KnowsLanguages`.

        Raises:
            UnsupportedError: the language is not known.
        """
        self._command(language)

    async def require_ready(self, *, pytest: bool) -> None:  # noqa: ARG002 - the template has it
        """Check that there is a key, before a reply is paid for. See `KnowsLanguages`.

        Raises:
            AuthenticationError: there is none.
        """
        _ = self._settings.key

    async def run(self, program: Program) -> Completed:
        """Run one program and wait for its end. See `planish.abc.Sandbox.run`.

        Args:
            program: What to run.

        Returns:
            How it ended; `isolation` is "microvm".

        Raises:
            UnsupportedError: no interpreter for the language; a path that is not inside the
                working directory; `main` not among the files; more time than the plan allows.
            AuthenticationError: there is no key, or E2B refused it.
            RequestError: E2B refused the request: there is no such template.
            SandboxError: E2B was busy or out of reach for all of the plan's patience.
            SandboxLostError: the sandbox vanished, or its answer was not whole, every time.
        """
        check_program(program)
        command = self._command(program.language)
        async with self._pool() as pool:
            return await self._run(pool, program, command)

    async def _run(
        self, pool: SandboxPool, program: Program, command: tuple[str, ...]
    ) -> Completed:
        settings = pool.settings
        tries, fresh = settings.retries, not settings.reuse
        while True:
            handle = await pool.acquire(_longest(program, settings.plan), fresh=fresh)
            answer = Answer()
            used, handle.used = handle.used, True
            try:
                ending = await perform(handle, program, command, settings, answer)
            except SandboxError as error:
                # What an earlier program left is no reason to fail this one before it starts.
                fails = not tries and (answer.started or not used)
                await pool.discard(handle, error if fails else None)
                if fails:
                    raise
            except BaseException as error:  # also cancelled: what is left in it is not known
                await pool.discard(handle, error)
                raise
            else:
                if ending.whole:
                    pool.give_back(handle)
                    return ending.completed
                await pool.discard(handle)
                if not tries:
                    return ending.completed
            tries, fresh = max(0, tries - 1), True

    @asynccontextmanager
    async def session(self) -> AsyncGenerator[E2BSession, None]:
        """A session in a sandbox of its own, killed at the end of the block.

        Raises:
            SandboxError: as `run`, and so for its other errors.
        """
        async with self._pool() as pool:
            handle = await pool.acquire(0.0, fresh=True)
            try:
                yield E2BSession(handle, self._settings)
            except BaseException as error:
                await pool.discard(handle, error)
                raise
            await pool.discard(handle)

    @asynccontextmanager
    async def _pool(self) -> AsyncGenerator[SandboxPool, None]:
        """Return the pool of the enclosing block, or one for this run."""
        if self._entered is not None:
            yield self._entered[1]
            return
        _ = self._settings.key
        async with sandbox_pool(replace(self._settings, warm=0, reuse=False)) as single:
            yield single

    def _command(self, language: str) -> tuple[str, ...]:
        languages = self._settings.languages
        if language in languages:
            return languages[language]
        if language == "python":
            return ()
        raise UnsupportedError(
            f"E2BSandbox knows no language {language!r}; it has "
            f"{', '.join(sorted({'python', *languages}))}. Add the command of your template: "
            f"E2BSandbox(options={{'languages': {{{language!r}: ('command',)}}}})"
        )


def _longest(program: Program, plan: Plan) -> float:
    """Return how long a program may last, as far as the plan lets a sandbox live."""
    seconds = program.limits.seconds
    return max(seconds, min(_LONGEST * seconds, plan.longest - MARGIN))
