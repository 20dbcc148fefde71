"""Nothing outlives a run, a sandbox or the host, however they end; and what dies comes back."""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path

import anyio
import pytest
from tests.integrations.sandboxes.processes import children, descriptors, eventually, family

from planish.data.program import Program, ResourceLimits
from planish_integrations.local import LocalSandbox, Tier

Python = Callable[..., Program]

BUSY = """
import os, time
open('file', 'w').write('x' * 100_000)
if os.fork() == 0:
    try:
        os.setsid()
    except OSError:
        pass
    if os.fork() == 0:
        time.sleep(60)
print('has_started', flush=True)
time.sleep(60)
"""


async def _cancelled_at_random(sandbox: LocalSandbox, python: Python, count: int) -> None:
    chance = random.Random(7)  # noqa: S311  # no secret
    limiter = anyio.CapacityLimiter(8)

    async def one(seconds: float) -> None:
        async with limiter:
            with anyio.move_on_after(seconds):
                await sandbox.run(python(BUSY))

    async with anyio.create_task_group() as tasks:
        for _ in range(count):
            tasks.start_soon(one, chance.choice((0.0, 0.001, 0.003, 0.01, 0.03)))


async def _cancel_many(tier: Tier, python: Python, count: int, runs: Path) -> None:
    before = descriptors()
    own = family(os.getpid())
    async with LocalSandbox(tier=tier, concurrency=4, spare=3) as sandbox:
        open_before = len(descriptors())
        await _cancelled_at_random(sandbox, python, count)
        assert (await sandbox.run(python("print('next')"))).stdout == b"next\n"
        assert len(descriptors()) <= open_before + 4  # one may be kept for the next claim
    assert eventually(lambda: not family(os.getpid(), but=own)), _who(family(os.getpid(), but=own))
    assert eventually(lambda: not [*runs.iterdir()])
    assert eventually(lambda: descriptors() <= before), _names(descriptors() - before)


def _who(pids: set[int]) -> list[bytes]:
    return [Path(f"/proc/{pid}/stat").read_bytes()[:60] for pid in pids]


def _names(numbers: set[int]) -> list[str]:
    return [str(Path(f"/proc/self/fd/{number}").readlink()) for number in numbers]


@pytest.mark.anyio
async def test_runs_cancelled_at_random_leave_nothing(
    tier: Tier, python: Python, runs: Path
) -> None:
    await _cancel_many(tier, python, 150, runs)


@pytest.mark.long
@pytest.mark.anyio
async def test_a_thousand_runs_cancelled_at_random_leave_nothing(
    tier: Tier, python: Python, runs: Path
) -> None:
    await _cancel_many(tier, python, 1000, runs)


HOST = """
import sys, anyio
from planish.data.program import Program
from planish_integrations.local import LocalSandbox
program = Program(main='m.py', files={'m.py': sys.argv[2].encode()})
async def main():
    async with LocalSandbox(tier=sys.argv[1], concurrency=4) as sandbox:
        async with anyio.create_task_group() as tasks:
            for _ in range(3):
                tasks.start_soon(sandbox.run, program)
            print('running', flush=True)
anyio.run(main)
"""


@contextmanager
def _busy_host(tier: Tier) -> Generator[subprocess.Popen[bytes]]:
    """Start a process that runs three programs; of each: itself, its child and its grandchild."""
    host = subprocess.Popen(
        [sys.executable, "-c", HOST, tier, BUSY], stdout=subprocess.PIPE, start_new_session=True
    )
    assert host.stdout
    with host.stdout:
        assert host.stdout.readline() == b"running\n"
        assert eventually(lambda: len(family(host.pid)) > 9)
        yield host


def test_when_the_host_is_killed_everything_dies(tier: Tier, runs: Path) -> None:
    with _busy_host(tier) as host:
        started = family(host.pid)
        assert bool([*runs.iterdir()]) == (tier == "landlock")  # the others' are mounts
        host.kill()
        host.wait()

    def gone() -> bool:
        return not any(_alive(pid) for pid in started)

    assert eventually(gone), [pid for pid in started if _alive(pid)]
    assert eventually(lambda: not [*runs.iterdir()])


def test_a_supervisor_that_alone_is_left_removes_the_directory_of_its_run(
    tier: Tier, runs: Path
) -> None:
    if tier != "landlock":
        pytest.skip("here a run has no directory")
    with _busy_host(tier) as host:
        (template,) = children(host.pid)
        # The template process makes a fourth directory, and then its supervisor.
        assert eventually(lambda: len(children(template)) == len([*runs.iterdir()]) == 4)
        supervisors = children(template)
        for pid in supervisors:
            os.kill(pid, signal.SIGSTOP)
        others = [host.pid, template, *(family(host.pid) - supervisors - {template})]
        for pid in others:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        host.wait()
    assert len([*runs.iterdir()]) >= len(supervisors)
    for pid in supervisors:
        os.kill(pid, signal.SIGCONT)
    assert eventually(lambda: not [*runs.iterdir()])
    assert eventually(lambda: not any(map(_alive, supervisors)))


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] not in b"ZX"
    except OSError:
        return False


