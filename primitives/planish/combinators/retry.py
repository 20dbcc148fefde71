"""Run a step until its outcome passes; each attempt has the feedback of the one before."""

import inspect
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar, cast

from opentelemetry.util.types import AttributeValue

from planish.abc import Clock
from planish.arguments import require_count
from planish.context.interception import decide
from planish.context.ledger import Ledger, ledger_scope
from planish.context.partial_reports import empty_report, returns_report
from planish.context.path import current_path, format_path, path_scope
from planish.context.scope import current
from planish.context.turns import checkpoint
from planish.data.events import AttemptStarted, LoopStopped
from planish.data.feedback import Feedback
from planish.data.report import Report
from planish.data.status import Status
from planish.data.task import Task
from planish.data.verdict import Verdict
from planish.errors import BudgetExceededError, LimitError, TaskError, WiringError
from planish.judges import lacks_tests
from planish.runtime.diagram import Links
from planish.runtime.naming import name_in_path
from planish.runtime.outcomes import join, selected_index
from planish.runtime.primitive import FeedbackIn, OutcomeOut, Primitive, as_primitive
from planish.runtime.wiring import (
    WrongInputError,
    require_callable,
    require_feedback_input,
    require_outcome,
)
from planish.stop import Progress, Stop, max_attempts, require_stop, success
from planish.telemetry import names
from planish.telemetry.logs import emit
from planish.telemetry.metrics import instruments
from planish.telemetry.spans import span_scope

__all__ = ["Retry"]

Joined = TypeVar("Joined")

FeedbackPolicy = Callable[[OutcomeOut], Any | Awaitable[Any]]
"""A function from an outcome to the next attempt's feedback or input; may be async."""


