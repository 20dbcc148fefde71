"""Judges, which make a verdict from an execution, and functions that combine them.

A judge is any function of an execution that returns an `Opinion`.
"""

from planish.judges._combined import all_of, any_of, weighted
from planish.judges._judging import Judge, Opinion, apply_judge, lacks_tests, tests_pass

__all__ = [
    "Judge",
    "Opinion",
    "all_of",
    "any_of",
    "apply_judge",
    "lacks_tests",
    "tests_pass",
    "weighted",
]