@pytest.mark.anyio
async def test_a_sandbox_that_is_dropped_ends_what_it_kept(
    sandbox: LocalSandbox, tier: Tier, python: Python
) -> None:
    assert (await sandbox.run(python("pass"))).ok  # another one, which makes its next worker later
    before, own = descriptors(), family(os.getpid())
    dropped = LocalSandbox(tier=tier, spare=3)
    assert (await dropped.run(python("pass"))).ok
    assert family(os.getpid(), but=own)
    del dropped
    assert eventually(lambda: not family(os.getpid(), but=own)), _who(family(os.getpid(), but=own))
    assert descriptors() <= before


@pytest.mark.anyio
async def test_many_first_runs_at_once_start_one_zygote(tier: Tier, python: Python) -> None:
    before = children(os.getpid())
    async with LocalSandbox(tier=tier, concurrency=6, spare=3) as warm:  # the self-test is over
        del warm
    sandbox = LocalSandbox(tier=tier, concurrency=6, spare=3)
    async with anyio.create_task_group() as tasks:
        for _ in range(6):
            tasks.start_soon(sandbox.run, python("pass"))
    assert len(children(os.getpid()) - before) == 1
    await sandbox.aclose()
    assert eventually(lambda: not (children(os.getpid()) - before))


def test_one_object_serves_both_event_loops_and_threads(tier: Tier, python: Python) -> None:
    sandbox = LocalSandbox(tier=tier, spare=3)
    for backend in ("asyncio", "trio", "asyncio"):
        assert anyio.run(sandbox.run, python("pass"), backend=backend).ok
    results: list[bool] = []

    async def several() -> None:
        results.extend([(await sandbox.run(python("pass"))).ok for _ in range(5)])

    def run(backend: str) -> None:
        anyio.run(several, backend=backend)

    threads = [threading.Thread(target=run, args=(b,)) for b in ("asyncio", "trio", "trio")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # Sandboxes of equal configuration share a template: the tests below would take that of this
    # one for their own, as long as the collector has not found it.
    anyio.run(sandbox.aclose)
    assert results == [True] * 15


@pytest.mark.anyio
async def test_a_claim_is_refilled(tier: Tier, python: Python) -> None:
    before = family(os.getpid())
    async with LocalSandbox(tier=tier, spare=3) as sandbox:
        assert eventually(lambda: len(family(os.getpid(), but=before)) >= 6)
        started = time.monotonic()
        for _ in range(12):
            assert (await sandbox.run(python("pass"))).ok
        assert time.monotonic() - started < 20
        assert eventually(lambda: len(family(os.getpid(), but=before)) >= 6)


@pytest.mark.anyio
async def test_a_program_that_is_held_answers_until_it_is_let_go(
    tier: Tier, python: Python
) -> None:
    echo = (
        "import sys\nprint(sys.stdin.seekable(), sys.stdin is sys.__stdin__, flush=True)\n"
        "for line in sys.stdin: print(line.upper(), end='', flush=True)"
    )
    own = family(os.getpid())
    program = python(echo, limits=ResourceLimits(seconds=100))
    async with LocalSandbox(tier=tier, spare=3) as sandbox, sandbox.interact(program) as running:
        assert await running.receive() == b"False True\n"  # a pipe
        for word in (b"one\n", b"two\n"):
            assert await running.send(word)
            assert await running.receive() == word.upper()
        assert running.isolation == tier
        assert running.guarantees
    assert eventually(lambda: not family(os.getpid(), but=own)), _who(family(os.getpid(), but=own))


@pytest.mark.anyio
async def test_a_program_that_is_held_never_waits_for_its_standard_error(
    tier: Tier, python: Python
) -> None:
    # A pipe holds 64 KiB: a program that writes more waits until somebody reads.
    writes = "import sys\nsys.stderr.write('x' * 300_000)\nsys.stderr.flush()\nprint('done')"
    program = python(writes, limits=ResourceLimits(seconds=100))
    async with LocalSandbox(tier=tier, spare=3) as sandbox, sandbox.interact(program) as running:
        with anyio.fail_after(60):
            assert await running.receive() == b"done\n"
            assert await running.receive() == b""
            assert await running.limit() is None