class Retry(Primitive[FeedbackIn, OutcomeOut]):
    """Run a step until its outcome passes or a stop rule fires; attempts know their predecessors.

    The next input is `input.with_feedback(outcome.feedback)`, so feedback reaches the generator
    through any steps in between. Only an outcome that does not pass leads to another attempt.
    Infrastructure errors do not: they are raised with the report so far. There is no delay
    between attempts.

    Args:
        step: The step to run.
        attempts: The most attempts, including the first. There is no default, because attempts
            cost money; without it, `stop` is required.
        stop: Further stop rules; see `planish.stop`. A pass always stops the loop, before any
            rule; so does an outcome whose tests are broken, with the stop reason "test_error",
            and code that ran without a test that counts, if only tests decide: "unverified".
        feedback: A policy, or several that are applied in order. It returns, from the outcome of
            the last attempt, what the next one is given: a text to add to the outcome's own
            feedback; a `Feedback` instead of it, or, with `text` alone, in addition to it; or the
            next input itself, such as a `Task` with mended tests. None, the default and as its
            result, means the outcome's own feedback alone. See `planish.feedback`.
        clock: The clock of the stop rules; None (the default) for that of the scope.

    Raises:
        WiringError: the step's results are not outcomes, its input accepts no feedback, neither
            `attempts` nor `stop` is set, `stop` is not a stop rule, or `feedback` not a function.
        ValueError: `attempts` is not a whole number of at least 1.
    """

    operation = "invoke_agent"

    def __init__(
        self,
        step: Primitive[FeedbackIn, OutcomeOut],
        *,
        attempts: int | None = None,
        stop: Stop | None = None,
        feedback: "FeedbackPolicy[OutcomeOut] | Sequence[FeedbackPolicy[OutcomeOut]] | None" = None,
        clock: Clock | None = None,
    ) -> None:
        if attempts is None and stop is None:
            raise WiringError(f"Retry({step!r}): set when to stop: attempts=3, or stop=...")
        self.step: Primitive[FeedbackIn, OutcomeOut] = as_primitive(step, "Retry:")
        require_outcome("Retry", self.step)
        require_feedback_input("Retry", self.step)
        if attempts is not None:
            require_count("Retry", "attempts", attempts)
        if stop is not None:
            require_stop("Retry(stop=...)", stop)
        if clock is not None and not isinstance(cast("object", clock), Clock):
            raise WiringError(f"Retry(clock={clock!r:.80}): must be a Clock: `now` and `sleep`")
        self.attempts = attempts
        self.stop = stop
        self.feedback = feedback
        self._policies = _policies(feedback)
        self.clock = clock
        rule = success() if stop is None else success() | stop
        self._rule = rule if attempts is None else rule | max_attempts(attempts)
        self._signature = self.step.signature

    def _links(self) -> Links:
        return Links("frame", back="feedback")

    async def _run(self, value: FeedbackIn) -> OutcomeOut:
        self._require_feedback_value(value)
        outcomes: list[OutcomeOut] = []
        with ledger_scope() as ledger:
            try:
                return await self._loop(value, outcomes, ledger)
            except LimitError as error:
                reason = "budget" if isinstance(error, BudgetExceededError) else "timeout"
                partial = self._partial_outcome(value, outcomes, ledger, reason)
                if partial is None:
                    raise
                return self._end(partial, reason, len(outcomes))

    async def _loop(
        self, value: FeedbackIn, outcomes: list[OutcomeOut], ledger: Ledger
    ) -> OutcomeOut:
        clock = self.clock or current().clock
        begin = clock.now()
        folded: dict[str, tuple[int, Any]] = {}
        while True:
            outcome = await self._attempt(value, len(outcomes) + 1)
            outcomes.append(outcome)
            ledger.record(outcome)
            seconds = clock.now() - begin
            progress = Progress(tuple(outcomes), seconds, ledger.usage, folded)
            reason = await self._reason_to_stop(progress)
            if reason is not None:
                return self._end(_join(outcomes, ledger, reason), reason, len(outcomes))
            value = await self._next_input(value, outcome)
            # Steps need not wait for anything: without this, nothing could end such a loop.
            await checkpoint()

    async def _reason_to_stop(self, progress: Progress) -> str | None:
        async def check() -> str | None:
            return _forced_reason(progress.history[-1]) or self._rule.check(progress)

        # Time and usage decide too, so a journal has to record it.
        return await decide("Retry", check, str | None, len(progress.history))

    async def _attempt(self, value: FeedbackIn, number: int) -> OutcomeOut:
        outer = current()
        segment = f"{name_in_path(self, 'Retry')}#{number}"
        attributes: dict[str, AttributeValue] = {
            names.ATTEMPT: number,
            names.PATH: format_path((*current_path(), segment)),
        }
        if self.attempts is not None:
            attributes[names.ATTEMPT_MAX] = self.attempts
        with (
            path_scope(segment),
            span_scope("planish.attempt", attributes) as span,
            ledger_scope("feedback" if number > 1 else None, attempt=number) as ledger,
        ):
            if not outer.unobserved:
                emit(AttemptStarted(maximum=self.attempts, path=current_path(), attempt=number))
            outcome = await self.step.run(value)
            if isinstance(outcome, Report):
                outcome = cast("OutcomeOut", ledger.complete(outcome))
            _set_attributes(span, outcome)
        return outcome

    async def _next_input(self, value: Any, outcome: Any) -> Any:
        """Return the next attempt's input: this one's, with feedback, as the policies revise it."""
        following = _counted(value.with_feedback(outcome.feedback), value)
        for policy in self._policies:
            following = _counted(await _apply_policy(policy, outcome, following), value)
        return following

    def _require_feedback_value(self, value: object) -> None:
        if not hasattr(value, "with_feedback"):
            expected = "a Task" if self.signature[0] is Task else "an input with with_feedback()"
            raise WrongInputError(self, value, expected)

    def _partial_outcome(
        self, value: FeedbackIn, outcomes: list[OutcomeOut], ledger: Ledger, reason: str
    ) -> OutcomeOut | None:
        """Return what was reached when a limit ended the loop; None if nothing was."""
        if outcomes and not isinstance(outcomes[0], Report):
            return _join(outcomes, ledger, reason)
        report = ledger.partial_report(reason)
        if report is None and returns_report(self.signature):
            report = empty_report(value, reason, ledger.usage)
        return cast("OutcomeOut | None", report)

    def _end(self, outcome: Joined, reason: str, attempts: int) -> Joined:
        """Record how the loop ended, and return its outcome."""
        scope = current()
        passed: bool = getattr(outcome, "passed", False)
        attributes: dict[str, AttributeValue] = {names.STOP_REASON: reason, names.PASSED: passed}
        instruments(scope).attempts.record(attempts, attributes)
        if not scope.unobserved:
            score: float | None = getattr(outcome, "score", None)
            emit(
                LoopStopped(
                    reason=reason,
                    passed=passed,
                    score=score,
                    path=current_path(),
                    attempt=attempts,
                )
            )
        return outcome


