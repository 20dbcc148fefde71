from dataclasses import replace
from typing import Any

import pytest
from tests.laws.kit import TASK, answer

from planish import (
    Candidate,
    CodeExecution,
    CodeGenerator,
    Execution,
    Retry,
    Task,
    Validator,
    budget,
)
from planish.data import Assertions, Completed, PytestFile, ResourceLimits, Status, Usage
from planish.errors import BudgetExceededError, SandboxLostError, WiringError
from planish.stop import repeated_candidate
from planish.testing.scripted import ScriptedModel, ScriptedSandbox
from planish_integrations.local import LocalSandbox

DONE = Completed(exit_code=0, duration=0.5)


@pytest.mark.anyio
async def test_it_runs_the_code_with_the_tests() -> None:
    sandbox = LocalSandbox()
    task = Task("Double.", entry_point="double", tests=[((2,), 4), ((3,), 6), ((0,), 1)])
    candidate = Candidate(task=task, code="def double(n):\n    print(n)\n    return 2 * n\n")
    execution = await CodeExecution(sandbox).run(candidate)
    assert execution.status is Status.PARTIAL_SUCCESS
    assert [test.status for test in execution.tests] == ["passed", "passed", "failed"]
    assert (execution.tests[2].expected, execution.tests[2].actual) == ("1", "0")
    assert execution.score == 2 / 3
    assert execution.sandbox == "local"
    assert execution.candidate is candidate
    assert execution.duration > 0


@pytest.mark.anyio
async def test_code_that_does_not_parse_never_reaches_the_sandbox() -> None:
    sandbox = ScriptedSandbox([])
    execution = await CodeExecution(sandbox).run(Candidate(task=TASK, code="def f(:\n"))
    assert execution.status is Status.SYNTAX_ERROR
    assert execution.failure is not None
    assert execution.failure.line == 1
    assert execution.runs == 0
    assert sandbox.programs == []
    assert {test.status for test in execution.tests} <= {"not_run"}


@pytest.mark.anyio
async def test_code_that_was_tried_before_is_not_run_again() -> None:
    sandbox = LocalSandbox()
    model = ScriptedModel([answer(2), answer(3), answer(2), answer(4)])
    attempt = CodeGenerator(model) >> CodeExecution(sandbox) >> Validator()
    report = await Retry(attempt, attempts=4).run(TASK)
    again = report.history[2]
    assert again.execution.repeats == 1
    assert again.execution.runs == 0
    assert not again.passed
    assert "the same as in attempt 1" in again.verdict.findings[0].message
    assert report.usage.sandbox_runs == 3
    assert report.history[3].passed


@pytest.mark.anyio
async def test_code_corrected_only_in_its_white_space_is_run() -> None:
    wrong = 'def double(n):\n    return """1 \n2""" if n else 0\n'
    replies = [f"```python\n{wrong}```", f"```python\n{wrong.replace('1 ', '1')}```"]
    task = Task("Two lines.", entry_point="double", tests=[((1,), "1\n2")])
    attempt = CodeGenerator(ScriptedModel(replies)) >> CodeExecution(LocalSandbox()) >> Validator()
    report = await Retry(attempt, stop=repeated_candidate()).run(task)
    assert [one.execution.repeats for one in report.history] == [None, None]
    assert report.passed


@pytest.mark.anyio
async def test_limits_are_given_to_the_program() -> None:
    sandbox = ScriptedSandbox([DONE, DONE])
    candidate = Candidate(task=Task("Run."), code="print()")
    await CodeExecution(sandbox, limits=ResourceLimits(seconds=3, memory_mb=64)).run(candidate)
    await CodeExecution(sandbox).run(candidate)
    mine, default = (program.limits for program in sandbox.programs)
    assert (mine.seconds, mine.memory_mb) == (3, 64)
    assert default == ResourceLimits()


@pytest.mark.anyio
async def test_a_budget_of_sandbox_time_cuts_the_program_short() -> None:
    stopped = Completed(exit_code=None, limit="seconds", duration=1.0)
    sandbox = ScriptedSandbox([DONE, stopped])
    run = CodeExecution(sandbox, limits=ResourceLimits(seconds=10))
    candidate = Candidate(task=Task("Run."), code="print()")
    async with budget(sandbox_seconds=1.5) as allowance:
        await run.run(candidate)
        with pytest.raises(BudgetExceededError, match="sandbox_seconds"):
            await run.run(candidate)
    assert [program.limits.seconds for program in sandbox.programs] == [1.5, 1.0]
    assert allowance.spent == Usage(sandbox_runs=2, sandbox_seconds=1.5)


@pytest.mark.anyio
async def test_its_own_time_limit_is_a_verdict_on_the_code() -> None:
    stopped = Completed(exit_code=None, limit="seconds", duration=10.0)
    run = CodeExecution(ScriptedSandbox([stopped]), limits=ResourceLimits(seconds=10))
    async with budget(sandbox_seconds=60):
        execution = await run.run(Candidate(task=Task("Run."), code="print()"))
    assert execution.status is Status.TIMEOUT


