"""How a candidate, and each of its tests, can end."""

from enum import StrEnum
from typing import Literal

__all__ = ["NEUTRAL_STATUSES", "Status", "TestStatus"]

TestStatus = Literal["passed", "failed", "error", "not_run", "skipped", "no_evidence"]

NEUTRAL_STATUSES: frozenset[TestStatus] = frozenset({"skipped", "no_evidence"})
"""Statuses that count neither for nor against a candidate, as long as another test ran."""


class Status(StrEnum):
    """How an attempt ended. The list is closed."""

    SUCCESS = "success"
    """Every test ran and passed; or there are no tests and the program ended well."""
    PARTIAL_SUCCESS = "partial_success"
    """Some tests passed, not all."""
    SYNTAX_ERROR = "syntax_error"
    """The code does not parse, is cut off, or there is none. Nothing was run."""
    WRONG_ANSWER = "wrong_answer"
    """It ran to its end and no test passed: what it gave was wrong."""
    RUNTIME_ERROR = "runtime_error"
    """It raised, was killed or ended itself, and no test passed."""
    TIMEOUT = "timeout"
    """It was stopped at the time limit."""
    RESOURCE_LIMIT = "resource_limit"
    """It was stopped at another limit: memory, output, processes, recursion."""
    TEST_ERROR = "test_error"
    """The tests themselves are broken: it says nothing of the code, and ends a loop."""
    INFRA_ERROR = "infra_error"
    """The world was broken: it says nothing of the code."""