def _policies(feedback: Any) -> tuple[Any, ...]:
    """Return the feedback policies as a tuple.

    Raises:
        WiringError: one of them is not a function, or is the class of a policy.
    """
    policies: Sequence[Any] = (feedback,)
    if isinstance(feedback, list | tuple):
        policies = cast("Sequence[Any]", feedback)
    for policy in policies:
        require_callable("Retry", "feedback", policy, "from an outcome to feedback or a text")
        if isinstance(policy, type) and hasattr(policy, "revise"):
            raise WiringError(
                f"Retry(feedback=...): {policy.__name__} is a class; write {policy.__name__}(...)"
            )
    return tuple(policy for policy in policies if policy is not None)


async def _apply_policy(policy: Any, outcome: Any, following: Any) -> Any:
    """Return an input as a feedback policy revises it."""
    known = getattr(following, "feedback", None)
    if hasattr(policy, "revise") and isinstance(known, Feedback):
        own = policy.revise(known, outcome)
    else:
        own = policy(outcome)
    own = await own if inspect.isawaitable(own) else own
    if own is None:
        return following
    if not hasattr(own, "with_feedback"):
        try:
            return following.with_feedback(own)
        except TaskError as error:
            name = getattr(policy, "__name__", type(policy).__name__)
            raise WiringError(
                f"Retry(feedback=...): {name} returned {own!r:.200}; a policy returns a text, a "
                "Feedback, the next Task, or None"
            ) from error
    # The next input itself: mended tests, other context. It gets the evidence so far, unless it
    # has evidence of its own.
    if isinstance(own, Task):
        return own if own.feedback is not None else own.with_feedback(known or outcome.feedback)
    return own.with_feedback(outcome.feedback)


def _counted(following: Any, value: Any) -> Any:
    """Return an input whose attempt is later than that of another one.

    An attempt counts even if its feedback does not name it.
    """
    if not isinstance(following, Task) or not isinstance(value, Task) or not following.feedback:
        return following
    if following.attempt > value.attempt:
        return following
    return replace(following, feedback=replace(following.feedback, attempt=value.attempt))


def _join(outcomes: list[Joined], ledger: Ledger, reason: str) -> Joined:
    return join(outcomes, stop_reason=reason, usage=ledger.usage, selected=selected_index(outcomes))


def _forced_reason(outcome: Any) -> str | None:
    """Return the reason to stop that no rule can overrule, or None."""
    if _ended_by_outer_budget(outcome):
        return "budget"
    status: object = getattr(outcome, "status", None)
    if status is Status.TEST_ERROR and not outcome.passed:
        return "test_error"
    verdict: object = getattr(outcome, "verdict", None)
    return "unverified" if isinstance(verdict, Verdict) and lacks_tests(verdict) else None


def _ended_by_outer_budget(outcome: Any) -> bool:
    """Return whether a budget around this loop ended an inner one: it would end the next too."""
    ended = not outcome.passed and getattr(outcome, "stop_reason", None) == "budget"
    return ended and any(budget.refused for budget in current().budgets)


def _set_attributes(span: Any, outcome: Any) -> None:
    status = getattr(outcome, "status", None)
    span.set_attribute(names.PASSED, bool(outcome.passed))
    if status is not None:
        span.set_attribute(names.STATUS, str(status))
    if outcome.score is not None:
        span.set_attribute(names.SCORE, float(outcome.score))
