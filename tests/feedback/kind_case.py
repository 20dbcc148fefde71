"""`KindCase`: a program and its tests that fail, and what the failure is about."""

from dataclasses import dataclass

from planish import Task
from planish.data import FailureKind, Tests

__all__ = ["SQUARE", "TESTS", "TEST_FILE", "KindCase"]

SQUARE = "def f(x):\n    return x * x\n"
TESTS = "assert f(2) == 4\nassert f(3) == 9"
TEST_FILE = "from solution import f\n\ndef test_two():\n    assert f(2) == 4\n"


@dataclass(frozen=True, kw_only=True)
class KindCase:
    """A task, a candidate that fails, and what its failure is about.

    Attributes:
        kind: The right kind.
        code: The candidate.
        tests: The tests.
        requirement: The task's requirement.
        entry_point: The task's entry point.
    """

    kind: FailureKind
    code: str = SQUARE
    tests: str | Tests | None = TESTS
    requirement: str = "Square a number."
    entry_point: str | None = None

    @property
    def task(self) -> Task:
        return Task(self.requirement, tests=self.tests, entry_point=self.entry_point)
