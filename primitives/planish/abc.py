"""Protocols that models, sandboxes, sessions, clocks and stores implement, and two for values.

All side effects go through `Model`, `Sandbox`, `Session` and `Clock`; everything else is a
deterministic function of its input. `planish.testing.check_model` and `check_sandbox` check an
implementation against this documentation.
"""

from collections.abc import Callable, Sequence
from typing import Any, Literal, Protocol, Self, runtime_checkable

from planish.data.message import Reply, Request
from planish.data.program import Completed, Program
from planish.data.sandbox import Variable
from planish.data.usage import ModelPrice

__all__ = [
    "AcceptsFeedback",
    "Clock",
    "KnowsLanguages",
    "LiveSandbox",
    "Model",
    "OnOutput",
    "OnText",
    "Outcome",
    "Priced",
    "Sandbox",
    "Served",
    "Session",
    "Store",
    "WaitingClock",
]

OnText = Callable[[str], None]
"""A callback for each piece of a streamed reply, as it arrives."""

OnOutput = Callable[[Literal["stdout", "stderr"], bytes], None]
"""A callback for each piece of a program's output, as it arrives: the stream, and the bytes."""


@runtime_checkable
class Model(Protocol):
    """A source of replies to requests: a language model, a script or a recording."""

    @property
    def name(self) -> str:
        """The requested model's name at its provider; the attribute `gen_ai.request.model`."""
        ...

    @property
    def provider(self) -> str:
        """OpenTelemetry's name of the provider; the attribute `gen_ai.provider.name`."""
        ...

    async def reply(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Send one request and return the reply.

        Transient errors (429, 5xx, connection resets) are retried with backoff inside this
        method, and raised if that does not help. Cancelling this call stops the request.

        Args:
            request: The request.
            on_text: If not None, the reply is streamed, and this is called with each piece of
                text in order. The joined pieces are `Reply.text`.

        Raises:
            ModelError: the model could not be reached, or the reply was not valid.
            AuthenticationError: the key is missing or was refused.
            RequestError: the provider refused the request itself.
            RecordingError: a recording or script has no more replies.
        """
        ...


@runtime_checkable
class Priced(Protocol):
    """Optional attributes of a `Model` that make `budget(usd=...)` and `budget(tokens=...)` exact.

    A model may have one attribute without the other. Within a budget of US dollars, a model
    without a price is refused. A model without a maximum of tokens is called one at a time.
    """

    @property
    def price(self) -> ModelPrice:
        """The price; "reported" if only `Usage.usd` of each reply states the cost; or None."""
        ...

    @property
    def max_tokens(self) -> int | None:
        """Maximum tokens of a reply to a request without `max_tokens`; None if unknown."""
        ...


@runtime_checkable
class Served(Protocol):
    """An optional attribute of a `Model` that sends its requests to a server, for telemetry."""

    @property
    def server_address(self) -> tuple[str, int]:
        """Host and port: `server.address` and `server.port` of spans and metrics."""
        ...


@runtime_checkable
class Sandbox(Protocol):
    """An isolated environment that runs untrusted programs, each in a fresh state."""

    @property
    def name(self) -> str:
        """A low-cardinality name of the kind of sandbox, such as "local" or "e2b"."""
        ...

    async def run(self, program: Program) -> Completed:
        """Run one program in a fresh working directory and wait for its end.

        No process, file or open descriptor of the program remains afterwards, however it ends
        and also if this call is cancelled. Runs do not see each other. Safe to call
        concurrently.

        Args:
            program: The program. The sandbox enforces its limits.

        Returns:
            How the program ended. Failing, hanging or being killed for a limit is an end too.

        Raises:
            SandboxError: the sandbox itself failed; the program's result is unknown.
            UnsupportedError: the sandbox does not support the language or a limit.
        """
        ...


@runtime_checkable
class LiveSandbox(Sandbox, Protocol):
    """A `Sandbox` that can also pass on output while the program runs.

    This is optional: a sandbox that receives output only after the program has ended has `run`
    alone.
    """

    async def run_live(self, program: Program, on_output: OnOutput) -> Completed:
        """Run one program as `run` does, and pass on its output as it arrives.

        Args:
            program: The program.
            on_output: Called with each piece of output, soon after the program has written it.
                The pieces of a stream arrive in order, and joined they are `Completed.stdout`
                or `Completed.stderr`, so they end at `ResourceLimits.output_bytes`. The order
                between the streams is not kept. Pieces are passed on before this call raises
                or is cancelled, too. It is called in the thread of the event loop, and must
                return at once. If it raises, it is not called again, the program is ended, and
                this call raises the same error.

        Returns:
            As `run`.

        Raises:
            SandboxError: as `run`, and so for its other errors.
        """
        ...


@runtime_checkable
class KnowsLanguages(Protocol):
    """An optional method of a `Sandbox`, by which a task is refused before a reply is paid for.

    Another one is `async def require_ready(self, *, pytest: bool) -> None`: it raises a
    MisuseError if no program can be run here, or there is no pytest or no key.
    """

    def require_language(self, language: str) -> None:
        """Check that programs of a language can be run, as far as it is known before a run.

        Args:
            language: The name of a language, as in `Program.language`.

        Raises:
            UnsupportedError: it is not known, or its interpreter is not installed.
        """
        ...


@runtime_checkable
class Session(Protocol):
    """An interpreter that runs steps of code one after another and keeps state between them.

    In contrast, every run of a `Sandbox` starts fresh. Steps of one session run one at a time:
    a second call waits for the first.
    """

    @property
    def name(self) -> str:
        """A low-cardinality name of the kind of session, such as "local" or "e2b"."""
        ...

    async def run(self, code: str, *, seconds: float = 30.0) -> Completed:
        """Run one step of Python.

        Variables, imports and files remain for the next step, also if this one raises. The
        value of the last expression, and displays before it, are in `Completed.displays`. An
        exception is printed to stderr as a traceback, and the exit code is then 1.

        Args:
            code: The step: statements or an expression.
            seconds: Time limit in seconds. A step that is stopped at it has the `limit`
                "seconds". The implementation documents what then happens to the session's state.

        Raises:
            SandboxLostError: the session is gone; a new one has to be opened.
            SandboxError: the session failed; the step's result is unknown.
        """
        ...

    async def variables(self) -> tuple[Variable, ...]:
        """Return the variables that the steps have set so far, sorted by name."""
        ...


@runtime_checkable
class Clock(Protocol):
    """A source of time, set by `planish.effects.use_clock` or as `clock=`: tests need not wait."""

    def now(self) -> float:
        """Return seconds since a fixed moment. Never decreases."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait for so many seconds."""
        ...


@runtime_checkable
class WaitingClock(Clock, Protocol):
    """A `Clock` whose time does not pass by itself, and that can wait until it has passed.

    This is optional. Timeouts wait with it for their end, as with `sleep` on other clocks, which
    may let time pass.
    """

    async def wait_until(self, time: float) -> None:
        """Wait until `now` is at least this time. Do not let time pass."""
        ...


@runtime_checkable
class Store(Protocol):
    """Keys and values that outlive a run: of a cache, a journal, a memory.

    An implementation may be shared by tasks, processes and machines. `planish.data.encoding`
    converts values of any type to bytes and back.
    """

    async def get(self, key: str, /) -> bytes | None:
        """Return the value under a key; None if there is none."""
        ...

    async def put(self, key: str, value: bytes, /) -> None:
        """Store a value under a key, and replace what was there.

        When this returns, the value is stored as durably as the store promises.
        """
        ...

    async def list(self, prefix: str = "", /) -> Sequence[str]:
        """Return all keys that begin with a text, sorted."""
        ...


@runtime_checkable
class AcceptsFeedback(Protocol):
    """An input that a loop can repeat with feedback, such as `Task`."""

    def with_feedback(self, feedback: Any, /) -> Self:
        """Return this input with the feedback of the last attempt."""
        ...


@runtime_checkable
class Outcome(Protocol):
    """A result with a verdict, such as `Report`.

    Combinators merge outcomes that also have `join(outcomes, ...)` (see
    `planish.data.report.Report.join`); of other outcomes they return the best one unchanged.
    """

    @property
    def passed(self) -> bool:
        """Whether the result is good enough to stop."""
        ...

    @property
    def score(self) -> float | None:
        """The quality from 0 to 1; None without evidence."""
        ...

    @property
    def feedback(self) -> Any:
        """Input of `AcceptsFeedback.with_feedback` for the next attempt."""
        ...
