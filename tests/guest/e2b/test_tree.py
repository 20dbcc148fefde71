"""All that a program has started: its limits, what it may do, and its end."""

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest
from tests.guest.linux.children import in_child

from planish.guest.e2b.tree import Tree
from planish.guest.linux import calls, privileges

LIMITS: dict[str, Any] = {
    "seconds": 60.0,
    "wall_seconds": 60.0,
    "processes": 10_000,
    "memory_mb": 1 << 20,
}
# Two processes with two threads each, one of them in a session of its own.
FAMILY = """
import os, threading
if os.fork() == 0: os.setsid()
threading.Thread(target=threading.Event().wait, daemon=True).start()
held = bytearray(os.urandom(1)) * 40_000_000
print(1, flush=True)
threading.Event().wait()
"""


def family() -> object:
    """Start the family below this process, look at it, and end it."""
    libc = ctypes.CDLL(None)
    libc.prctl(36, 1, 0, 0, 0)  # what loses its parent is a child of this process
    child = subprocess.Popen([sys.executable, "-S", "-c", FAMILY], stdout=subprocess.PIPE)
    assert child.stdout is not None
    for _ in range(2):
        child.stdout.readline()
    tree = Tree(child.pid)
    found: list[object] = [tree.ended(), tree.code, tree.too_much(LIMITS)]
    found += [tree.too_much(LIMITS | {"processes": number}) for number in (3, 4)]
    found += [tree.too_much(LIMITS | {"memory_mb": size}) for size in (70, 400)]
    found += [tree.too_much(LIMITS | {"wall_seconds": 0.0})]
    found += [tree.too_much(LIMITS | {"seconds": 0.0})]
    tree.kill()
    found += [tree.code, tree.ended(), tree.usage.cpu > 0]
    try:
        os.waitpid(-1, 0)
    except ChildProcessError:
        found.append("none is left")
    return found


def test_all_of_a_program_is_measured_and_killed() -> None:
    assert in_child(family) == [
        *(False, None, None),
        *("processes", None),
        *("memory_mb", None),
        *("seconds", "seconds"),
        *(-9, True, True, "none is left"),
    ]


@pytest.mark.parametrize(("end", "code"), [("os._exit(7)", 7), ("os.kill(os.getpid(), 15)", -15)])
def test_the_end_of_the_first_process_is_the_end_of_the_program(end: str, code: int) -> None:
    def act() -> object:
        child = subprocess.Popen([sys.executable, "-S", "-c", f"import os\n{end}"])
        tree = Tree(child.pid)
        deadline = time.monotonic() + 20
        while not tree.ended() and time.monotonic() < deadline:
            time.sleep(0.01)
        tree.kill()
        return tree.code

    assert in_child(act) == code


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has capabilities to drop")
@pytest.mark.parametrize(
    ("acts", "powerless"),
    [
        ([privileges.drop_capabilities, calls.no_new_privileges], True),
        ([privileges.drop_capabilities], False),
        ([calls.no_new_privileges], False),
    ],
)
def test_a_program_is_powerless_without_capabilities_or_a_way_to_gain_some(
    acts: list[Callable[[], object]], *, powerless: bool
) -> None:
    def act() -> object:
        child = os.fork()
        if child == 0:
            for one in acts:
                one()
            signal.raise_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, child, os.WSTOPPED)
        tree = Tree(child)
        tree.kill()
        return tree.powerless

    assert in_child(act) is powerless


def test_a_process_that_is_no_more_is_not_powerless() -> None:
    assert not Tree(2**22 + 1).powerless
