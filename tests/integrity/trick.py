"""Candidates that compute nothing right and try to pass all the same.

Each is Python that stands before a `square` that is wrong, or defines one itself. `fools` names
the naive runner (`naive.py`) that takes it for right: a trick that fools nobody tests nothing.
"""

from dataclasses import dataclass

__all__ = ["MARKER", "RIGHT", "WRONG", "Trick"]

MARKER = "ALL TESTS PASSED"
RIGHT = "def square(n):\n    return n * n\n"
WRONG = "def square(n):\n    return 0 if n else 0.0\n"


@dataclass(frozen=True, kw_only=True)
class Trick:
    """One way to pass without being right.

    Attributes:
        code: Runs where the candidate runs.
        fools: The naive runner it was shown to fool.
        whole: `code` defines `square` itself.
    """

    code: str
    fools: str
    whole: bool = False

    @property
    def candidate(self) -> str:
        """The whole of the candidate's code."""
        return self.code if self.whole else f"{self.code}\n{WRONG}"
