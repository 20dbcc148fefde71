"""The contracts planish asks of the world, and the two it asks of values.

All that is not pure goes through `Model`, `Sandbox`, `Session` and `Clock`; everything else is a
deterministic function of its input. `planish.testing.check_model` and `check_sandbox`
hold any implementation to what is written here.
"""

from collections.abc import Callable
from typing import Any, Protocol, Self, runtime_checkable

from planish.data.message import Reply, Request
from planish.data.program import Completed, Program
from planish.data.sandbox import Variable
from planish.data.usage import ModelPrice

__all__ = ["AcceptsFeedback", "Clock", "Model", "OnText", "Outcome", "Priced", "Sandbox", "Session"]

OnText = Callable[[str], None]
"""Called with each piece of text as it arrives."""


@runtime_checkable
class Model(Protocol):
    """Something that answers requests: a language model, a script, a recording."""

    @property
    def name(self) -> str:
        """The model asked for, as its provider names it: `gen_ai.request.model`."""
        ...

    @property
    def provider(self) -> str:
        """Who serves it, as OpenTelemetry names providers: `gen_ai.provider.name`."""
        ...

    async def reply(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Answer one request.

        Trouble on the way (429, 5xx, resets) is backed off and retried in here, and raised
        when that does not help. Cancelling stops the request.

        Args:
            request: The question.
            on_text: When given, the answer is streamed: called with each piece in order.
                The pieces joined are `Reply.text`.

        Raises:
            ModelError: the model could not be reached or answered nonsense.
            AuthenticationError: the key is missing or refused.
            RequestError: the provider refuses the request itself.
            RecordingError: a recording or script has no more answers.
        """
        ...


@runtime_checkable
class Priced(Protocol):
    """What a `Model` may have besides, so that `budget(usd=...)` and `budget(tokens=...)` hold.

    Both attributes are optional, each by itself. A model without a price is refused where money is
    limited. One whose replies have no bound is called one at a time.
    """

    @property
    def price(self) -> ModelPrice:
        """What it costs; "reported" where only each reply's `Usage.usd` says it; or None."""
        ...

    @property
    def max_tokens(self) -> int | None:
        """The most tokens of a reply to a request that does not say; None where not known."""
        ...


@runtime_checkable
class Sandbox(Protocol):
    """A place where programs that nobody has read are run."""

    @property
    def name(self) -> str:
        """What it is, in one low-cardinality word: "local", "e2b"."""
        ...

    async def run(self, program: Program) -> Completed:
        """Run one program in a fresh place and wait for its end.

        However it ends (also when this call is cancelled) nothing of it is left: no process,
        file or open descriptor. Runs do not see each other. Safe to call concurrently.

        Args:
            program: What to run. Its limits are enforced here.

        Returns:
            How it ended. A program that fails, hangs or is killed for a limit has completed.

        Raises:
            SandboxError: the sandbox itself failed; nothing is known of the program.
            UnsupportedError: the language, or a limit, is beyond this sandbox.
        """
        ...


@runtime_checkable
class Session(Protocol):
    """One place where steps of code run after one another and see what was left before.

    The opposite of a `Sandbox`, where every run is fresh; whoever wants this asks for it.
    Steps of one session run one at a time: a second call waits for the first.
    """

    @property
    def name(self) -> str:
        """What it is, in one low-cardinality word: "local", "e2b"."""
        ...

    async def run(self, code: str, *, seconds: float = 30.0) -> Completed:
        """Run one step of Python.

        Variables, imports and files stay for the next step, also when this one raises. What the
        last expression gives, and what is shown on the way, is in `Completed.displays`; what is
        raised is printed to stderr as a traceback, and the exit code is 1.

        Args:
            code: The step; statements, or an expression.
            seconds: Its time limit. A step that is stopped at it has `limit` "seconds"; what
                becomes of the session's state then, the implementation says.

        Raises:
            SandboxLostError: the session is gone; a new one has to be opened.
            SandboxError: it failed, and nothing is known of the step.
        """
        ...

    async def variables(self) -> tuple[Variable, ...]:
        """The variables the steps have set so far, sorted by name."""
        ...


@runtime_checkable
class Clock(Protocol):
    """Time, passed in so that no test waits."""

    def now(self) -> float:
        """Seconds since some fixed moment; never goes back."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait so long."""
        ...


@runtime_checkable
class AcceptsFeedback(Protocol):
    """An input that can be asked again, better: `Task` is one."""

    def with_feedback(self, feedback: Any, /) -> Self:
        """This input, with what the last try taught."""
        ...


@runtime_checkable
class Outcome(Protocol):
    """A result that can be judged: `Report` is one.

    An outcome that also has `join(outcomes, ...)` is merged by the combinators (see
    `planish.data.report.Report.join`); of others, the best one is returned as it is.
    """

    @property
    def passed(self) -> bool:
        """Good enough to stop."""
        ...

    @property
    def score(self) -> float | None:
        """How well, from 0 to 1; None where there is no evidence."""
        ...

    @property
    def feedback(self) -> Any:
        """Why: what the next try should know. Given to `AcceptsFeedback.with_feedback`."""
        ...
