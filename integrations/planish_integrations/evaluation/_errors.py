"""What is wrong with the files of an evaluation."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from planish.errors import MisuseError

__all__ = ["DatasetError", "RowError", "Skip", "skips_as_json"]


class DatasetError(MisuseError, ValueError):
    """A file of tasks or recordings cannot be read, or does not hold what was asked for."""


class RowError(ValueError):
    """A row of a known format cannot be judged as it was published; the message says why."""


@dataclass(frozen=True, slots=True)
class Skip:
    """One row or task that was left out.

    Attributes:
        reason: Why.
        line: Its line in its file, from 1; None where it was not about a line.
        task_id: The task it is about, where that is known.
    """

    reason: str
    line: int | None = None
    task_id: str | None = None


def skips_as_json(skips: Iterable[Skip]) -> list[dict[str, Any]]:
    """Each reason once, with how many rows it left out and the first of them."""
    by_reason: dict[str, list[Skip]] = {}
    for skip in skips:
        by_reason.setdefault(skip.reason, []).append(skip)
    return [
        {"reason": reason, "rows": len(same), "line": same[0].line, "task_id": same[0].task_id}
        for reason, same in by_reason.items()
    ]
