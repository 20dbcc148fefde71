"""What is promised of a container is what its supervisor has seen inside."""

from pathlib import Path
from typing import Any

import pytest

from planish.data.program import ResourceLimits
from planish.guest.supervisor.facts import facts
from planish_integrations.sandboxes.containers._command import OVERHEAD_MB
from planish_integrations.sandboxes.containers._guarantees import guarantees

LIMITS = ResourceLimits(memory_mb=100, disk_mb=10, processes=5)
ALWAYS = {"cleanup", "disk", "environment", "memory", "output"}
BEST: dict[str, Any] = {
    "uid": 1000,
    "pid": 1,
    "capabilities": ["0" * 16, "0" * 16],
    "no_new_privileges": True,
    "seccomp": True,
    "interfaces": ["lo"],
    "namespaces": {name: f"{name}:[1]" for name in ("net", "pid", "ipc", "mnt")},
    "imports_are_read_only": True,
    "root_is_read_only": True,
    "memory": (100 + OVERHEAD_MB) << 20,
    "processes": 6,
    "disk": 10 << 20,
}
NAMESPACES = BEST["namespaces"]
LOST: list[tuple[dict[str, Any], set[str]]] = [
    ({"uid": 0}, {"privileges", "results"}),
    ({"pid": 2}, {"cpu", "results"}),
    ({"capabilities": ["0" * 16, "1".zfill(16)]}, {"privileges", "results"}),
    ({"no_new_privileges": False}, {"privileges", "results"}),
    ({"seccomp": False}, {"syscalls"}),
    ({"interfaces": ["lo", "eth0"]}, {"network"}),
    ({"imports_are_read_only": False}, {"results"}),
    ({"root_is_read_only": False}, {"disk_total", "results", "writes"}),
    ({"memory": BEST["memory"] + 1}, {"memory_total"}),
    ({"memory": None}, {"memory_total"}),
    ({"processes": 7}, {"processes"}),
    ({"processes": None}, {"processes"}),
    ({"disk": (10 << 20) + 1}, {"disk_total"}),
    ({"namespaces": {}}, {"files", "ipc", "network", "process_ids"}),
]


def test_all_that_was_asked_for_is_promised_where_it_is_seen() -> None:
    found = guarantees(BEST, LIMITS)
    assert list(found) == sorted(found)
    assert {*found} - ALWAYS == {
        *("cpu", "disk_total", "files", "ipc", "memory_total", "network", "privileges"),
        *("process_ids", "processes", "results", "syscalls", "writes"),
    }
    assert {*found} > ALWAYS


@pytest.mark.parametrize(("seen", "lost"), LOST)
def test_what_is_not_seen_is_not_promised(seen: dict[str, Any], lost: set[str]) -> None:
    found = {*guarantees(BEST | seen, LIMITS)}
    missing = {*guarantees(BEST, LIMITS)} - found
    assert missing >= lost
    if "namespaces" not in seen:
        assert missing == lost


def test_a_namespace_of_this_process_is_not_apart() -> None:
    ours = facts("/")["namespaces"]
    found = {*guarantees(BEST | {"namespaces": ours}, LIMITS)}
    assert not found & {"files", "ipc", "network", "process_ids", "writes", "disk_total", "results"}


def test_the_supervisor_reports_what_the_kernel_shows() -> None:
    found = facts("/tmp")  # noqa: S108  # any folder
    assert set(found) == set(BEST)
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    status = dict(line.split(":", 1) for line in lines)
    assert found["capabilities"] == [status[name].strip() for name in ("CapEff", "CapBnd")]
    assert found["no_new_privileges"] == (status["NoNewPrivs"].strip() == "1")
    assert found["seccomp"] == (status["Seccomp"].strip() == "2")
    assert "lo" in found["interfaces"]
    assert found["disk"] > 0
    assert found["pid"] > 1
