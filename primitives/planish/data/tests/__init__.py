"""The four kinds of tests: assertions, a table of cases, a pytest file, pairs of stdin and stdout.

Tests are immutable: planish never changes a user's tests. A test that did not run has not passed.
"""

from planish.data.tests.cases import Case, Cases, Tolerance
from planish.data.tests.code import Assertions, Origin, PytestFile
from planish.data.tests.stdio import Compare, Stdio, StdioPairs

__all__ = [
    "Assertions",
    "Case",
    "Cases",
    "Compare",
    "Origin",
    "PytestFile",
    "Stdio",
    "StdioPairs",
    "Tests",
    "Tolerance",
]

Tests = Assertions | Cases | PytestFile | StdioPairs
"""Any kind of tests."""
