"""Kill what a vanished supervisor left behind: a last resort, see `Supervisor.terminate`."""

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

__all__ = ["kill_orphans"]

_PATIENCE = 5.0  # seconds


def kill_orphans(root: str) -> bool:
    """Kill every process that has a run's directory in its environment or works in there.

    Returns:
        Whether none is left. Without /proc none is found. A program that has killed its
        supervisor *and* left its environment and directory escapes.
    """
    give_up = time.monotonic() + _PATIENCE
    while targets := [pid for pid in _processes() if _belongs(pid, root)]:
        for pid in targets:
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
