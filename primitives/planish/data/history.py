"""`History`: all outcomes of a run, for outcomes of your own types."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Self, TypeVar, cast

from planish.data.attempt import Branch, rank
from planish.data.usage import Usage

__all__ = ["History"]

Out = TypeVar("Out")
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True, kw_only=True)
class History(Generic[Out]):
    """Every outcome of a run, with the best one in front.

    A `Report` keeps the history of its attempts. Combinators return only the best outcome of any
    other type; end the step with `History.of`, and they return a `History` that has them all:
    `Retry(answer >> History.of, attempts=3)`.

    Attributes:
        outcomes: All outcomes, oldest first; at least one.
        stop_reason: Name of the rule that stopped the run.
        branches: How the branches ended, if there were any.
        usage: Resources used.
        selected: Index of the outcome that a step selected; None to take the best one.
    """

    outcomes: tuple[Out, ...]
    stop_reason: str = "judged"
    branches: tuple[Branch, ...] = ()
    usage: Usage = field(default_factory=Usage)
    selected: int | None = None

    @staticmethod
    def of(outcome: Value) -> "History[Value]":
        """Return the history of one outcome."""
        return History(outcomes=(outcome,))

    @property
    def best(self) -> Out:
        """The selected outcome, else the best: passed, then the highest score, then the first."""
        if self.selected is not None:
            return self.outcomes[self.selected]
        return max(self.outcomes, key=rank)  # the first of equal ones

    @property
    def passed(self) -> bool:
        """Whether the best outcome passed."""
        best: Any = self.best
        return bool(best.passed)

    @property
    def score(self) -> float | None:
        """The best outcome's score."""
        best: Any = self.best
        score: float | None = best.score
        return score

    @property
    def feedback(self) -> Any:
        """The best outcome's feedback."""
        best: Any = self.best
        return best.feedback

    @property
    def trajectory(self) -> tuple[float | None, ...]:
        """The score of every outcome, in order."""
        return tuple(cast("Any", outcome).score for outcome in self.outcomes)

    @classmethod
    def join(
        cls,
        histories: Sequence["History[Any]"],
        *,
        stop_reason: str,
        usage: Usage,
        branches: Sequence[Branch] = (),
        branch_of_report: Sequence[int] = (),  # noqa: ARG003 - as `Report.join`
        selected: int | None = None,
    ) -> Self:
        """Return one history of several, with their outcomes in order.

        Args:
            histories: At least one.
            stop_reason: The stop reason of the new one.
            usage: The usage of the new one.
            branches: How the branches ended.
            branch_of_report: For each history, the index of its branch; it is not needed here.
            selected: Index of the history whose best outcome was selected; None (the default) to
                take the best of all.
        """
        chosen: int | None = None
        if selected is not None:
            before = sum(len(one.outcomes) for one in histories[:selected])
            own = histories[selected]
            chosen = before + next(i for i, one in enumerate(own.outcomes) if one is own.best)
        return cls(
            outcomes=tuple(outcome for one in histories for outcome in one.outcomes),
            stop_reason=stop_reason,
            branches=(*branches, *(branch for one in histories for branch in one.branches)),
            usage=usage,
            selected=chosen,
        )
