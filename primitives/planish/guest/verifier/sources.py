"""Keep the sources of the running code for tracebacks."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["SOURCES", "line_of", "show_sources"]

SOURCES: dict[str, str] = {}
"""By file name. The tests are in no file that a program could read."""


def show_sources() -> None:
    """Let `linecache`, once something has loaded it, find them."""
    cache: Any = getattr(sys.modules.get("linecache"), "cache", None)
    if isinstance(cache, dict):
        for file in SOURCES.keys() - cache.keys():
            source = SOURCES[file]
            # No time of change: such entries are never looked for on disk.
            cache[file] = (len(source), None, source.splitlines(keepends=True), file)


def line_of(file: str, number: int) -> str:
    """Return a line of a source, counted from 1; "" if there is none."""
    if file not in SOURCES:
        if not file.endswith(".py"):
            return ""
        try:
            with open(file, encoding="utf-8", errors="replace") as text:  # noqa: PTH123  # slow
                SOURCES[file] = text.read()
        except OSError:
            return ""
    lines = SOURCES[file].split("\n")
    return lines[number - 1] if 0 < number <= len(lines) else ""
