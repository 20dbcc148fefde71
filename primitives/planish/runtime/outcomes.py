"""How outcomes are compared and put together. The combinators all use this."""

import inspect
from collections.abc import Sequence
from typing import Any, TypeVar

from planish.abc import AcceptsFeedback, Outcome
from planish.data.report import Branch
from planish.data.usage import Usage
from planish.errors import WiringError
from planish.runtime.signature import format_type, is_assignable, members

__all__ = [
    "best_index",
    "join",
    "rank",
    "require_feedback_input",
    "require_outcome",
    "selected_index",
]

Out = TypeVar("Out")


def rank(outcome: Any) -> tuple[bool, float]:
    """What makes one outcome better than another: passed, then score."""
    score = outcome.score
    return (bool(outcome.passed), -1.0 if score is None else float(score))


def best_index(outcomes: Sequence[Out]) -> int:
    """Index of the best outcome; of equals the earliest."""
    return max(range(len(outcomes)), key=lambda index: (rank(outcomes[index]), -index))


def selected_index(outcomes: Sequence[Any]) -> int | None:
    """Index of the best outcome, where one of them was picked by other means than its rank.

    Which of its attempts is the best is then known to the outcome itself.
    """
    selected_by_other_means = any(
        getattr(outcome, "selected", None) is not None for outcome in outcomes
    )
    return best_index(outcomes) if selected_by_other_means else None


def join(
    outcomes: Sequence[Out],
    *,
    stop_reason: str,
    usage: Usage,
    branches: Sequence[Branch] = (),
    branch_of_report: Sequence[int] = (),
    selected: int | None = None,
) -> Out:
    """One outcome of several: joined where their type can join, else the best of them.

    See `Report.join` for the arguments.
    """
    joiner: Any = getattr(type(outcomes[0]), "join", None)
    # A class method, as `Report.join` is; text and tables have another kind of `join`.
    if inspect.ismethod(joiner) and len({type(outcome) for outcome in outcomes}) == 1:
        joined: Out = joiner(
            outcomes,
            stop_reason=stop_reason,
            usage=usage,
            branches=branches,
            branch_of_report=branch_of_report,
            selected=selected,
        )
        return joined
    return outcomes[best_index(outcomes) if selected is None else selected]


def require_feedback_input(parent_name: str, step: Any) -> None:
    """Check that a step's input can take feedback.

    Raises:
        WiringError: it cannot; the message names both.
    """
    taken = step.signature[0]
    if not any(is_assignable(member, AcceptsFeedback) for member in members(taken)):
        raise WiringError(
            f"{parent_name} asks again with feedback, but {step!r} takes {format_type(taken)}, "
            "which takes no feedback: it needs with_feedback(feedback)"
        )


def require_outcome(parent_name: str, step: Any) -> None:
    """Check that a step's results can be judged.

    Raises:
        WiringError: they do not say whether they passed; the message names both.
    """
    given = step.signature[1]
    if not is_assignable(given, Outcome):
        raise WiringError(
            f"{parent_name} needs outcomes that say whether they passed (`passed`, `score`, "
            f"`feedback`), but {step!r} gives {format_type(given)}: end it with a Validator()"
        )