@pytest.mark.anyio
async def test_a_lost_sandbox_is_raised_not_judged() -> None:
    run = CodeExecution(ScriptedSandbox([SandboxLostError("gone")]))
    with pytest.raises(SandboxLostError) as caught:
        await (run >> Validator()).run(Candidate(task=TASK, code="PASSED = 4"))
    assert caught.value.report is None or caught.value.report.usage == Usage()


@pytest.mark.parametrize("sandbox", ["e2b", None, object()])
def test_what_is_no_sandbox_is_refused(sandbox: Any) -> None:
    with pytest.raises(WiringError, match=r"a sandbox (has|is an object with)"):
        CodeExecution(sandbox)
    assert CodeExecution(ScriptedSandbox([])).signature == (Candidate, Execution)


async def after_attempt(run: CodeExecution, code: str, task: Task = TASK) -> Task:
    """The task with the feedback of one attempt."""
    report = await (run >> Validator()).run(Candidate(task=task, code=code))
    return task.with_feedback(report.feedback)


@pytest.mark.anyio
async def test_a_repeat_carries_the_evidence_of_the_run_it_repeats() -> None:
    run = CodeExecution(LocalSandbox())
    code = "PASSED = 3"
    again = await run.run(Candidate(task=await after_attempt(run, code), code=code))
    first = await run.run(Candidate(task=TASK, code=code))
    assert (again.repeats, again.runs, again.sandbox) == (1, 0, "local")
    assert [(test.name, test.status) for test in again.tests] == [
        (test.name, test.status) for test in first.tests
    ]
    assert (again.separation, again.status) == (first.separation, first.status)

    def by_tests(execution: Execution) -> bool:
        return all(test.status == "passed" for test in execution.tests)

    assert not (await Validator(by_tests).run(again)).passed


@pytest.mark.anyio
async def test_another_judge_judges_a_repeat_again_without_a_run() -> None:
    run = CodeExecution(LocalSandbox())
    task = Task("Anything.")
    again = await run.run(Candidate(task=await after_attempt(run, "x = 1", task), code="x = 1"))
    assert (again.repeats, again.runs) == (1, 0)

    def accepts(execution: Execution) -> bool:
        return execution.exit_code == 0

    assert (await Validator(accepts).run(again)).passed


@pytest.mark.anyio
@pytest.mark.parametrize("changed", ["tests", "preamble", "limits", "sandbox", "blanks"])
async def test_the_same_code_is_run_again_when_anything_else_has_changed(changed: str) -> None:
    sandbox = LocalSandbox()
    run = CodeExecution(sandbox)
    code = 'TEXT = """a  \nb"""\nPASSED = 4'
    task = await after_attempt(run, code)
    if changed == "tests":
        task = replace(task, tests=Assertions("assert PASSED == 4\nassert TEXT"))
    elif changed == "preamble":
        task = replace(task, preamble="import math")
    elif changed == "limits":
        run = CodeExecution(sandbox, limits=ResourceLimits(seconds=7))
    elif changed == "sandbox":
        run = CodeExecution(LocalSandbox())
    else:
        code = code.replace("a  \n", "a\n")
    again = await run.run(Candidate(task=task, code=code))
    assert (again.repeats, again.runs) == (None, 1)


@pytest.mark.anyio
async def test_a_task_read_from_json_runs_a_repeat_again() -> None:
    run = CodeExecution(LocalSandbox())
    task = Task.from_json((await after_attempt(run, "PASSED = 3")).to_json())
    again = await run.run(Candidate(task=task, code="PASSED = 3"))
    assert (again.repeats, again.runs) == (None, 1)


@pytest.mark.anyio
async def test_broken_tests_end_the_loop() -> None:
    task = Task("Anything.", tests="import nowhere_to_be_found\nassert PASSED == 4")
    model = ScriptedModel([answer(4), answer(4)])
    attempt = CodeGenerator(model) >> CodeExecution(LocalSandbox()) >> Validator()
    report = await Retry(attempt, attempts=2).run(task)
    assert (report.attempts, report.stop_reason) == (1, "test_error")
    assert report.status is Status.TEST_ERROR
    assert report.verdict is not None
    assert report.verdict.label == "unverified"


@pytest.mark.anyio
async def test_packages_beyond_the_standard_library_are_named() -> None:
    run = CodeExecution(LocalSandbox())
    task = Task("Anything.", tests="import json\nassert f() == 3")
    execution = await run.run(
        Candidate(task=task, code="import numpy\ndef f(): return int(numpy.int64(3))")
    )
    assert execution.packages == ("numpy",)


@pytest.mark.anyio
async def test_a_program_that_clears_its_folder_and_fails_is_a_verdict() -> None:
    code = """
import os, sys
for name in os.listdir("."):
    if os.path.isfile(name):
        os.remove(name)
sys.stderr.write('File "_planish.py", line 1\\nImportError: marshal\\n')
os._exit(1)
"""
    run = CodeExecution(LocalSandbox()) >> Validator()
    for tests in (TASK.tests, PytestFile("from solution import f\ndef test_f(): f()")):
        report = await run.run(Candidate(task=Task("Anything.", tests=tests), code=code))
        assert not report.passed
        assert report.status is Status.RUNTIME_ERROR
