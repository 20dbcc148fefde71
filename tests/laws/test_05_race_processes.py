"""Law 5, and law 4, with real programs: a loser's process is gone when the race is."""

import time
from collections.abc import Iterator
from pathlib import Path

import anyio
import psutil
import pytest
from tests.laws.kit import TASK, answer

from planish import CodeExecution, CodeGenerator, Primitive, Report, Task, Validator, listen, step
from planish.scopes.events import Event, Judged
from planish.testing.scripted import ScriptedModel
from planish_integrations.local import LocalSandbox

TRIES = 5
PROMPTLY = 0.1  # seconds from the winner's verdict to the end of the race


def branch(reply: str, sandbox: LocalSandbox) -> Primitive[Task, Report]:
    return CodeGenerator(ScriptedModel([reply])) >> CodeExecution(sandbox) >> Validator()


def endless(marker: Path) -> str:
    """A reply whose program never ends, nor does the process it starts; it says when it runs."""
    return (
        "```python\nimport pathlib, subprocess, sys, time\n"
        "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'], "
        "start_new_session=True)\n"
        f"pathlib.Path({str(marker)!r}).touch()\n"
        "while True:\n    time.sleep(0.01)\n```"
    )


def left(directory: Path) -> Iterator[str]:
    """Processes that work in a directory, and what is in it."""
    yield from map(str, directory.iterdir())
    for process in psutil.process_iter():
        try:
            if process.cwd().startswith(str(directory)):
                yield str(process)
        except psutil.Error:
            continue


async def appears(marker: Path) -> None:
    while not await anyio.Path(marker).exists():  # noqa: ASYNC110 - another process makes it
        await anyio.sleep(0.005)


async def race(directory: Path, marker: Path) -> float:
    """Seconds from the winner's verdict to the end of the race."""
    sandbox = LocalSandbox(directory=directory, concurrency=4)
    verdicts: list[float] = []

    async def when_the_other_runs(task: Task) -> Task:
        await appears(marker)
        return task

    def hear(event: Event) -> None:
        if isinstance(event, Judged):
            verdicts.append(time.monotonic())

    winner = step(when_the_other_runs) >> branch(answer(4), sandbox)
    async with listen(hear):
        report = await (branch(endless(marker), sandbox) | winner).run(TASK)
    ended = time.monotonic()
    assert [one.outcome for one in report.branches] == ["cancelled", "won"]
    assert report.passed
    assert list(left(directory)) == []
    return ended - verdicts[0]


@pytest.mark.anyio
async def test_a_losers_processes_are_gone_within_100_ms_of_the_verdict(tmp_path: Path) -> None:
    directory = tmp_path / "runs"
    directory.mkdir()
    # The machine may be busy with others: once in time shows that nothing here waits longer.
    taken = [await race(directory, tmp_path / f"marker{number}") for number in range(TRIES)]
    assert min(taken) < PROMPTLY


@pytest.mark.anyio
async def test_a_cancelled_run_leaves_no_process(tmp_path: Path) -> None:
    directory, marker = tmp_path / "runs", tmp_path / "marker"
    directory.mkdir()
    sandbox = LocalSandbox(directory=directory)

    async def cancel(scope: anyio.CancelScope) -> None:
        await appears(marker)
        scope.cancel()

    async with anyio.create_task_group() as group:
        group.start_soon(cancel, group.cancel_scope)
        await branch(endless(marker), sandbox).run(TASK)
    assert list(left(directory)) == []
