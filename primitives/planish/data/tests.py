"""The four ways to say what right means: assertions, cases, a pytest file, stdin and stdout.

Tests given by the user are frozen: nothing in planish changes them. A test that did not run
has not passed.
"""

from planish.data._case_table import Case, Cases
from planish.data._stdio import Compare, Stdio, StdioPairs
from planish.data._test_code import Assertions, Origin, PytestFile
from planish.data.tolerance import Tolerance

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
