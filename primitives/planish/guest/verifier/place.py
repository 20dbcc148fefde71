"""Where the program runs."""

from __future__ import annotations

from os import getcwd

__all__ = ["HOME"]

HOME = getcwd()  # noqa: PTH109  # pathlib costs 10 ms
"""The working directory at the start; a candidate may change into another."""
