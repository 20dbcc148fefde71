"""Stop rules of loops: values that combine with `|` and `&`.

The report's `stop_reason` is the name of the first rule that stops the loop; if several do, of
the one written first. Rules are pure functions of the history, the time and the usage.

Example:
    >>> max_attempts(5) | confidence(0.8) | stagnation(3)
    max_attempts(5) | confidence(0.8) | stagnation(3)
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from planish.data.report import Report
from planish.data.status import Status
from planish.data.usage import Usage

__all__ = [
    "Progress",
    "Stop",
    "confidence",
    "confidence_of",
    "deadline",
    "max_attempts",
    "max_usage",
    "repeated_candidate",
    "repeated_review",
    "stagnation",
    "success",
    "when",
]


@dataclass(frozen=True, slots=True)
class Progress:
    """The state of a loop after a round, the input of every stop rule.

    Attributes:
        history: The outcome of every round so far, oldest first; at least one.
        seconds: Seconds since the loop began.
        usage: Usage of the loop so far.
    """

    history: Sequence[Any]
    seconds: float = 0.0
    usage: Usage = field(default_factory=Usage)


class Stop(ABC):
    """Base class of stop rules. `a | b` stops if either rule does, `a & b` if both do."""

    @abstractmethod
    def check(self, progress: Progress) -> str | None:
        """Return the reason to stop now, or None to continue."""

    def __or__(self, other: "Stop", /) -> "Stop":
        return _AnyOf((*_flatten(self, _AnyOf), *_flatten(other, _AnyOf)))

    def __and__(self, other: "Stop", /) -> "Stop":
        return _AllOf((*_flatten(self, _AllOf), *_flatten(other, _AllOf)))


def _flatten(rule: Stop, kind: "type[_AnyOf | _AllOf]") -> tuple[Stop, ...]:
    return rule.rules if isinstance(rule, kind) else (rule,)


@dataclass(frozen=True, slots=True, repr=False)
class _Rule(Stop):
    name: str
    condition: Callable[[Progress], bool]
    text: str

    def check(self, progress: Progress) -> str | None:
        return self.name if self.condition(progress) else None

    def __repr__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True, repr=False)
class _AnyOf(Stop):
    rules: tuple[Stop, ...]

    def check(self, progress: Progress) -> str | None:
        return next((r for rule in self.rules if (r := rule.check(progress)) is not None), None)

    def __repr__(self) -> str:
        return " | ".join(map(repr, self.rules))


@dataclass(frozen=True, slots=True, repr=False)
class _AllOf(Stop):
    rules: tuple[Stop, ...]

    def check(self, progress: Progress) -> str | None:
        reasons = [rule.check(progress) for rule in self.rules]
        return None if None in reasons else " & ".join(r for r in reasons if r is not None)

    def __repr__(self) -> str:
        return " & ".join(f"({r!r})" if isinstance(r, _AnyOf) else repr(r) for r in self.rules)


def when(name: str, condition: Callable[[Progress], bool]) -> Stop:
    """Return a stop rule with a condition of your own.

    Args:
        name: Its stop reason.
        condition: Returns whether to stop.
    """
    return _Rule(name, condition, f"when({name!r})")


def _require_at_least(name: str, value: float, least: float) -> None:
    if not value >= least:
        raise ValueError(f"{name}({value!r}): must be at least {least}")


def success() -> Stop:
    """Return the rule that stops when the last outcome passed. Every loop has it as first rule."""
    return _Rule("success", lambda p: bool(p.history[-1].passed), "success()")


def max_attempts(attempts: int) -> Stop:
    """Return the rule that stops after a number of attempts.

    Args:
        attempts: Number of attempts, including the first; at least 1.

    Raises:
        ValueError: it is less than 1.
    """
    _require_at_least("max_attempts", attempts, 1)
    return _Rule("max_attempts", lambda p: len(p.history) >= attempts, f"max_attempts({attempts})")


def stagnation(rounds: int = 3) -> Stop:
    """Return the rule that stops when the scores of the last rounds are equal.

    Args:
        rounds: Number of rounds; 3 by default, at least 2. Rounds without a score do not count
            as equal.

    Raises:
        ValueError: it is less than 2.
    """
    _require_at_least("stagnation", rounds, 2)

    def condition(progress: Progress) -> bool:
        last = [outcome.score for outcome in progress.history[-rounds:]]
        return len(last) == rounds and None not in last and len(set(last)) == 1

    return _Rule("stagnation", condition, f"stagnation({rounds})")


_DELTAS = {
    Status.SYNTAX_ERROR: -0.2,
    Status.WRONG_ANSWER: -0.1,
    Status.RUNTIME_ERROR: -0.1,
    Status.TIMEOUT: -0.1,
    Status.RESOURCE_LIMIT: -0.1,
    Status.PARTIAL_SUCCESS: +0.2,
}


def confidence_of(history: Iterable[Any]) -> float:
    """Return the confidence in a history of outcomes: from 0 to 1, starting at 0.

    A syntax error subtracts 0.2, another failure 0.1; a partial success adds 0.2; a pass sets it
    to 1.0. The figures are those of the CoderGen notebook, limited to the range here.
    """
    value = 0.0
    for outcome in history:
        if outcome.passed:
            value = 1.0
        else:
            delta = _DELTAS.get(getattr(outcome, "status", None) or Status.INFRA_ERROR, 0.0)
            value = min(1.0, max(0.0, value + delta))
    return value


def confidence(threshold: float = 0.8) -> Stop:
    """Return the rule that stops when `confidence_of` the history reaches a threshold.

    Args:
        threshold: More than 0, at most 1; 0.8 by default.

    Raises:
        ValueError: it is out of range.
    """
    if not 0 < threshold <= 1:
        raise ValueError(f"confidence({threshold!r}): must be more than 0 and at most 1")
    # Sums of 0.2 have rounding errors; 1e-9 is far more than those, and far less than a step.
    return _Rule(
        "confidence",
        lambda p: confidence_of(p.history) >= threshold - 1e-9,
        f"confidence({threshold})",
    )


def repeated_candidate() -> Stop:
    """Return the rule that stops when the last round proposed only code of earlier rounds.

    `CodeExecution` recognises repeated code and does not run it again.
    """

    def condition(progress: Progress) -> bool:
        *earlier, last = (_digests(outcome) for outcome in progress.history)
        return bool(last) and last <= set().union(*earlier)

    return _Rule("repeated_candidate", condition, "repeated_candidate()")


def _digests(outcome: Any) -> set[str]:
    if isinstance(outcome, Report):
        candidates = (attempt.candidate for attempt in outcome.history)
        return {candidate.digest for candidate in candidates if candidate.problem is None}
    digest = getattr(outcome, "digest", None)
    return set() if digest is None else {digest}


def repeated_review() -> Stop:
    """Return the rule that stops when the last two verdicts have the same findings."""

    def condition(progress: Progress) -> bool:
        if len(progress.history) < 2:  # noqa: PLR2004 - two to compare
            return False
        before, last = (_findings(outcome) for outcome in progress.history[-2:])
        return bool(last) and before == last

    return _Rule("repeated_review", condition, "repeated_review()")


def _findings(outcome: Any) -> frozenset[tuple[str | None, str, str | None]]:
    verdict = getattr(outcome, "verdict", None)
    findings = getattr(verdict, "findings", ())
    return frozenset((f.test, f.message, f.actual) for f in findings)


def deadline(seconds: float) -> Stop:
    """Return the rule that starts no further attempt after a time.

    `Timeout` also ends an attempt that is running.

    Args:
        seconds: Seconds since the loop began; at least 0.

    Raises:
        ValueError: it is negative.
    """
    _require_at_least("deadline", seconds, 0)
    return _Rule("deadline", lambda p: p.seconds >= seconds, f"deadline({seconds})")


def max_usage(
    *, tokens: int | None = None, usd: float | None = None, model_calls: int | None = None
) -> Stop:
    """Return the rule that starts no further attempt once the loop has used an amount.

    Its stop reason is "budget". `planish.budget` also refuses single calls.

    Args:
        tokens: Input and output tokens together.
        usd: US dollars.
        model_calls: Requests that models replied to.

    Raises:
        ValueError: all of them are None.
    """
    options = {"tokens": tokens, "usd": usd, "model_calls": model_calls}
    limits = {name: limit for name, limit in options.items() if limit is not None}
    if not limits:
        raise ValueError(f"max_usage() limits nothing: set at least one of {', '.join(options)}")

    def condition(progress: Progress) -> bool:
        return any(getattr(progress.usage, name) >= limit for name, limit in limits.items())

    arguments = ", ".join(f"{name}={limit}" for name, limit in limits.items())
    return _Rule("budget", condition, f"max_usage({arguments})")
