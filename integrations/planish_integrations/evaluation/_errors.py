"""Errors of data files, and records of the rows that were skipped."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from planish.errors import MisuseError

__all__ = ["DatasetError", "RowError", "Skip", "skips_as_json"]


class DatasetError(MisuseError, ValueError):
    """A file of tasks or recordings cannot be read, or lacks what was requested."""


class RowError(ValueError):
    """A row of a known format cannot be judged as it was published; the message says why."""


@dataclass(frozen=True, slots=True)
class Skip:
    """A row or task that was skipped.

    Attributes:
        reason: Why it was skipped.
        line: Its line in its file, from 1; None if it has none.
        task_id: The task it belongs to, if known.
    """

    reason: str
    line: int | None = None
    task_id: str | None = None


def skips_as_json(skips: Iterable[Skip]) -> list[dict[str, Any]]:
    """Return each reason once, with the number of rows it skipped and the first of them."""
    by_reason: dict[str, list[Skip]] = {}
    for skip in skips:
        by_reason.setdefault(skip.reason, []).append(skip)
    return [
        {"reason": reason, "rows": len(same), "line": same[0].line, "task_id": same[0].task_id}
        for reason, same in by_reason.items()
    ]
