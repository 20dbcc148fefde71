"""Mutations that change nothing a caller could see, each with its reason; reviewed by hand."""

from collections.abc import Mapping

__all__ = ["EQUIVALENT"]

EQUIVALENT: Mapping[tuple[str, str, str], str] = {
    (
        "_fences.py",
        "_REREADS = 2  # characters that may be read in vain, as a multiple of the text's length",
        "_REREADS = 3  # characters that may be read in vain, as a multiple of the text's length",
    ): "any small multiple keeps the time linear; what is found is the same",
}
"""By the name of the file, the line as it stands, and the line after the mutation."""
