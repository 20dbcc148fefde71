"""A sandbox that a program may have changed is not used again, and one that dies is replaced."""

import os
import signal
from collections.abc import Callable
from functools import partial
from pathlib import Path

import anyio
import pytest
from tests.integrations.sandboxes.local.conftest import Processes
from tests.integrations.sandboxes.processes import eventually, family

from planish.data.program import Program, ResourceLimits
from planish.errors import SandboxLostError
from planish_integrations.local import LocalSandbox, Tier

pytestmark = pytest.mark.anyio

Python = Callable[..., Program]

SENDS = """
import socket
one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
one.bind(('127.0.0.1', 8000))
one.sendto(b'hello', ('127.0.0.1', 8000))
print(one.recv(5))
"""


async def test_a_network_that_was_used_is_not_used_again(
    one: LocalSandbox, python: Python, tier: Tier, processes: Processes
) -> None:
    if tier != "namespaces":
        pytest.skip("here programs have no network")
    before = await _started(one, python, processes)
    for _ in range(6):  # a second one may have been made meanwhile
        done = await one.run(python(SENDS))
        assert done.stdout == b"b'hello'\n", done.stderr
    assert before - processes()


@pytest.mark.parametrize(
    "source",
    [
        "import time; time.sleep(100)",
        "while True: pass",
        "x = bytearray(1 << 30)",
        "print('x' * 99)",
    ],
)
async def test_after_a_limit_the_next_program_has_another(
    one: LocalSandbox, python: Python, source: str
) -> None:
    limits = ResourceLimits(seconds=0.3, memory_mb=200, output_bytes=10)
    await one.run(python(source, limits=limits))
    assert (await one.run(python("print(1)"))).stdout == b"1\n"


async def test_a_cancelled_run_is_not_followed_in_the_same_place(
    one: LocalSandbox, python: Python
) -> None:
    for seconds in (0.0, 0.001, 0.01, 0.1):
        with anyio.move_on_after(seconds):
            await one.run(python("open('file', 'w'); import time; time.sleep(100)"))
        done = await one.run(python("import os; print(os.listdir('.'))"))
        assert done.stdout == b"['main.py']\n"


async def test_when_the_first_process_is_killed_the_run_is_lost_and_the_next_is_not(
    one: LocalSandbox, python: Python
) -> None:
    async def kill() -> None:
        while not (sleeping := [pid for pid in family(os.getpid()) if _sleeps(pid)]):  # noqa: ASYNC110
            await anyio.sleep(0.01)
        os.kill(_parent(_parent(sleeping[0])), signal.SIGKILL)  # the program's is in between

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(kill)
        with pytest.raises(SandboxLostError, match="the run's first process was killed"):
            await one.run(python("import subprocess; subprocess.run(['sleep', '61.25'])"))
    assert (await one.run(python("print(1)"))).stdout == b"1\n"


async def test_when_a_process_dies_while_it_waits_another_is_made(
    one: LocalSandbox, python: Python, processes: Processes
) -> None:
    for _ in range(3):
        assert (await one.run(python("print(1)"))).stdout == b"1\n"
        there = processes()
        for last in [pid for pid in there if not there & family(pid)]:  # that fork programs
            warden = _parent(last)
            os.kill(last, signal.SIGKILL)
            assert eventually(partial(_is_gone, warden))
    assert (await one.run(python("print(1)"))).stdout == b"1\n"


def _sleeps(pid: int) -> bool:
    try:
        return b"61.25" in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False


def _is_gone(pid: int) -> bool:
    return not Path(f"/proc/{pid}").exists()


def _parent(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[1])


async def _started(one: LocalSandbox, python: Python, processes: Processes) -> set[int]:
    assert (await one.run(python("pass"))).ok
    return processes()
