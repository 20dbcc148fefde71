"""Stop rules that compare the rounds of a loop: their scores, their code, their findings."""

from collections.abc import Iterable, Mapping
from functools import partial, reduce
from typing import Any

from planish.arguments import is_number, require_count, require_mapping
from planish.data.report import Report
from planish.data.status import Status
from planish.stop.rules import Progress, Stop

__all__ = [
    "CONFIDENCE_DELTAS",
    "confidence",
    "confidence_of",
    "repeated_candidate",
    "repeated_review",
    "stagnation",
]


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


Deltas = Mapping[Status, float]
CONFIDENCE_DELTAS: Deltas = {
    Status.SYNTAX_ERROR: -0.2,
    Status.WRONG_ANSWER: -0.1,
    Status.RUNTIME_ERROR: -0.1,
    Status.TIMEOUT: -0.1,
    Status.RESOURCE_LIMIT: -0.1,
    Status.PARTIAL_SUCCESS: +0.2,
}
"""What each status adds to the confidence: those of the CoderGen notebook."""


def confidence_of(history: Iterable[Any], deltas: Deltas = CONFIDENCE_DELTAS) -> float:
    """Return the confidence in a history of outcomes: from 0 to 1, starting at 0.

    A pass sets it to 1.0; any other status adds its delta, see `CONFIDENCE_DELTAS`.
    """
    return reduce(partial(_add_confidence, deltas), history, 0.0)


def _add_confidence(deltas: Deltas, value: float, outcome: Any) -> float:
    if outcome.passed:
        return 1.0
    delta = deltas.get(getattr(outcome, "status", None) or Status.INFRA_ERROR, 0.0)
    return min(1.0, max(0.0, value + delta))


class confidence(Stop):
    """Stop when `confidence_of` the history reaches a threshold.

    Args:
        threshold: More than 0, at most 1; 0.8 by default.
        deltas: What each status adds; `CONFIDENCE_DELTAS` by default.

    Raises:
        ValueError: the threshold is out of range, or `deltas` are no mapping.
    """

    def __init__(self, threshold: float = 0.8, *, deltas: Deltas = CONFIDENCE_DELTAS) -> None:
        if not is_number(threshold) or not 0 < threshold <= 1:
            raise ValueError(f"confidence({threshold!r}): must be more than 0 and at most 1")
        require_mapping("confidence", "deltas", deltas, "numbers by Status")
        self.threshold = threshold
        self.deltas = deltas
        self._name = f"confidence {dict(deltas)}"  # rules with other deltas have other sums

    def check(self, progress: Progress) -> str | None:
        """Return "confidence" if the threshold is reached."""
        # Sums of 0.2 have rounding errors; 1e-9 is far more than those, and far less than a step.
        value = progress.fold(self._name, 0.0, partial(_add_confidence, self.deltas))
        return "confidence" if value >= self.threshold - 1e-9 else None


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
