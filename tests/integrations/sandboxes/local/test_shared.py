"""Sandboxes of equal configuration share a template process, as long as one of them needs it."""

import os
import resource
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest
from tests.integrations.sandboxes.processes import children, eventually, family, in_fork

from planish import Candidate, CodeExecution, Task
from planish.data import Assertions, PytestFile, Status, Tests
from planish.data.program import Program
from planish_integrations.local import LocalSandbox, Tier

pytestmark = pytest.mark.anyio

Python = Callable[..., Program]
OpenOne = Callable[..., LocalSandbox]


@pytest.fixture
def open_one(tier: Tier, tmp_path: Path) -> OpenOne:
    """Return a sandbox, of a configuration that no other test has."""
    return partial(LocalSandbox, tier=tier, readable=[tmp_path])


@pytest.fixture
def started(tier: Tier) -> Iterator[Callable[[], set[int]]]:
    """The template processes that the test has started; none is left at its end."""
    anyio.run(LocalSandbox(tier=tier).run, Program(main="main.py", files={"main.py": b""}))
    before = children(os.getpid())
    yield lambda: children(os.getpid()) - before
    assert eventually(lambda: not children(os.getpid()) - before), family(os.getpid(), but=before)


async def test_a_second_one_uses_what_the_first_started(
    python: Python, open_one: OpenOne, started: Callable[[], set[int]]
) -> None:
    async with open_one() as first:
        templates = started()
        assert len(templates) == 1
        async with open_one(concurrency=5) as second:
            assert (await second.run(python("print(1)"))).stdout == b"1\n"
        assert started() == templates
        assert (await first.run(python("print(2)"))).stdout == b"2\n"
        assert started() == templates


async def test_the_last_one_ends_it_in_whatever_order_they_close(
    python: Python, open_one: OpenOne, started: Callable[[], set[int]]
) -> None:
    first, second = open_one(), open_one()
    await first.run(python("pass"))
    await second.run(python("pass"))
    await first.aclose()
    await first.aclose()
    assert len(started()) == 1
    assert (await second.run(python("print(1)"))).stdout == b"1\n"
    await first.run(python("pass"))  # it takes it up again
    await second.aclose()
    assert len(started()) == 1
    await first.aclose()
    assert not started()


async def test_one_that_is_dropped_does_not_hold_it(
    python: Python, open_one: OpenOne, started: Callable[[], set[int]]
) -> None:
    dropped = open_one()
    await dropped.run(python("pass"))
    async with open_one() as sandbox:
        del dropped
        assert (await sandbox.run(python("print(1)"))).stdout == b"1\n"
        assert len(started()) == 1
    assert not started()


async def test_another_configuration_has_one_of_its_own(
    open_one: OpenOne, started: Callable[[], set[int]]
) -> None:
    async with open_one():
        async with open_one(preload=["decimal"]):
            assert len(started()) == 2
        async with open_one(spare=1):
            assert len(started()) == 2
        soft, hard = resource.getrlimit(resource.RLIMIT_CORE)
        resource.setrlimit(resource.RLIMIT_CORE, (0 if soft else 4096, hard))
        try:
            async with open_one():
                assert len(started()) == 2
        finally:
            resource.setrlimit(resource.RLIMIT_CORE, (soft, hard))


@pytest.mark.one_in(3)  # each option in one tier
@pytest.mark.parametrize("option", ["plain", "packages", "fresh_interpreter"])
async def test_pytest_is_imported_once_in_one_of_its_own(
    option: str, open_one: OpenOne, started: Callable[[], set[int]], tmp_path: Path
) -> None:
    code = "import sys\n\nthere = 'pytest' in sys.modules\n"
    options: dict[str, dict[str, Any]] = {
        "plain": {},
        "packages": {"packages": [tmp_path]},  # they may have a pytest that is not trusted
        "fresh_interpreter": {"fresh_interpreter": True},
    }
    alone = option == "plain"
    # Where the template has not imported it, the tests do; what they import stays on their side.
    test = f"from solution import there\n\ndef test_it():\n    assert there is {alone}\n"
    async with open_one(**options[option]) as sandbox:
        execute = CodeExecution(sandbox)

        async def status(tests: Tests) -> Status:
            task = Task("See what is there.", tests=tests)
            return (await execute.run(Candidate(task=task, code=code))).status

        assert await status(Assertions("assert there is False")) is Status.SUCCESS
        before = started()
        for _ in range(2):
            assert await status(PytestFile(test)) is Status.SUCCESS
            assert len(started() - before) == alone
        assert await status(Assertions("assert there is False")) is Status.SUCCESS
    assert not started()


