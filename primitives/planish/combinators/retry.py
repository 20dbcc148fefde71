"""The loop: try, look at the evidence, try again knowing it."""

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any, TypeVar, cast

from opentelemetry.util.types import AttributeValue

from planish.abc import Clock
from planish.clock import SYSTEM_CLOCK
from planish.context.ledger import Ledger, empty_report, ledger_scope, returns_report
from planish.context.scope import current
from planish.data.events import AttemptStarted, LoopStopped
from planish.data.report import Report
from planish.data.status import Status
from planish.data.task import Task
from planish.errors import BudgetExceededError, LimitError, WiringError
from planish.runtime.diagram import Links
from planish.runtime.outcomes import join, selected_index
from planish.runtime.primitive import FeedbackIn, OutcomeOut, Primitive, as_primitive
from planish.runtime.wiring import require_feedback_input, require_outcome
from planish.stop import Progress, Stop, max_attempts, success
from planish.telemetry import names
from planish.telemetry.logs import emit
from planish.telemetry.metrics import instruments
from planish.telemetry.spans import span_scope

__all__ = ["Retry"]

Joined = TypeVar("Joined")

FeedbackPolicy = Callable[[OutcomeOut], Any | Awaitable[Any]]


class Retry(Primitive[FeedbackIn, OutcomeOut]):
    """Run a step until its outcome passes or a stop rule fires; each try knows the last one.

    The next input is `input.with_feedback(outcome.feedback)`: feedback travels in the value,
    whatever stands between here and the generator. Only a verdict makes another attempt:
    errors of the world are not attempts, and are raised with the report so far. There is no
    waiting between attempts.

    Args:
        step: What to try.
        attempts: The most attempts, the first included. Attempts cost money: there is no
            default, and where it is left out `stop` must be given.
        stop: Further rules; see `planish.stop`. Passing always stops, before any other rule; so
            does an attempt that shows that the tests themselves are broken ("test_error").
        feedback: What the next try should know, from the outcome of the last: a `Feedback`, or
            words to add to the outcome's own. None (the default): the outcome's own.
        clock: Where rules get the time from.

    Raises:
        WiringError: the step's results cannot be judged, its input takes no feedback, or
            neither `attempts` nor `stop` is given.
    """

    operation = "invoke_agent"

    def __init__(
        self,
        step: Primitive[FeedbackIn, OutcomeOut],
        *,
        attempts: int | None = None,
        stop: Stop | None = None,
        feedback: "FeedbackPolicy[OutcomeOut] | None" = None,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        if attempts is None and stop is None:
            raise WiringError(f"Retry({step!r}): say when to stop: attempts=3, or stop=...")
        self.step: Primitive[FeedbackIn, OutcomeOut] = as_primitive(step, "Retry:")
        require_outcome("Retry", self.step)
        require_feedback_input("Retry", self.step)
        self.attempts = attempts
        self.stop = stop
        self.feedback = feedback
        self.clock = clock
        rule = success() if stop is None else success() | stop
        self._rule = rule if attempts is None else rule | max_attempts(attempts)
        self._signature = self.step.signature

    def _links(self) -> Links:
        return Links("frame", back="feedback")

    async def _run(self, value: FeedbackIn) -> OutcomeOut:
        self._fail_unless_taught(value)
        rounds: list[OutcomeOut] = []
        with ledger_scope() as book:
            try:
                return await self._loop(value, rounds, book)
            except LimitError as error:
                reason = "budget" if isinstance(error, BudgetExceededError) else "timeout"
                rescued = self._rescue(value, rounds, book, reason)
                if rescued is None:
                    raise
                return self._stopped(rescued, reason, len(rounds))

    async def _loop(self, value: FeedbackIn, rounds: list[OutcomeOut], book: Ledger) -> OutcomeOut:
        begin = self.clock.now()
        while True:
            outcome = await self._attempt(value, len(rounds) + 1)
            rounds.append(outcome)
            book.record(outcome)
            progress = Progress(tuple(rounds), self.clock.now() - begin, book.usage)
            reason = _forced(outcome) or self._rule.check(progress)
            if reason is not None:
                joined = join(
                    rounds, stop_reason=reason, usage=book.usage, selected=selected_index(rounds)
                )
                return self._stopped(joined, reason, len(rounds))
            value = await self._better(value, outcome)

    async def _attempt(self, value: FeedbackIn, number: int) -> OutcomeOut:
        around = current()
        path = f"{around.path}/Retry#{number}" if around.path else f"Retry#{number}"
        attributes: dict[str, AttributeValue] = {names.ATTEMPT: number, names.PATH: path}
        if self.attempts is not None:
            attributes[names.ATTEMPT_MAX] = self.attempts
        with (
            span_scope("planish.attempt", attributes) as span,
            ledger_scope(path=path, attempt=number),
        ):
            if not around.unobserved:
                emit(AttemptStarted(maximum=self.attempts, path=path, attempt=number))
            outcome = await self.step.run(value)
            _describe(span, outcome)
        return outcome

    async def _better(self, value: Any, outcome: Any) -> Any:
        """The next input: this one, with what its outcome taught."""
        better = value.with_feedback(outcome.feedback)
        if isinstance(better, Task) and better.feedback and better.attempt <= value.attempt:
            # A round that gave nothing to learn from was one all the same.
            better = better.with_feedback(replace(better.feedback, attempt=value.attempt))
        if self.feedback is not None:
            own: Any = self.feedback(outcome)
            own = await own if inspect.isawaitable(own) else own
            if own is not None:
                better = better.with_feedback(own)
        return better

    def _fail_unless_taught(self, value: object) -> None:
        if not hasattr(value, "with_feedback"):
            raise WiringError(
                f"{self!r} was given a {type(value).__qualname__}, which takes no feedback: "
                "its input needs with_feedback(feedback)"
            )

    def _rescue(
        self, value: FeedbackIn, rounds: list[OutcomeOut], book: Ledger, reason: str
    ) -> OutcomeOut | None:
        """The best so far, when a limit ended the loop."""
        if rounds and not isinstance(rounds[0], Report):
            return join(
                rounds, stop_reason=reason, usage=book.usage, selected=selected_index(rounds)
            )
        report = book.partial_report(reason)
        if report is None and returns_report(self.signature):
            report = empty_report(value, reason, book.usage)
        return cast("OutcomeOut | None", report)

    def _stopped(self, outcome: Joined, reason: str, attempts: int) -> Joined:
        scope = current()
        passed: bool = getattr(outcome, "passed", False)
        dims: dict[str, AttributeValue] = {names.STOP_REASON: reason, names.PASSED: passed}
        instruments(scope).attempts.record(attempts, dims)
        if not scope.unobserved:
            score: float | None = getattr(outcome, "score", None)
            emit(
                LoopStopped(
                    reason=reason,
                    passed=passed,
                    score=score,
                    path=scope.path,
                    attempt=attempts,
                )
            )
        return outcome


def _forced(outcome: Any) -> str | None:
    """Name the reason why another attempt is pointless, whatever the rules say."""
    if _out_of_budget(outcome):
        return "budget"
    broken = getattr(outcome, "status", None) is Status.TEST_ERROR and not outcome.passed
    return "test_error" if broken else None


def _out_of_budget(outcome: Any) -> bool:
    """A loop or race within was stopped by a budget that also holds here: so will the next be."""
    cut = not outcome.passed and getattr(outcome, "stop_reason", None) == "budget"
    return cut and any(budget.refused for budget in current().budgets)


def _describe(span: Any, outcome: Any) -> None:
    status = getattr(outcome, "status", None)
    span.set_attribute(names.PASSED, bool(outcome.passed))
    if status is not None:
        span.set_attribute(names.STATUS, str(status))
    if outcome.score is not None:
        span.set_attribute(names.SCORE, float(outcome.score))
