"""The tiers: ways to isolate a program on this machine, and what each guarantees."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from planish.data.sandbox import Guarantee

__all__ = ["GUARANTEED", "TIERS", "Tier"]

Tier = Literal["namespaces", "bubblewrap", "landlock"]
"""A way to isolate a program from this machine."""

TIERS: tuple[Tier, ...] = ("namespaces", "bubblewrap", "landlock")
"""All tiers, the strongest first."""

# Written out: a tier gets a new guarantee only when something here enforces it.
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
"""What each tier guarantees. Its self-test or the test suite tries each."""
