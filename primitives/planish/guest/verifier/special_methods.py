"""Name the special methods that are forwarded, for proxies, classes and operations."""

from __future__ import annotations

__all__ = ["ARITHMETIC", "COMPARISONS", "SPECIAL"]

_BINARY = "add sub mul matmul truediv floordiv mod divmod pow lshift rshift and xor or"

COMPARISONS = frozenset({"__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"})
ARITHMETIC = frozenset(
    f"__{before}{name}__" for name in _BINARY.split() for before in ("", "r", "i")
)
_OTHERS = """
hash bool len length_hint iter next reversed contains getitem setitem delitem missing call
neg pos abs invert complex int float index round trunc floor ceil enter exit aenter aexit aiter
anext await repr str format bytes fspath get set init new reduce_ex copy deepcopy
instancecheck subclasscheck array set_name
"""
SPECIAL = COMPARISONS | ARITHMETIC | frozenset(f"__{name}__" for name in _OTHERS.split())
"""The special methods that are forwarded."""
