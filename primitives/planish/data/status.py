"""The closed lists of how a candidate and each of its tests can end."""

from enum import StrEnum
from typing import Literal

__all__ = ["NEUTRAL_STATUSES", "FailureKind", "Place", "Status", "TestStatus"]

TestStatus = Literal["passed", "failed", "error", "not_run", "skipped", "no_evidence"]

FailureKind = Literal["environment", "logic", "test_error", "timeout", "resource", "infra"]
"""What a failure is about, decided by rules: the environment lacks something, the code is wrong,
the tests are broken, a time limit or another limit was reached, or the infrastructure failed."""

Place = Literal["solution", "tests", "harness"]
"""Where a failure was raised: in the candidate, in the tests, or in what runs both."""

NEUTRAL_STATUSES: frozenset[TestStatus] = frozenset({"skipped", "no_evidence"})
"""Test statuses that count neither for nor against a candidate, if at least one test counts."""


class Status(StrEnum):
    """How an attempt ended. The list is closed: no other status is added."""

    SUCCESS = "success"
    """Every test ran and passed; or there are no tests and the program exited with code 0."""
    PARTIAL_SUCCESS = "partial_success"
    """Some tests passed, not all."""
    SYNTAX_ERROR = "syntax_error"
    """The code does not parse, is cut off, or is missing. Nothing was run."""
    WRONG_ANSWER = "wrong_answer"
    """The code ran to its end, and no test passed: its results were wrong."""
    RUNTIME_ERROR = "runtime_error"
    """The code raised, was killed or exited early, and no test passed."""
    TIMEOUT = "timeout"
    """The code was stopped at the time limit."""
    RESOURCE_LIMIT = "resource_limit"
    """The code was stopped at another limit: memory, output, processes, recursion."""
    TEST_ERROR = "test_error"
    """The tests, or the task's preamble, are broken. This is no evidence about the code, and it
    ends a loop."""
    INFRA_ERROR = "infra_error"
    """The infrastructure failed. This is no evidence about the code."""
