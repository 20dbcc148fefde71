"""What holds inside the container, as the kernel shows it."""

# ruff: noqa: PTH115, PTH123
# It starts faster without pathlib.

from __future__ import annotations

import os
import site
import socket
import sys
from contextlib import suppress
from typing import Any

__all__ = ["counted", "facts"]


def facts(root: str) -> dict[str, Any]:
    """What holds in here, as it is, not as it was asked for."""
    status: dict[str, str] = {}
    with open("/proc/self/status", encoding="ascii", errors="replace") as lines:
        for line in lines:
            name, _, value = line.partition(":")
            status[name] = value.strip()
    place = os.statvfs(root)
    return {
        "uid": os.getuid(),
        "pid": os.getpid(),
        "capabilities": [status.get("CapEff", "?"), status.get("CapBnd", "?")],
        "no_new_privileges": status.get("NoNewPrivs") == "1",
        "seccomp": status.get("Seccomp") == "2",
        "interfaces": [name for _, name in socket.if_nameindex()],
        "namespaces": {n: os.readlink("/proc/self/ns/" + n) for n in ("net", "pid", "ipc", "mnt")},
        "imports_are_read_only": not any(os.access(path, os.W_OK) for path in imports()),
        "root_is_read_only": bool(os.statvfs("/").f_flag & os.ST_RDONLY),
        "memory": limit_of("memory.max", "memory/memory.limit_in_bytes"),
        "processes": limit_of("pids.max", "pids/pids.max"),
        "disk": place.f_blocks * place.f_frsize,
    }


def imports() -> list[str]:
    """Return the folders that Python imports from, beside the program's own."""
    return [*sys.path, *site.getsitepackages()]


def limit_of(*names: str) -> int | None:
    texts = (group_file(name).strip() for name in names)
    return next((int(text) for text in texts if text.isdigit()), None)


def group_file(name: str) -> str:
    with suppress(OSError), open("/sys/fs/cgroup/" + name, encoding="ascii") as file:
        return file.read()
    return ""


def counted(word: str, *names: str) -> int:
    """What the control group has counted under a word: "oom_kill", "max"."""
    for name in names:
        for line in group_file(name).splitlines():
            if line.split()[:1] == [word]:
                return int(line.split()[1])
    return 0
