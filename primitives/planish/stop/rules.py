"""The stop rules of planish: by attempts, time, usage, scores, and repetition."""

from collections.abc import Callable, Iterable
from functools import reduce
from typing import Any

from planish.arguments import is_number, require_count, require_number, require_text
from planish.data.report import Report
from planish.data.status import Status
from planish.errors import WiringError
from planish.stop.base import Progress, Stop

__all__ = [
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

_RESERVED = ("success", "budget", "timeout", "test_error")


class when(Stop):
    """A stop rule with a condition of your own.

    Args:
        name: Its stop reason.
        condition: Returns whether to stop.

    Raises:
        ValueError: the name is not a text, is empty, or is a stop reason that planish gives a
            meaning: "success", "budget", "timeout" or "test_error".
        WiringError: the condition is not a function.
    """

    def __init__(self, name: str, condition: Callable[[Progress], bool]) -> None:
        require_text("when", "name", name)
        if not name.strip() or name in _RESERVED:
            reserved = ", ".join(map(repr, _RESERVED))
            raise ValueError(
                f"when({name!r}, ...): choose another name: it is the report's stop reason, and "
                f"{reserved} are planish's own"
            )
        if not callable(condition):
            raise WiringError(
                f"when({name!r}, {condition!r}): the condition must be a function of Progress"
            )
        self.name = name
        self.condition = condition

    def check(self, progress: Progress) -> str | None:
        """Return the rule's name if its condition holds."""
        return self.name if self.condition(progress) else None


class success(Stop):
    """Stop when the last outcome passed. Every loop has this as its first rule."""

    def check(self, progress: Progress) -> str | None:
        """Return "success" if the last outcome passed."""
        return "success" if progress.history[-1].passed else None


class max_attempts(Stop):
    """Stop after a number of attempts.

    Args:
        attempts: Number of attempts, including the first; at least 1.

    Raises:
        ValueError: it is less than 1.
    """

    def __init__(self, attempts: int) -> None:
        require_count("max_attempts", "attempts", attempts)
        self.attempts = attempts

    def check(self, progress: Progress) -> str | None:
        """Return "max_attempts" if the history has that many rounds."""
        return "max_attempts" if len(progress.history) >= self.attempts else None


class stagnation(Stop):
    """Stop when the scores of the last rounds are equal.

    Args:
        rounds: Number of rounds; 3 by default, at least 2. Rounds without a score do not count
            as equal.

    Raises:
        ValueError: it is less than 2.
    """

    def __init__(self, rounds: int = 3) -> None:
        require_count("stagnation", "rounds", rounds, least=2)
        self.rounds = rounds

    def check(self, progress: Progress) -> str | None:
        """Return "stagnation" if the last scores are equal."""
        if len(progress.history) < self.rounds:
            return None
        last = {outcome.score for outcome in progress.history[-self.rounds :]}
        return "stagnation" if len(last) == 1 and None not in last else None


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
    return reduce(_add_confidence, history, 0.0)


def _add_confidence(value: float, outcome: Any) -> float:
    if outcome.passed:
        return 1.0
    delta = _DELTAS.get(getattr(outcome, "status", None) or Status.INFRA_ERROR, 0.0)
    return min(1.0, max(0.0, value + delta))


class confidence(Stop):
    """Stop when `confidence_of` the history reaches a threshold.

    Args:
        threshold: More than 0, at most 1; 0.8 by default.

    Raises:
        ValueError: it is out of range.
    """

    def __init__(self, threshold: float = 0.8) -> None:
        if not is_number(threshold) or not 0 < threshold <= 1:
            raise ValueError(f"confidence({threshold!r}): must be more than 0 and at most 1")
        self.threshold = threshold

    def check(self, progress: Progress) -> str | None:
        """Return "confidence" if the threshold is reached."""
        # Sums of 0.2 have rounding errors; 1e-9 is far more than those, and far less than a step.
        reached = progress.fold("confidence", 0.0, _add_confidence) >= self.threshold - 1e-9
        return "confidence" if reached else None


class repeated_candidate(Stop):
    """Stop when the last round proposed only code of earlier rounds.

    `CodeExecution` recognises repeated code and does not run it again.
    """

    def check(self, progress: Progress) -> str | None:
        """Return "repeated_candidate" if all of the last round's code is known."""
        initial = (set[str](), False)
        _, is_repeated = progress.fold("repeated_candidate", initial, _add_candidates)
        return "repeated_candidate" if is_repeated else None


def _add_candidates(state: tuple[set[str], bool], outcome: Any) -> tuple[set[str], bool]:
    """Add the code of an outcome to what is known; with whether all of it was known before."""
    known, _ = state
    digests = _digests(outcome)
    is_repeated = bool(digests) and digests <= known
    known |= digests
    return known, is_repeated


def _digests(outcome: Any) -> set[str]:
    if isinstance(outcome, Report):
        candidates = (attempt.candidate for attempt in outcome.history)
        return {candidate.digest for candidate in candidates if candidate.problem is None}
    digest = getattr(outcome, "digest", None)
    return set() if digest is None else {digest}


class repeated_review(Stop):
    """Stop when the last two verdicts have the same findings."""

    def check(self, progress: Progress) -> str | None:
        """Return "repeated_review" if there are two verdicts and their findings are equal."""
        if len(progress.history) < 2:  # noqa: PLR2004 - two to compare
            return None
        before, last = (_findings(outcome) for outcome in progress.history[-2:])
        return "repeated_review" if last and before == last else None


def _findings(outcome: Any) -> frozenset[tuple[str | None, str, str | None]]:
    verdict = getattr(outcome, "verdict", None)
    findings = getattr(verdict, "findings", ())
    return frozenset((f.test, f.message, f.actual) for f in findings)


class deadline(Stop):
    """Start no further attempt after a time.

    `Timeout` also ends an attempt that is running.

    Args:
        seconds: Seconds since the loop began; at least 0.

    Raises:
        ValueError: it is negative.
    """

    def __init__(self, seconds: float) -> None:
        require_number("deadline", "seconds", seconds, least=0)
        self.seconds = seconds

    def check(self, progress: Progress) -> str | None:
        """Return "deadline" if the time is over."""
        return "deadline" if progress.seconds >= self.seconds else None


class max_usage(Stop):
    """Start no further attempt once the loop has used an amount.

    Its stop reason is "budget". `planish.budget` also refuses single calls.

    Args:
        tokens: Input and output tokens together.
        usd: US dollars.
        model_calls: Requests that models replied to.

    Raises:
        ValueError: all of them are None, or one is not a number of at least 0.
    """

    def __init__(
        self, *, tokens: int | None = None, usd: float | None = None, model_calls: int | None = None
    ) -> None:
        limits: dict[str, float | None] = {"tokens": tokens, "usd": usd, "model_calls": model_calls}
        self.limits: dict[str, float] = {k: v for k, v in limits.items() if v is not None}
        if not self.limits:
            raise ValueError(f"max_usage() limits nothing: set at least one of {', '.join(limits)}")
        for name, limit in self.limits.items():
            require_number("max_usage", name, limit, least=0)

    def check(self, progress: Progress) -> str | None:
        """Return "budget" if one of the limits is reached."""
        usage = progress.usage
        reached = any(getattr(usage, name) >= limit for name, limit in self.limits.items())
        return "budget" if reached else None
