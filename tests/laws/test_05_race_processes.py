"""Law 5, and law 4, with real programs: a loser's process is gone when the race is."""

import time
from uuid import uuid4

import anyio
import psutil
import pytest
from tests.laws.kit import TASK, answer

from planish import CodeExecution, CodeGenerator, Primitive, Report, Task, Validator, step
from planish.data.events import CandidateJudged, Event
from planish.events import listen
from planish.testing.scripted import ScriptedModel
from planish_integrations.local import LocalSandbox

TRIES = 5
PROMPTLY = 0.1  # seconds from the winner's verdict to the end of the race


def branch(reply: str, sandbox: LocalSandbox) -> Primitive[Task, Report]:
    return CodeGenerator(ScriptedModel([reply])) >> CodeExecution(sandbox) >> Validator()


def endless(mark: str) -> str:
    """A reply whose program never ends, nor does the process it starts; both are marked."""
    return (
        "```python\nimport subprocess, sys, time\n"
        f"subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)', {mark!r}], "
        "start_new_session=True)\n"
        "while True:\n    time.sleep(0.01)\n```"
    )


def marked(mark: str) -> list[str]:
    """Processes with this mark among their arguments, as the host sees them."""
    found: list[str] = []
    for process in psutil.process_iter():
        try:
            if mark in process.cmdline():
                found.append(str(process))
        except psutil.Error:
            continue
    return found


async def appears(mark: str) -> None:
    while not marked(mark):  # noqa: ASYNC110 - another process makes it
        await anyio.sleep(0.005)


async def race(mark: str) -> float:
    """Seconds from the winner's verdict to the end of the race."""
    sandbox = LocalSandbox(concurrency=4)
    verdicts: list[float] = []

    async def when_the_other_runs(task: Task) -> Task:
        await appears(mark)
        return task

    def hear(event: Event) -> None:
        if isinstance(event, CandidateJudged):
            verdicts.append(time.monotonic())

    winner = step(when_the_other_runs) >> branch(answer(4), sandbox)
    async with listen(hear):
        report = await (branch(endless(mark), sandbox) | winner).run(TASK)
    ended = time.monotonic()
    assert [one.outcome for one in report.branches] == ["cancelled", "won"]
    assert report.passed
    assert marked(mark) == []
    return ended - verdicts[0]


@pytest.mark.clock(reason="it promises an end within 100 ms")
@pytest.mark.anyio
async def test_a_losers_processes_are_gone_within_100_ms_of_the_verdict() -> None:
    seconds = [await race(uuid4().hex) for _ in range(TRIES)]
    assert sorted(seconds)[TRIES // 2] < PROMPTLY


@pytest.mark.anyio
async def test_a_cancelled_run_leaves_no_process() -> None:
    mark = uuid4().hex
    sandbox = LocalSandbox()

    async def cancel(scope: anyio.CancelScope) -> None:
        await appears(mark)
        scope.cancel()

    async with anyio.create_task_group() as group:
        group.start_soon(cancel, group.cancel_scope)
        await branch(endless(mark), sandbox).run(TASK)
    assert marked(mark) == []
