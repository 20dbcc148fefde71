"""Judges that combine others: `all_of`, `any_of` and `weighted`."""

from collections.abc import Mapping, Sequence

from planish.configuration import Configured
from planish.data.execution import Execution
from planish.data.verdict import Finding, Label, Verdict
from planish.errors import WiringError
from planish.judges._judging import Judge, apply_judge

__all__ = ["all_of", "any_of", "weighted"]


class all_of(Configured):
    """A judge that passes if all judges pass.

    The judges are asked in turn, in the order of the arguments, and none after the first that
    fails the execution: put `tests_pass` before a reviewer that costs money. The score is the
    lowest one. It has the findings of all judges that were asked.

    Args:
        judges: At least one judge.
        stop_at_first: Whether to ask no judge after one whose verdict is "failed". True by
            default; False asks all, so that the feedback has the findings of all.

    Raises:
        ValueError: there is no judge.
        WiringError: one of them is not callable.
    """

    def __init__(self, *judges: Judge, stop_at_first: bool = True) -> None:
        _require_judges("all_of", judges)
        self.judges = judges
        self.stop_at_first = stop_at_first

    async def __call__(self, execution: Execution) -> Verdict:
        """Return the combined verdict of the judges that were asked."""
        verdicts: list[Verdict] = []
        for judge in self.judges:
            verdicts.append(await apply_judge(judge, execution))
            if self.stop_at_first and verdicts[-1].label == "failed":
                break
        labels = {verdict.label for verdict in verdicts}
        label: Label = "passed"
        if labels != {"passed"}:
            label = "failed" if "failed" in labels else "unverified"
        return _combine("all_of", execution, verdicts, label, min(_scores(verdicts), default=None))


class any_of(Configured):
    """A judge that passes if one of the judges passes.

    Its score is the highest one. It has the findings of all judges.

    Args:
        judges: At least one judge.
        outvote_tests: Whether another judge may pass an execution that failed its tests. False by
            default: failed tests fail the verdict.

    Raises:
        ValueError: there is no judge.
        WiringError: one of them is not callable.
    """

    def __init__(self, *judges: Judge, outvote_tests: bool = False) -> None:
        _require_judges("any_of", judges)
        self.judges = judges
        self.outvote_tests = outvote_tests

    async def __call__(self, execution: Execution) -> Verdict:
        """Return the combined verdict of all judges."""
        verdicts = [await apply_judge(judge, execution) for judge in self.judges]
        labels = {verdict.label for verdict in verdicts}
        label: Label = "failed"
        if labels != {"failed"}:
            label = "passed" if "passed" in labels else "unverified"
        if not self.outvote_tests and _tests_failed(verdicts):
            label = "failed"
        return _combine("any_of", execution, verdicts, label, max(_scores(verdicts), default=None))


class weighted(Configured):
    """A judge whose score is the weighted mean, and which passes at a threshold.

    A judge without evidence counts as 0, and makes a verdict that would pass "unverified".

    Args:
        judges: The judges with their weights, each more than 0.
        threshold: Score that passes: more than 0, at most 1; 1.0 by default.
        outvote_tests: Whether the other judges may pass an execution that failed its tests.
            False by default: failed tests fail the verdict.

    Raises:
        ValueError: there is no judge, a weight is not positive, or the threshold is out of range.
        WiringError: a judge is not callable.
    """

    def __init__(
        self,
        judges: Mapping[Judge, float],
        *,
        threshold: float = 1.0,
        outvote_tests: bool = False,
    ) -> None:
        _require_judges("weighted", judges)
        if not 0 < threshold <= 1 or any(not weight > 0 for weight in judges.values()):
            raise ValueError("weighted(): weights must be positive, the threshold within (0, 1]")
        self.judges = judges
        self.threshold = threshold
        self.outvote_tests = outvote_tests

    async def __call__(self, execution: Execution) -> Verdict:
        """Return the combined verdict of all judges."""
        verdicts = [await apply_judge(judge, execution) for judge in self.judges]
        weights = self.judges.values()
        total = sum(weights)
        score = sum(w * _score(v) for w, v in zip(weights, verdicts, strict=True)) / total
        label: Label = "passed" if score >= self.threshold - 1e-9 else "failed"
        labels = {verdict.label for verdict in verdicts}
        if labels == {"unverified"} or (label == "passed" and "unverified" in labels):
            label = "unverified"
        if not self.outvote_tests and _tests_failed(verdicts):
            label = "failed"
        return _combine("weighted", execution, verdicts, label, min(score, 1.0))


def _tests_failed(verdicts: Sequence[Verdict]) -> bool:
    on_tests = [v for v in verdicts if v.evidence.origin in ("user", "generated")]
    return any(verdict.label == "failed" for verdict in on_tests)


def _score(verdict: Verdict) -> float:
    return float(verdict.passed) if verdict.score is None else verdict.score


def _require_judges(name: str, judges: Sequence[Judge] | Mapping[Judge, float]) -> None:
    if not judges:
        raise ValueError(f"{name}() needs at least one judge")
    for judge in judges:
        if not callable(judge):
            raise WiringError(f"{name}({judge!r}): a judge is a function of an Execution")


def _scores(verdicts: Sequence[Verdict]) -> list[float]:
    return [verdict.score for verdict in verdicts if verdict.score is not None]


def _join_findings(verdicts: Sequence[Verdict]) -> tuple[Finding, ...]:
    """Return the findings of all verdicts; of equal warnings and remarks only the first."""
    joined: list[Finding] = []
    for finding in (finding for verdict in verdicts for finding in verdict.findings):
        if finding.severity == "error" or finding not in joined:
            joined.append(finding)
    return tuple(joined)


def _combine(
    name: str,
    execution: Execution,
    verdicts: Sequence[Verdict],
    label: Label,
    score: float | None,
) -> Verdict:
    agreeing = [verdict.evidence for verdict in verdicts if verdict.label == label]
    return Verdict(
        execution=execution,
        label=label,
        score=score,
        findings=_join_findings(verdicts),
        judge=f"{name}({', '.join(verdict.judge for verdict in verdicts)})",
        evidence=max(agreeing or [verdict.evidence for verdict in verdicts]),
    )
