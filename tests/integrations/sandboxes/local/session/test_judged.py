"""Verdicts in a session: what a step has left can decide, so they are not isolated."""

import pytest

from planish import Candidate, CodeExecution, Report, Task, Validator
from planish.abc import Sandbox
from planish.data import StdioPairs
from planish_integrations.local import InSession, LocalSandbox, LocalSession

pytestmark = pytest.mark.anyio

CHECKER = """
import json
def check(stdin, expected, actual):
    return json.loads(actual) == json.loads(expected)
"""
FORGED = """
import json
loads = json.loads
json.loads = lambda text, **options: 5 if len(text) < 9 else loads(text, **options)
"""
CHECKED = Task("Double the number.", tests=StdioPairs([("2", "4")], checker=CHECKER))
COMPARED = Task("Double the number.", tests=StdioPairs([("2", "4")]))
RIGHT, WRONG = "print(2 * int(input()))", "print(3)"


async def judged(sandbox: Sandbox, task: Task, code: str) -> Report:
    check = CodeExecution(sandbox) >> Validator()
    return await check.run(Candidate(task=task, code=code))


async def test_what_a_step_has_left_may_decide_in_a_checker(session: LocalSession) -> None:
    inside = InSession(session)
    assert (await judged(inside, CHECKED, RIGHT)).passed
    assert not (await judged(inside, CHECKED, WRONG)).passed
    await session.run(FORGED)
    report = await judged(inside, CHECKED, WRONG)
    assert report.passed
    assert report.verdict is not None
    assert str(report.evidence) == "user, shared_process"
    assert "earlier programs have left" in report.verdict.execution.weakened_by[0]
    assert str((await judged(inside, COMPARED, RIGHT)).evidence) == "user, shared_process"


async def test_no_program_leaves_anything_in_a_sandbox(sandbox: LocalSandbox) -> None:
    assert not (await judged(sandbox, CHECKED, FORGED + WRONG)).passed
    for task in (CHECKED, COMPARED):
        report = await judged(sandbox, task, RIGHT)
        assert report.passed
        assert str(report.evidence) == "user, isolated"
