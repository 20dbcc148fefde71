"""Stop rules of loops: values that combine with `|` and `&`.

The report's `stop_reason` is the name of the first rule that stops the loop; if several do, of
the one written first. Rules are pure functions of the history, the time and the usage.

Example:
    >>> max_attempts(5) | confidence(0.8) | stagnation(3)
    max_attempts(5) | confidence(0.8) | stagnation(3)
"""

from planish.stop.rules import (
    Progress,
    Stop,
    deadline,
    max_attempts,
    max_usage,
    require_stop,
    success,
    when,
)
from planish.stop.scores import (
    CONFIDENCE_DELTAS,
    confidence,
    confidence_of,
    repeated_candidate,
    repeated_review,
    stagnation,
)

__all__ = [
    "CONFIDENCE_DELTAS",
    "Progress",
    "Stop",
    "confidence",
    "confidence_of",
    "deadline",
    "max_attempts",
    "max_usage",
    "repeated_candidate",
    "repeated_review",
    "require_stop",
    "stagnation",
    "success",
    "when",
]
