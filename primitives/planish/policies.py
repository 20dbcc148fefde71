"""Feedback policies: what `Retry(feedback=...)` tells the next try. Pure functions of a report."""

from collections.abc import Callable
from itertools import takewhile

from planish.data.feedback import Feedback
from planish.data.report import Report
from planish.data.status import Status

__all__ = ["restart_after"]

_FINE = (Status.SUCCESS, Status.PARTIAL_SUCCESS)


def restart_after(errors: int = 3) -> Callable[[Report], Feedback | None]:
    """Start afresh after so many errors in a row: drop the failed code, keep the lessons.

    A model that has gone astray often keeps mending what should be thrown away. The next
    request then holds no earlier code, and says in a line each what went wrong; otherwise it
    is what it would have been.

    Args:
        errors: Attempts in a row that raised, did not parse or were stopped at a limit; 3 by
            default.

    Raises:
        ValueError: errors is less than 1.
    """
    if errors < 1:
        raise ValueError(f"restart_after({errors!r}): must be at least 1")

    def restart(report: Report) -> Feedback | None:
        known = report.feedback
        row = list(takewhile(lambda tried: tried.status not in _FINE, reversed(known.tried)))
        if not row or len(row) % errors:
            return None
        lessons = "\n".join(f"- {tried.lesson}" for tried in reversed(row[:errors]))
        return Feedback(
            text=f"The last {errors} attempts failed. Start afresh; they taught:\n{lessons}",
            attempt=known.attempt,
            tried=known.tried,
        )

    return restart