async def test_a_run_of_one_goes_on_when_the_other_closes(
    python: Python, open_one: OpenOne, started: Callable[[], set[int]]
) -> None:
    del started
    outcomes: list[bytes] = []

    async def run(sandbox: LocalSandbox) -> None:
        outcomes.append((await sandbox.run(python("import time; time.sleep(1); print(1)"))).stdout)

    second = open_one()
    async with open_one() as first, anyio.create_task_group() as tasks:
        await second.run(python("pass"))
        tasks.start_soon(run, first)
        await anyio.sleep(0.2)
        await second.aclose()
    assert outcomes == [b"1\n"]


async def test_when_it_is_killed_both_go_on_with_another(
    python: Python, open_one: OpenOne, started: Callable[[], set[int]]
) -> None:
    async with open_one() as first, open_one() as second:
        (killed,) = started()
        processes = [killed, *family(killed)]
        for number in (signal.SIGSTOP, signal.SIGKILL):  # none is to see another's end
            for pid in processes:
                with suppress(ProcessLookupError):
                    os.kill(pid, number)
        for sandbox in (first, second):
            assert (await sandbox.run(python("print(1)"))).stdout == b"1\n"
        assert len(started()) == 1
        assert started() != {killed}


def test_threads_share_it(
    python: Python, open_one: OpenOne, started: Callable[[], set[int]]
) -> None:
    done: list[bytes] = []
    templates: list[int] = []
    meet = threading.Barrier(4, timeout=100)

    async def several() -> None:
        async with open_one() as sandbox:
            await anyio.to_thread.run_sync(meet.wait)
            done.extend([(await sandbox.run(python("print(1)"))).stdout for _ in range(5)])
            await anyio.to_thread.run_sync(meet.wait)
            templates.append(len(started()))
            await anyio.to_thread.run_sync(meet.wait)

    def run(backend: str) -> None:
        anyio.run(several, backend=backend)

    threads = [threading.Thread(target=run, args=(b,)) for b in ("asyncio", "trio") * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (done, templates) == ([b"1\n"] * 20, [1] * 4)


def test_a_fork_of_the_host_has_one_of_its_own(
    python: Python, open_one: OpenOne, started: Callable[[], set[int]]
) -> None:
    async def in_both() -> int:
        async with open_one() as sandbox:
            assert (await sandbox.run(python("print(1)"))).stdout == b"1\n"
            return len(children(os.getpid()))

    async def hold() -> None:
        async with open_one() as sandbox:
            sys.stdout.flush()
            child = await anyio.to_thread.run_sync(in_fork, in_both)
            assert child == 1
            assert (await sandbox.run(python("print(2)"))).stdout == b"2\n"

    anyio.run(hold)
    assert not started()


def test_forks_of_the_host_may_use_one_object_at_once(
    python: Python, open_one: OpenOne, started: Callable[[], set[int]]
) -> None:
    sandbox = open_one()

    async def several() -> int:
        for number in range(5):
            done = await sandbox.run(python(f"print({number})"))
            assert done.stdout == b"%d\n" % number
        await sandbox.aclose()
        return 0

    async def fork() -> None:
        assert (await sandbox.run(python("print(1)"))).stdout == b"1\n"
        async with anyio.create_task_group() as tasks:
            for _ in range(3):
                tasks.start_soon(check)
            await several()

    async def check() -> None:
        assert await anyio.to_thread.run_sync(in_fork, several) == 0

    anyio.run(fork)
    assert eventually(lambda: not started())
