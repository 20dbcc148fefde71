"""When a loop stops: rules over its history, as values that combine with `|` and `&`.

The first rule to fire is the report's `stop_reason`; of rules that fire together, the one
written first. Rules are pure: they are given the history, the time and the usage.

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
    """What a rule is given.

    Attributes:
        history: The outcome of every round so far, oldest first; at least one.
        seconds: Since the loop began.
        usage: What the loop has used.
    """

    history: Sequence[Any]
    seconds: float = 0.0
    usage: Usage = field(default_factory=Usage)


class Stop(ABC):
    """A rule that says when to stop. Rules combine: `a | b` either, `a & b` both."""

    @abstractmethod
    def check(self, progress: Progress) -> str | None:
        """The reason to stop now, or None to go on."""

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
    """A rule of your own.

    Args:
        name: The stop reason it gives.
        condition: Whether to stop.
    """
    return _Rule(name, condition, f"when({name!r})")


def _require_at_least(name: str, value: float, least: float) -> None:
    if not value >= least:
        raise ValueError(f"{name}({value!r}): must be at least {least}")


def success() -> Stop:
    """Stop when the last outcome passed. Every loop has this rule, before all others."""
    return _Rule("success", lambda p: bool(p.history[-1].passed), "success()")


def max_attempts(attempts: int) -> Stop:
    """Stop after so many attempts, the first included."""
    _require_at_least("max_attempts", attempts, 1)
    return _Rule("max_attempts", lambda p: len(p.history) >= attempts, f"max_attempts({attempts})")


def stagnation(rounds: int = 3) -> Stop:
    """Stop when the last so many scores are equal: nothing gets better any more.

    Args:
        rounds: How many; 3 by default, at least 2. Rounds without a score do not count as equal.
    """
    _require_at_least("stagnation", rounds, 2)

    def fires(progress: Progress) -> bool:
        last = [outcome.score for outcome in progress.history[-rounds:]]
        return len(last) == rounds and None not in last and len(set(last)) == 1

    return _Rule("stagnation", fires, f"stagnation({rounds})")


_DELTAS = {
    Status.SYNTAX_ERROR: -0.2,
    Status.WRONG_ANSWER: -0.1,
    Status.RUNTIME_ERROR: -0.1,
    Status.TIMEOUT: -0.1,
    Status.RESOURCE_LIMIT: -0.1,
    Status.PARTIAL_SUCCESS: +0.2,
}


def confidence_of(history: Iterable[Any]) -> float:
    """How confident a history makes one: a walk between 0 and 1 from 0.

    A syntax error takes 0.2, another failure 0.1; a partial success adds 0.2; a pass makes it
    1.0. (The figures are those of the CoderGen notebook, here kept within bounds.)
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
    """Stop when `confidence_of` the history reaches the threshold.

    Args:
        threshold: Between 0 and 1; 0.8 by default.
    """
    if not 0 < threshold <= 1:
        raise ValueError(f"confidence({threshold!r}): must be more than 0 and at most 1")
    # Sums of 0.2 are a little off; a billionth does not matter.
    return _Rule(
        "confidence",
        lambda p: confidence_of(p.history) >= threshold - 1e-9,
        f"confidence({threshold})",
    )


def repeated_candidate() -> Stop:
    """Stop when the last round proposed only code that was proposed before.

    The repeated code itself is not run again: the execution knows it before a sandbox is used.
    """

    def fires(progress: Progress) -> bool:
        *earlier, last = (_digests(outcome) for outcome in progress.history)
        return bool(last) and last <= set().union(*earlier)

    return _Rule("repeated_candidate", fires, "repeated_candidate()")


def _digests(outcome: Any) -> set[str]:
    if isinstance(outcome, Report):
        found = (attempt.candidate for attempt in outcome.history)
        return {candidate.digest for candidate in found if candidate.problem is None}
    digest = getattr(outcome, "digest", None)
    return set() if digest is None else {digest}


def repeated_review() -> Stop:
    """Stop when the last verdict found exactly what the one before it found."""

    def fires(progress: Progress) -> bool:
        if len(progress.history) < 2:  # noqa: PLR2004 - two to compare
            return False
        before, last = (_findings(outcome) for outcome in progress.history[-2:])
        return bool(last) and before == last

    return _Rule("repeated_review", fires, "repeated_review()")


def _findings(outcome: Any) -> frozenset[tuple[str | None, str, str | None]]:
    verdict = getattr(outcome, "verdict", None)
    findings = getattr(verdict, "findings", ())
    return frozenset((f.test, f.message, f.actual) for f in findings)


def deadline(seconds: float) -> Stop:
    """Start no further attempt after so many seconds. `Timeout` also ends one that runs."""
    _require_at_least("deadline", seconds, 0)
    return _Rule("deadline", lambda p: p.seconds >= seconds, f"deadline({seconds})")


def max_usage(
    *, tokens: int | None = None, usd: float | None = None, model_calls: int | None = None
) -> Stop:
    """Start no further attempt when the loop has used so much. `limits` also refuses calls.

    Args:
        tokens: Input and output tokens together.
        usd: US dollars.
        model_calls: Requests answered by models.

    Raises:
        ValueError: none of them is given.
    """
    asked = {"tokens": tokens, "usd": usd, "model_calls": model_calls}
    given = {name: limit for name, limit in asked.items() if limit is not None}
    if not given:
        raise ValueError(f"budget() limits nothing: give at least one of {', '.join(asked)}")

    def fires(progress: Progress) -> bool:
        return any(getattr(progress.usage, name) >= limit for name, limit in given.items())

    written = ", ".join(f"{name}={limit}" for name, limit in given.items())
    return _Rule("budget", fires, f"budget({written})")
