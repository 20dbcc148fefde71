"""The ways to isolate a program on this machine, what each promises, and what it takes."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from planish.data.sandbox import Guarantee

__all__ = ["GUARANTEED", "TIERS", "Tier"]

Tier = Literal["namespaces", "bubblewrap", "landlock"]
"""What stands between a program and this machine."""

TIERS: tuple[Tier, ...] = ("namespaces", "bubblewrap", "landlock")
"""All of them, the strongest first."""

# Written out: a new guarantee is promised by a tier only when something here enforces it.
_ALL: frozenset[Guarantee] = frozenset(
    {
        *("cleanup", "cpu", "disk", "disk_total", "environment", "files", "ipc", "memory"),
        *("memory_total", "network", "output", "privileges", "process_ids", "processes"),
        *("results", "syscalls", "writes"),
    }
)
GUARANTEED: Mapping[Tier, frozenset[Guarantee]] = MappingProxyType(
    {
        "namespaces": _ALL,
        "bubblewrap": _ALL,
        "landlock": _ALL - {"process_ids"},
    }
)
"""What each tier promises. All of it is tried in its self-test, or held by tests."""
