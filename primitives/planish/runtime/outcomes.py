"""Compare outcomes, join them into one, and number the candidates that have them."""

import inspect
from collections.abc import Sequence
from typing import Any, TypeVar

from planish.data.attempt import Branch, rank
from planish.data.usage import Usage

__all__ = ["best_index", "for_candidate", "join", "selected_index"]

Out = TypeVar("Out")


def best_index(outcomes: Sequence[Out]) -> int:
    """Return the index of the best outcome; the first of several equal ones."""
    return max(range(len(outcomes)), key=lambda index: (rank(outcomes[index]), -index))


def selected_index(outcomes: Sequence[Any]) -> int | None:
    """Return the index of the best outcome if any outcome has a `selected` attempt; else None.

    An outcome with a selected attempt knows which of its attempts is best, so an outcome must be
    selected as a whole. Without one, the attempts of all outcomes are compared by rank.
    """
    any_selected = any(getattr(outcome, "selected", None) is not None for outcome in outcomes)
    return best_index(outcomes) if any_selected else None


def join(
    outcomes: Sequence[Out],
    *,
    stop_reason: str,
    usage: Usage,
    branches: Sequence[Branch] = (),
    branch_of_report: Sequence[int] = (),
    selected: int | None = None,
) -> Out:
    """Join several outcomes into one if their type has a class method `join`; else select one.

    Without `join`, or with outcomes of different types, the result is the outcome at `selected`,
    or the best one. See `Report.join` for the arguments.
    """
    joiner: Any = getattr(type(outcomes[0]), "join", None)
    # A class method, as `Report.join` is: text and tables have a `join` with another meaning.
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


def for_candidate(value: Any, index: int, count: int) -> Any:
    """Return the input for one candidate; a value without `for_candidate` is the same for all.

    Args:
        value: The input of all.
        index: The candidate's number, from 0.
        count: The number of candidates.
    """
    numbered = getattr(value, "for_candidate", None)
    return value if numbered is None else numbered(index, count)
