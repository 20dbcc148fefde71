"""Mutations that change nothing a caller could see, each with its reason; reviewed by hand."""

from collections.abc import Mapping

__all__ = ["EQUIVALENT"]

EQUIVALENT: Mapping[tuple[str, str, str], str] = {
    (
        "_fences.py",
        "_REREADS = 2  # characters that may be read in vain, as a multiple of the text's length",
        "_REREADS = 3  # characters that may be read in vain, as a multiple of the text's length",
    ): "any small multiple keeps the time linear; what is found is the same",
    (
        "literal.py",
        "return {_value(k): _value(v) for k, v in zip(keys, values, strict=True) if k}",
        "return {_value(k): _value(v) for k, v in zip(keys, values, strict=False) if k}",
    ): "the parser makes as many keys as values",
    (
        "literal.py",
        '_CALLS = {"set": set, "frozenset": frozenset, "float": float}',
        '_CALLS = {\'set_\': set, "frozenset": frozenset, "float": float}',
    ): "only `set()` is written as a call, and `ast.literal_eval` reads that one",
}
"""By the name of the file, the line as it stands, and the line after the mutation."""
