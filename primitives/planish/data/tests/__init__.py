"""The four ways to say what right means: assertions, cases, a pytest file, stdin and stdout.

Tests given by the user are frozen: nothing in planish changes them. A test that did not run
has not passed.
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
