"""Find out what holds inside a container, as the kernel shows it."""
# ruff: noqa: PTH115  # pathlib costs milliseconds at each start

import os
import site
import socket
import sys

from .processes import slurp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["count", "facts", "powerless", "status_of"]


def facts(root: str) -> "dict[str, Any]":
    """Return what holds for this process, as it is, not as it was asked for.

    Args:
        root: The file system that a program can write.
    """
    status = status_of("self")
    place = os.statvfs(root)
    return {
        "uid": os.getuid(),
        "pid": os.getpid(),
        "capabilities": [status.get("CapEff", "?"), status.get("CapBnd", "?")],
        "no_new_privileges": status.get("NoNewPrivs") == "1",
        "seccomp": status.get("Seccomp") == "2",
        "interfaces": [name for _, name in socket.if_nameindex()],
        "namespaces": {n: os.readlink("/proc/self/ns/" + n) for n in ("net", "pid", "ipc", "mnt")},
        "imports_are_read_only": not any(os.access(path, os.W_OK) for path in _imports()),
        "root_is_read_only": bool(os.statvfs("/").f_flag & os.ST_RDONLY),
        "memory": _limit("memory.max", "memory/memory.limit_in_bytes"),
        "processes": _limit("pids.max", "pids/pids.max"),
        "disk": place.f_blocks * place.f_frsize,
    }


def status_of(pid: "int | str") -> "dict[str, str]":
    """Return the fields of a process's status; none where it cannot be read."""
    lines = slurp(f"/proc/{pid}/status").decode("utf-8", "replace").splitlines()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def powerless(pid: int) -> bool:
    """Return whether a process holds no capability and can gain none, as the kernel shows it."""
    status = status_of(pid)
    capabilities = [status.get(name, "1") for name in ("CapEff", "CapPrm", "CapAmb")]
    return status.get("NoNewPrivs") == "1" and not any(int(value, 16) for value in capabilities)


def _imports() -> "list[str]":
    """Return the folders that Python imports from, beside the program's own."""
    return [*sys.path, *site.getsitepackages()]


def _limit(*names: str) -> "int | None":
    texts = (_group_file(name).strip() for name in names)
    return next((int(text) for text in texts if text.isdigit()), None)


def _group_file(name: str) -> str:
    return slurp("/sys/fs/cgroup/" + name).decode("ascii", "replace")


def count(word: str, *names: str) -> int:
    """Return what the control group has counted under a word: "oom_kill", "max".

    Args:
        word: The word.
        names: Files of the control group, in its two versions.
    """
    for name in names:
        for line in _group_file(name).splitlines():
            if line.split()[:1] == [word]:
                return int(line.split()[1])
    return 0
