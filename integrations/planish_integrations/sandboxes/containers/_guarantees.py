"""From what the supervisor sees inside the container to what may be promised."""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from planish.data.program import ResourceLimits
from planish.data.sandbox import Guarantee

from ._command import OVERHEAD_MB

__all__ = ["guarantees"]

_NOTHING = "0000000000000000"


def guarantees(facts: Mapping[str, Any], limits: ResourceLimits) -> tuple[Guarantee, ...]:
    """Return the guarantees that the supervisor found to hold for a run, sorted.

    Args:
        facts: What the supervisor found.
        limits: Of the program.
    """
    apart = _apart(facts["namespaces"])
    powerless = set(facts["capabilities"]) == {_NOTHING} and facts["uid"] != 0
    sealed = bool(facts["root_is_read_only"]) and "mnt" in apart
    private = powerless and bool(facts["no_new_privileges"]) and facts["pid"] == 1
    memory = (limits.memory_mb + OVERHEAD_MB) << 20
    promised: dict[Guarantee, bool] = {
        "cleanup": True,  # else the run ends with an error
        "cpu": facts["pid"] == 1,
        "disk": True,
        "disk_total": sealed and facts["disk"] <= limits.disk_mb << 20,
        "environment": True,  # the container has only what it was given
        "files": "mnt" in apart,
        "ipc": {"ipc", "pid"} <= apart,
        "memory": True,
        "memory_total": _within(facts["memory"], memory),
        "network": "net" in apart and set(facts["interfaces"]) <= {"lo"},
        "output": True,
        "privileges": powerless and bool(facts["no_new_privileges"]),
        "process_ids": "pid" in apart,
        "processes": _within(facts["processes"], limits.processes + 1),
        "results": private and sealed and bool(facts["imports_are_read_only"]),
        "syscalls": bool(facts["seccomp"]),
        "writes": sealed,
    }
    return tuple(sorted(name for name, holds in promised.items() if holds))


def _within(seen: int | None, limit: int) -> bool:
    return seen is not None and seen <= limit


def _apart(inside: Mapping[str, str]) -> set[str]:
    """Return the namespaces that are not those of this process."""
    ours: dict[str, str] = {}
    with suppress(OSError):  # macOS: the engine runs in a machine of its own there
        ours = {name: str(Path(f"/proc/self/ns/{name}").readlink()) for name in inside}
    return {name for name, link in inside.items() if ours.get(name) != link}
