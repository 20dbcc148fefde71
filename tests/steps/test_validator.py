from dataclasses import replace
from typing import Any

import pytest
from tests.laws.kit import TASK, answer, evidence

from planish import Candidate, Execution, Validator, budget, step
from planish.data import Feedback, Message, Reply, Request, Status, Usage
from planish.effects import ask
from planish.judges import tests_pass
from planish.testing import ScriptedModel


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
async def test_judging_again_what_has_been_run_uses_nothing() -> None:
    async with budget(model_calls=9) as allowance:
        report = await Validator().run(executed())
    assert report.usage == allowance.spent == Usage()


@pytest.mark.anyio
async def test_its_usage_is_that_of_the_run_with_its_judges_own_calls() -> None:
    usage = Usage(input_tokens=5, output_tokens=3, usd=0.5)
    model = ScriptedModel([Reply(text="no", usage=usage)] * 2)

    async def reviewer(execution: Execution) -> str:
        return (await ask(model, Request(messages=(Message("user", execution.stdout),)))).text

    def again(_: str) -> Execution:
        return executed()

    async with budget(model_calls=9) as allowance:
        report = await Validator(reviewer).run(executed())
        assert report.usage == allowance.spent == replace(usage, model_calls=1)
        report = await (step(again) >> Validator(reviewer)).run("anything")
    assert report.usage == replace(usage, model_calls=1)
    assert allowance.spent == report.usage + report.usage


def test_it_prints_a_judge_that_is_not_the_usual_one() -> None:
    def careful(execution: Execution) -> bool:
        return tests_pass(execution).passed

    assert repr(Validator()) == "Validator()"
    assert repr(Validator(careful)) == "Validator(careful)"
