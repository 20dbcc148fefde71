"""Lives in a session's interpreter: says when a step is over, and what variables there are."""

from __future__ import annotations

import builtins
import json
import os
import sys
import types
from itertools import islice
from typing import Any, cast

__all__ = ["END", "LISTED", "Kept", "install"]

END = "application/vnd.planish.end"
LISTED = "application/vnd.planish.variables+json"

_ROWS, _CHARACTERS, _ITEMS = 30, 100, 3
_WHOLE = 4000  # characters of a preview, whatever it is of


class Kept:
    """What a session keeps in its interpreter."""

    def __init__(self, word: str, env: dict[str, str]) -> None:
        self._word = word
        self._shell: Any = vars(builtins)["get_ipython"]()
        self._before: set[str] = set(self._shell.user_ns)
        os.environ.update(env)
        self._shell.events.register("post_run_cell", self._over)

    def _over(self, *_: Any) -> None:
        """Say that a step is over; an answer without this has been cut off."""
        self._show({END: self._word})

    def _show(self, forms: dict[str, str]) -> None:
        vars(builtins)["display"](forms, raw=True)

    def variables(self) -> None:
        """Show the variables that steps have set, in short."""
        listed: list[dict[str, Any]] = []
        for name, value in sorted(self._shell.user_ns.items()):
            hidden = name.startswith("_") or name in self._before
            if not hidden and not isinstance(value, types.ModuleType):
                listed.append(_variable(name, value))
        self._show({LISTED: json.dumps(listed)})


def _variable(name: str, value: Any) -> dict[str, Any]:
    kind = type(value).__name__
    try:
        return {"name": name, "type": kind, "shape": _shape(value), "preview": _preview(value)}
    except Exception as error:  # noqa: BLE001  # a value may do anything when it is looked at
        return {"name": name, "type": kind, "shape": None, "preview": f"<{type(error).__name__}>"}


def _shape(value: Any) -> list[int] | None:
    shape: Any = getattr(value, "shape", None)
    if type(shape) is tuple:
        sizes = cast("tuple[int, ...]", shape)
        return [int(size) for size in sizes]
    if isinstance(value, (str, bytes, bytearray, type)):
        return None
    kind = cast("Any", type(value))
    return [len(value)] if hasattr(kind, "__len__") else None


def _preview(value: Any) -> str:
    if isinstance(value, str):
        return value[:_CHARACTERS]
    if isinstance(value, (bytes, bytearray)):
        return repr(bytes(value[:_CHARACTERS]))[:_CHARACTERS]
    if hasattr(value, "to_string") and hasattr(value, "head"):
        return str(value.head(_ROWS).to_string())[:_WHOLE]
    kind: Any = cast("Any", type(value))
    if issubclass(kind, dict):
        first = [f"{key!r}: {value[key]!r}" for key in islice(value, _ITEMS)]
        return _items(first, len(value), "{}")
    if issubclass(kind, (list, tuple, set, frozenset)):
        brackets = "[]" if issubclass(kind, list) else "()" if issubclass(kind, tuple) else "{}"
        first = [repr(item) for item in islice(value, _ITEMS)]
        return _items(first, len(value), brackets)
    return repr(value)[:_CHARACTERS]


def _items(first: list[str], count: int, brackets: str) -> str:
    more = [f"... {count - len(first)} more"] if count > len(first) else []
    short = [item[:_CHARACTERS] for item in first]
    return brackets[0] + ", ".join(short + more) + brackets[1]


def install(word: str, env: dict[str, str]) -> None:
    """Begin: from now on every step says when it is over."""
    module: Any = types.ModuleType("planish_kept")
    module.variables = Kept(word, env).variables
    sys.modules["planish_kept"] = module
