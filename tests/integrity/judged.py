"""Kinds of tests, each of a function that squares."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.integrity.naive import CHECKS

from planish import Execution
from planish.data.tests import Assertions, Cases, PytestFile

__all__ = ["KINDS", "Judged", "Kind"]

Judged = Callable[[str, str], Execution]

_CLASS = """
import unittest
class TestSquare(unittest.TestCase):
    def test_one(self):
        self.assertEqual(square(1), 1)
    def test_seven(self):
        self.assertEqual(square(7), 49)
    def test_nine(self):
        self.assertTrue(square(9) == 81)
"""
_FILE = """
from solution import square
def test_one():
    assert square(1) == 1
def test_seven():
    assert square(7) == 49
def test_nine():
    assert square(9) == 81
"""
_NEAR = "assert abs(square(7) - 49) < 1e-6\nassert 80 < square(9) < 82\n"


@dataclass(frozen=True)
class Kind:
    """Tests, and the names of what passes where the code is right."""

    tests: Any
    right: tuple[str, ...]


KINDS = {
    "checks": Kind(Assertions(CHECKS), ("1", "7", "9")),
    "script": Kind(Assertions(CHECKS, run_as="script"), ("1", "7", "9")),
    "near": Kind(Assertions(_NEAR), ("7", "9")),
    "unittest": Kind(Assertions(_CLASS), ("one", "seven", "nine")),
    "cases": Kind(Cases.of([(1, 1), (7, 49), (9, 81)]), ("1", "7", "9")),
    "pytest": Kind(PytestFile(_FILE), ("one", "seven", "nine")),
}
