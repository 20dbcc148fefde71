"""Tricks that still pass as isolated: each is a defect of planish, and fails once it is mended."""

__all__ = ["OPEN"]

OPEN = frozenset(
    {
        "expected values in the defaults of a callback",
        "class that is given for an object",
        "methods that are classes",
        "methods that are Python's own classes",
        "end of the iteration in place of a value",
    }
)
"""Their names."""
