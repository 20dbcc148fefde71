"""Equal programs run once, and every candidate gets an execution of its own."""

import pytest
from tests.integrations.evaluation.small import GOOD, WRONG

from planish import Candidate, CodeExecution, CodeGenerator, Retry, Task, Validator
from planish.data import Completed
from planish.testing.scripted import ScriptedModel, ScriptedSandbox
from planish_integrations.evaluation._replay_all import CachedExecution
from planish_integrations.local import LocalSandbox

pytestmark = pytest.mark.anyio


def task(**options: str) -> Task:
    options_ = {"tests": "assert add(2, 3) == 5", "entry_point": "add"} | options
    return Task("Add.", tests=options_.pop("tests"), **options_)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


async def test_the_second_time_costs_nothing_and_is_about_its_own_candidate() -> None:
    once = CachedExecution(CodeExecution(LocalSandbox()))
    first, second = (Candidate(task=task(id=name), code=GOOD) for name in "ab")
    one, two = await once.run(first), await once.run(second)
    assert (one.candidate, two.candidate) == (first, second)
    assert (one.runs, two.runs, two.duration) == (1, 0, 0.0)
    assert (two.status, two.tests) == (one.status, one.tests)


@pytest.mark.parametrize(
    "other",
    [
        Candidate(task=task(), code=f"{GOOD}\n"),
        Candidate(task=task(preamble="import math"), code=GOOD),
        Candidate(task=task(tests="assert add(1, 1) == 2"), code=GOOD),
        Candidate(task=task(entry_point="other"), code=GOOD),
    ],
)
async def test_whatever_differs_is_run_again(other: Candidate) -> None:
    endings = [Completed(exit_code=0), Completed(exit_code=0)]
    with ScriptedSandbox(endings) as sandbox:
        once = CachedExecution(CodeExecution(sandbox))
        await once.run(Candidate(task=task(), code=GOOD))
        await once.run(other)


async def test_what_a_loop_repeats_is_still_called_a_repeat() -> None:
    once = CachedExecution(CodeExecution(LocalSandbox()))
    with ScriptedModel([f"```\n{WRONG}```"] * 2) as model:
        loop = Retry(CodeGenerator(model) >> once >> Validator(), attempts=2)
        report = await loop.run(task())
    assert [attempt.execution.repeats for attempt in report.history] == [None, 1]
