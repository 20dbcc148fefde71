"""Held-out tests run once, after the loop, and decide alone."""

from dataclasses import replace
from typing import Any

import pytest
from tests.laws.kit import answer, grade, run_out

from planish import (
    Accept,
    BestOf,
    Candidate,
    CodeExecution,
    CodeGenerator,
    Execution,
    Race,
    Report,
    Retry,
    Task,
    Timeout,
    Validator,
    step,
)
from planish.data import Cases
from planish.effects import use_clock
from planish.errors import ModelError, TaskError, WiringError, report_of
from planish.testing import FakeClock, ScriptedModel
from planish_integrations.local import LocalSandbox

TASK = Task("Pass some checks.", tests="assert PASSED == 4", accept="assert PASSED == 5")


CHECK = step(grade) >> Validator()


def attempt(model: ScriptedModel) -> Any:
    return CodeGenerator(model) >> grade >> Validator()


async def cut_short(candidate: Candidate) -> Execution:
    return await grade(await run_out(candidate))


async def lost(candidate: Candidate) -> Execution:
    raise ModelError("the sandbox is gone")


@pytest.mark.anyio
async def test_the_pipeline_does_not_get_the_held_out_tests() -> None:
    tasks: list[Task] = []

    async def spy(candidate: Candidate) -> Execution:
        tasks.append(candidate.task)
        return await grade(candidate)

    checked: list[Task] = []

    async def check(candidate: Candidate) -> Execution:
        checked.append(candidate.task)
        return await grade(candidate)

    with ScriptedModel([answer(2), answer(3)]) as model:
        loop = Retry(CodeGenerator(model) >> spy >> Validator(), attempts=2)
        report = await Accept(loop, step(check) >> Validator()).run(TASK)
    assert [task.accept for task in tasks] == [None, None]
    assert [task.tests for task in checked] == [TASK.accept]
    assert checked[0].feedback is None
    assert report.acceptance is not None
    assert report.acceptance.execution.candidate.code == "PASSED = 3  # "
    assert report.trajectory == (0.5, 0.75)


@pytest.mark.anyio
async def test_a_task_without_held_out_tests_runs_as_ever() -> None:
    with ScriptedModel([answer(4)]) as model:
        report = await Accept(attempt(model), CHECK).run(replace(TASK, accept=None))
    assert (report.passed, report.acceptance) == (True, None)


@pytest.mark.anyio
async def test_a_run_that_is_cut_short_has_not_passed() -> None:
    with ScriptedModel([answer(4)]) as model:
        accept = Accept(attempt(model), step(cut_short) >> Validator())
        async with use_clock(FakeClock()):
            report = await Timeout(accept, seconds=60).run(TASK)
    assert (report.attempts, report.stop_reason, report.passed) == (1, "timeout", False)
    assert report.best is not None
    assert report.best.passed  # by the visible tests


@pytest.mark.anyio
async def test_an_error_of_the_check_has_a_report_that_has_not_passed() -> None:
    with ScriptedModel([answer(4)]) as model:
        accept = Accept(attempt(model), step(lost) >> Validator())
        with pytest.raises(ModelError) as caught:
            await accept.run(TASK)
    found = report_of(caught.value)
    assert found is not None
    assert (found.attempts, found.passed) == (1, False)


@pytest.mark.anyio
async def test_an_error_of_the_pipeline_has_a_report_that_has_not_passed() -> None:
    with ScriptedModel([answer(4)]) as model:
        accept = Accept(attempt(model) >> _raise, CHECK)
        with pytest.raises(ModelError) as caught:
            await accept.run(TASK)
    found = report_of(caught.value)
    assert found is not None
    assert (found.attempts, found.passed, found.task) == (1, False, TASK)


async def _raise(report: Report) -> Report:
    assert report.passed
    raise ModelError("later")


@pytest.mark.anyio
async def test_without_accept_a_task_with_held_out_tests_is_refused_before_any_call() -> None:
    with ScriptedModel([]) as model, pytest.raises(WiringError, match="held-out tests"):
        await attempt(model).run(TASK)
    with pytest.raises(WiringError, match="held-out tests"):
        await CodeExecution(LocalSandbox()).run(Candidate(task=TASK, code="PASSED = 4"))


def test_no_combinator_uses_the_result_of_held_out_tests() -> None:
    model = ScriptedModel([])
    accept = Accept(attempt(model), CHECK)
    for make in (
        lambda: Retry(accept, attempts=2),
        lambda: Race(accept, attempt(model)),
        lambda: BestOf(accept, n=2),
        lambda: Retry(Timeout(accept, seconds=3), attempts=2),
        lambda: Accept(accept, CHECK),
    ):
        with pytest.raises(WiringError, match="held-out tests"):
            make()


def test_what_cannot_judge_a_candidate_is_refused() -> None:
    model = ScriptedModel([])
    with pytest.raises(WiringError, match="judges a Candidate with"):
        Accept(attempt(model), attempt(model))


def test_a_task_checks_its_held_out_tests() -> None:
    with pytest.raises(TaskError, match="held-out cases"):
        Task("Do it.", accept=[(1, 2)])
    task = Task("Do it.", accept=[(1, 2)], entry_point="f")
    assert isinstance(task.accept, Cases)
    assert Task.from_json(task.to_json()) == task
