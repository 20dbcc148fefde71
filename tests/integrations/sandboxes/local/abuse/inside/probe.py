"""What every abusive program has at hand, in the sandbox: the standard library, no more."""

import ctypes
import json
import os
import platform
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

__all__ = ["HOST", "LIBC", "NR", "attempt", "name_me", "read", "show", "syscall"]

HOST: dict[str, Any] = json.loads(Path(__file__).with_name("host.json").read_text())
"""Where the things are that are not to be reached."""

LIBC = ctypes.CDLL(None, use_errno=True)

_NUMBERS = {
    "x86_64": {
        "add_key": 248,
        "bpf": 321,
        "clone": 56,
        "keyctl": 250,
        "perf_event_open": 298,
        "userfaultfd": 323,
    },
    "aarch64": {
        "add_key": 217,
        "bpf": 280,
        "clone": 220,
        "keyctl": 219,
        "perf_event_open": 241,
        "userfaultfd": 282,
    },
}
NR: dict[str, int] = _NUMBERS.get(platform.machine(), {}) | {
    # The same everywhere.
    "cachestat": 451,
    "clone3": 435,
    "fsopen": 430,
    "io_uring_setup": 425,
    "lsm_list_modules": 461,
    "open_tree": 428,
    "pidfd_getfd": 438,
    "pidfd_open": 434,
    "pidfd_send_signal": 424,
}
"""System calls by name."""

_PR_SET_NAME = 15


def show(**facts: object) -> None:
    """A line for whoever judges."""
    line = json.dumps(facts, default=repr) + "\n"
    os.write(1, line.encode())


def attempt(what: str, do: Callable[[], object]) -> bool:
    """Try what should be refused, and say what came of it. Whether it succeeded."""
    try:
        got = do()
    except (OSError, MemoryError) as refused:
        show(what=what, refused=repr(refused))
        return False
    except BaseException:  # noqa: BLE001 - the probe itself is wrong: that proves nothing
        show(what=what, broken=traceback.format_exc())
        return False
    show(what=what, got=repr(got)[:4000])
    return True


def read(path: str) -> str:
    """What a file holds."""
    with open(path, "rb") as file:  # noqa: PTH123 - the plainest way is the one to try
        return file.read(100_000).decode("latin-1")


def syscall(name: str | int, *arguments: object) -> int:
    """A system call, whatever the C library thinks of it.

    Raises:
        OSError: it was refused.
    """
    number = NR[name] if isinstance(name, str) else name
    result = int(LIBC.syscall(ctypes.c_long(number), *arguments))
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


def name_me() -> None:
    """Take the name by which this process is looked for from outside."""
    if LIBC.prctl(_PR_SET_NAME, str(HOST["name"]).encode(), 0, 0, 0) != 0:
        raise RuntimeError("prctl(PR_SET_NAME) was refused: this process cannot be found")
