"""A pass that depends on the order of a set is found by a second run with another hash seed."""

import pytest

from planish import Candidate, CodeExecution, Execution, Task, Validator, budget
from planish.abc import Sandbox
from planish.data import Completed, Status
from planish.data.tests import StdioPairs
from planish.testing import ScriptedSandbox
from planish_integrations.local import LocalSandbox
from planish_integrations.unsafe import UnsafeLocalSandbox

pytestmark = pytest.mark.anyio

LETTERS = "{'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'}"
BY_ORDER = f"def word():\n    return ''.join({LETTERS})\n"
SORTED = f"def word():\n    return ''.join(sorted({LETTERS}))\n"


async def run(
    code: str, expected: str, sandbox: Sandbox | None = None, *, check: bool = True
) -> Execution:
    task = Task("A word.", entry_point="word", tests=[((), expected)])
    execute = CodeExecution(sandbox or LocalSandbox(), check_hash_order=check)
    return await execute.run(Candidate(task=task, code=code))


async def word_with_seed_0() -> str:
    execution = await run(BY_ORDER, "none of them", check=False)
    return str(execution.tests[0].actual).strip("'\"")


@pytest.mark.parametrize("sandbox", [LocalSandbox(), UnsafeLocalSandbox()])
async def test_code_that_passes_by_the_order_of_a_set_fails(sandbox: Sandbox) -> None:
    expected = await word_with_seed_0()
    assert (await run(BY_ORDER, expected, sandbox, check=False)).status is Status.SUCCESS

    execution = await run(BY_ORDER, expected, sandbox)
    assert execution.status is not Status.SUCCESS
    assert execution.runs == 2
    assert "depends on hash order" in execution.findings[-1]
    report = await Validator().run(execution)
    assert not report.passed
    findings = report.history[0].verdict.findings
    assert any("depends on hash order" in finding.message for finding in findings)


async def test_code_that_does_not_depend_on_it_passes() -> None:
    execution = await run(SORTED, "abcdefgh")
    assert execution.status is Status.SUCCESS
    assert (execution.runs, execution.findings) == (2, ())
    assert (await run(SORTED, "abcdefgh", check=False)).runs == 1


async def test_code_that_fails_is_not_run_again() -> None:
    execution = await run(SORTED, "abc")
    assert execution.status is not Status.SUCCESS
    assert (execution.runs, execution.findings) == (1, ())


async def test_pairs_of_input_and_output_are_run_again() -> None:
    tests = StdioPairs([("", f"{await word_with_seed_0()}\n")])
    code = f"print(''.join({LETTERS}))"
    execute = CodeExecution(LocalSandbox(), check_hash_order=True)
    execution = await execute.run(Candidate(task=Task("A word.", tests=tests), code=code))
    assert execution.status is not Status.SUCCESS
    assert "depends on hash order" in execution.findings[-1]


@pytest.mark.parametrize("language", ["python", "bash"])
async def test_without_tests_or_in_another_language_nothing_is_run_again(language: str) -> None:
    sandbox = ScriptedSandbox([Completed(exit_code=0, stdout=b"1\n", duration=0.5)])
    tests = None if language == "python" else StdioPairs([("", "1\n")])
    task = Task("Run.", language=language, tests=tests)
    execute = CodeExecution(sandbox, check_hash_order=True)
    execution = await execute.run(Candidate(task=task, code="print(1)"))
    assert execution.status is Status.SUCCESS
    assert len(sandbox.programs) == 1


async def test_both_runs_are_counted_by_budgets() -> None:
    async with budget(sandbox_seconds=60) as allowance:
        execution = await run(SORTED, "abcdefgh")
        assert allowance.spent.sandbox_runs == 2
    assert execution.duration == pytest.approx(allowance.spent.sandbox_seconds)


def test_it_is_seen_in_the_steps_name() -> None:
    assert repr(CodeExecution(ScriptedSandbox([]))) == "CodeExecution(ScriptedSandbox('scripted'))"
    checked = CodeExecution(ScriptedSandbox([]), check_hash_order=True)
    assert repr(checked) == "CodeExecution(ScriptedSandbox('scripted'), check_hash_order=True)"
