"""Names like one that is not known."""

from collections.abc import Iterable
from difflib import get_close_matches

__all__ = ["near"]


def near(name: str, known: Iterable[str]) -> str:
    """A hint for an error message, or nothing.

    >>> near("gpt-5-mimi", ["gpt-5", "gpt-5-mini", "claude"])
    "did you mean 'gpt-5-mini' or 'gpt-5'?"
    """
    found = get_close_matches(name, list(known), n=3, cutoff=0.6)
    return f"did you mean {' or '.join(map(repr, found))}?" if found else ""
