"""A program and all it has started: looked at, and killed to the last."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from .usage import Usage

__all__ = ["Tree"]


class Tree:
    """The processes below this one, the program's first one among them.

    Attributes:
        code: How the program ended, as `os.waitstatus_to_exitcode` has it; None until then.
        powerless: It held no capability and could gain none, as the kernel tells.
        usage: What all of them have used of the processors.
    """

    def __init__(self, first: int) -> None:
        self._first = first
        self.usage: Usage = Usage()
        self.code: int | None = None
        self.powerless: bool = _powerless(first)

    def ended(self) -> bool:
        """Whether the program's first process has; what else has is buried."""
        with suppress(ChildProcessError):
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if not pid:
                    break
                self._bury(pid, status)
        return self.code is not None

    def _bury(self, pid: int, status: int) -> None:
        if pid == self._first:
            self.code = os.waitstatus_to_exitcode(status)

    def too_much(self, limits: dict[str, Any]) -> str | None:
        """The limit that all of them together have passed, if any."""
        threads, memory = 0, 0
        pids = _below()
        for pid in pids:
            status = _status(pid)
            threads += int(status.get("Threads", "0"))
            memory += int(status.get("RssAnon", "0 kB").split()[0])
        self.usage.look(pids)
        if self.usage.over(limits["seconds"], limits["wall_seconds"]):
            return "seconds"
        if threads > limits["processes"]:
            return "processes"
        allowed = limits["memory_mb"] << 10
        if memory > allowed and sum(map(_share, pids)) > allowed:
            return "memory_mb"
        return None

    def kill(self) -> None:
        """Kill them all: stopped first, so that none forks meanwhile."""
        for number in (signal.SIGSTOP, signal.SIGKILL):
            with suppress(OSError):
                os.killpg(self._first, number)
        with suppress(ChildProcessError):
            while True:
                for number in (signal.SIGSTOP, signal.SIGKILL):
                    for pid in _below():
                        with suppress(OSError):
                            os.kill(pid, number)
                pid, status = os.waitpid(-1, 0)
                self._bury(pid, status)
        self.usage.look([])


def _below() -> list[int]:
    found: list[int] = []
    rest = [os.getpid()]
    while rest:
        above = rest.pop()
        with suppress(OSError):
            for file in Path(f"/proc/{above}/task").glob("*/children"):
                pids = [int(pid) for pid in file.read_text("ascii").split()]
                found += pids
                rest += pids
    return found


def _status(pid: int) -> dict[str, str]:
    try:
        lines = Path(f"/proc/{pid}/status").read_text("utf-8", "replace").splitlines()
    except OSError:
        return {}
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def _share(pid: int) -> int:
    """The memory of a process in kB, what it shares counted by its share."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text("ascii").splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))


def _powerless(pid: int) -> bool:
    if sys.platform != "linux":
        return False
    status = _status(pid)
    held = [status.get(name, "1") for name in ("CapEff", "CapPrm", "CapAmb")]
    return status.get("NoNewPrivs") == "1" and not any(int(value, 16) for value in held)
