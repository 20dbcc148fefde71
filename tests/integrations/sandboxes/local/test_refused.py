"""A template process that is refused one more worker, or does not answer."""

import os
import resource
import signal
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest
from tests.integrations.sandboxes.processes import children

from planish.data.program import Completed, Program
from planish.errors import SandboxError
from planish_integrations.local import LocalSandbox, Tier
from planish_integrations.sandboxes.local import _zygote
from planish_integrations.sandboxes.local._configuration import ZygoteConfig


@pytest.mark.anyio
async def test_a_worker_that_cannot_be_made_ends_no_program_that_runs(
    tier: Tier, python: Callable[..., Program], tmp_path: Path
) -> None:
    """Its template process has no descriptor left, as one on a machine without processes."""
    own = children(os.getpid())
    outcomes: list[Completed | SandboxError] = []
    async with LocalSandbox(tier=tier, readable=[tmp_path], concurrency=6, spare=2) as sandbox:

        async def run(body: str) -> None:
            try:
                outcomes.append(await sandbox.run(python(body)))
            except SandboxError as error:
                outcomes.append(error)

        assert (await sandbox.run(python("pass"))).ok
        (started,) = children(os.getpid()) - own
        template = await _template(started)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(run, "import time; time.sleep(1.5); print('whole')")
            await anyio.sleep(0.3)
            resource.prlimit(template, resource.RLIMIT_NOFILE, (4, 4096))
            for _ in range(5):
                tasks.start_soon(run, "import time; time.sleep(1)")
        resource.prlimit(template, resource.RLIMIT_NOFILE, (1024, 4096))
        refused = [str(one) for one in outcomes if isinstance(one, SandboxError)]
        assert refused, outcomes
        assert all("RLIMIT_NOFILE (`ulimit -n`)" in text for text in refused), refused
        assert b"whole\n" in [one.stdout for one in outcomes if isinstance(one, Completed)]
        assert (await sandbox.run(python("print('again')"))).stdout == b"again\n"
        assert children(os.getpid()) - own == {started}


@pytest.mark.anyio
async def test_a_template_process_that_does_not_answer_ends_no_program_that_runs(
    tier: Tier, python: Callable[..., Program], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = children(os.getpid())
    outcomes: list[Completed | SandboxError] = []
    async with LocalSandbox(tier=tier, readable=[tmp_path], concurrency=8, spare=2) as sandbox:

        async def run() -> None:
            try:
                program = python("import time; time.sleep(2); print('whole')")
                outcomes.append(await sandbox.run(program))
            except SandboxError as error:
                outcomes.append(error)

        assert (await sandbox.run(python("pass"))).ok
        (started,) = children(os.getpid()) - own
        template = await _template(started)
        monkeypatch.setattr(_zygote, "_TO_START", 0.5)  # instead of a minute
        async with anyio.create_task_group() as tasks:
            os.kill(template, signal.SIGSTOP)
            for _ in range(6):
                tasks.start_soon(run)
            await anyio.sleep(1.5)
            os.kill(template, signal.SIGCONT)
        refused = [str(one) for one in outcomes if isinstance(one, SandboxError)]
        assert set(refused) == {"LocalSandbox: no sandbox was ready after 0.5 s"}
        whole = [one.stdout for one in outcomes if isinstance(one, Completed)]
        assert whole == [b"whole\n"] * (6 - len(refused))
        assert whole
        monkeypatch.undo()
        assert (await sandbox.run(python("print('again')"))).stdout == b"again\n"
        assert children(os.getpid()) - own == {started}


@pytest.mark.anyio
async def test_all_tasks_that_wait_for_a_worker_are_refused_and_no_later_one(
    tier: Tier,
) -> None:
    own = children(os.getpid())
    reasons: list[str] = []
    zygote = _zygote.Zygote(ZygoteConfig(tier=tier, spare=2))
    try:
        workers = [await zygote.acquire() for _ in range(2)]
        (started,) = children(os.getpid()) - own
        template = await _template(started)
        resource.prlimit(template, resource.RLIMIT_NOFILE, (4, 4096))

        async def wait() -> None:
            with pytest.raises(SandboxError) as raised:
                await zygote.acquire()
            reasons.append(str(raised.value))

        with anyio.fail_after(20):
            async with anyio.create_task_group() as tasks:
                for _ in range(3):
                    tasks.start_soon(wait)
        assert all("RLIMIT_NOFILE (`ulimit -n`)" in text for text in reasons), reasons
        resource.prlimit(template, resource.RLIMIT_NOFILE, (1024, 4096))
        workers += [await zygote.acquire() for _ in range(2)]
        for worker in workers:
            zygote.return_used(worker)
    finally:
        zygote.close()


async def _template(pid: int) -> int:
    """Return the process that forks the workers, the first with two children at the least."""
    while len(below := children(pid)) < 2:
        (pid,) = below or (pid,)
        await anyio.sleep(0.01)
    return pid
