from typing import Any

import pytest
from tests.laws.kit import TASK, answer, evidence

from planish import Candidate, Execution, Validator
from planish.data import Feedback, Reply, Status, Usage
from planish.judges import tests_pass


def executed(passed: int = 2, **fields: Any) -> Execution:
    reply = Reply(text=answer(passed), usage=Usage(input_tokens=5, output_tokens=3))
    task = TASK.with_feedback(Feedback(attempt=1))
    found = evidence(Candidate(task=task, code=f"PASSED = {passed}", reply=reply))
    return Execution(
        candidate=found.candidate, status=found.status, tests=found.tests, duration=0.5, runs=2
    )


@pytest.mark.anyio
async def test_the_report_is_of_one_attempt() -> None:
    execution = executed()
    report = await Validator().run(execution)
    assert report.attempts == 1
    assert report.history[0].index == 1
    assert report.best is report.history[0]
    assert report.verdict is not None
    assert report.verdict.execution is execution
    assert (report.passed, report.score, report.status) == (False, 0.5, Status.PARTIAL_SUCCESS)
    assert report.stop_reason == "judged"


@pytest.mark.anyio
async def test_a_pass_is_a_success() -> None:
    report = await Validator().run(executed(4))
    assert report.passed
    assert report.stop_reason == "success"


@pytest.mark.anyio
async def test_the_report_is_about_the_task_without_its_feedback() -> None:
    report = await Validator().run(executed())
    assert report.task == TASK


@pytest.mark.anyio
async def test_usage_is_the_answer_and_the_runs() -> None:
    report = await Validator().run(executed())
    assert report.usage == Usage(
        input_tokens=5, output_tokens=3, model_calls=1, sandbox_runs=2, sandbox_seconds=0.5
    )


def test_it_prints_a_judge_that_is_not_the_usual_one() -> None:
    def careful(execution: Execution) -> bool:
        return tests_pass(execution).passed

    assert repr(Validator()) == "Validator()"
    assert repr(Validator(careful)) == "Validator(careful)"
