"""Tricks that still pass as isolated: each is a defect of planish, and fails once it is mended."""

__all__ = ["OPEN"]

OPEN: frozenset[str] = frozenset()
"""Their names."""
