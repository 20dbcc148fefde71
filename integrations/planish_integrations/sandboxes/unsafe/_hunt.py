"""Killing what a vanished warden left behind. A last resort: see `Warden.bury`."""

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

__all__ = ["hunt"]

_PATIENCE = 5.0  # seconds


def hunt(root: str) -> bool:
    """Kill every process that has a run's directory in its environment or works in there.

    True when none is left. Finds nothing where there is no /proc. A program that has killed
    its warden *and* left its environment and directory escapes.
    """
    give_up = time.monotonic() + _PATIENCE
    while prey := [pid for pid in _processes() if _belongs(pid, root)]:
        for pid in prey:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        if time.monotonic() > give_up:
            return False
        time.sleep(0.002)
    return True


def _processes() -> list[int]:
    with suppress(OSError):
        return [int(entry.name) for entry in os.scandir("/proc") if entry.name.isdigit()]
    return []  # no /proc


def _belongs(pid: int, root: str) -> bool:
    with suppress(OSError):  # gone, another user's, or a zombie
        place = Path(f"/proc/{pid}")
        return os.fsencode(root) in (
            place / "environ"
        ).read_bytes() or f"{place.joinpath('cwd').readlink()}/".startswith(f"{root}/")
    return False
