"""Modules of a program's own that are named like some that are loaded ahead."""

import os
import sys

__all__ = ["AHEAD", "PLAIN", "give_way"]

PLAIN = frozenset(sys.builtin_module_names) | {
    *("__main__", "_collections_abc", "_sitebuiltins", "abc", "codecs", "encodings"),
    *("genericpath", "io", "os", "posixpath", "site", "stat", "zipimport"),
}
"""What every interpreter has loaded before its first program: CPython's `python -X importtime`."""

AHEAD: "set[str]" = set()
"""What was loaded for all programs: a fresh interpreter would not have it yet."""


def give_way(folder: str) -> None:
    """Forget what a program's own modules are to be found instead of.

    Args:
        folder: Where its main file lies, and what it imports first.
    """
    own = {name.partition(".")[0] for name in os.listdir(folder)} & AHEAD  # noqa: PTH208
    if own:
        for name in [name for name in sys.modules if name.partition(".")[0] in own]:
            del sys.modules[name]
