"""Mutations that change nothing a caller could see, each with its reason; reviewed by hand."""

from collections.abc import Mapping

__all__ = ["EQUIVALENT"]

EQUIVALENT: Mapping[tuple[str, str, str], str] = {}
"""By the name of the file, the line as it stands, and the line after the mutation."""
