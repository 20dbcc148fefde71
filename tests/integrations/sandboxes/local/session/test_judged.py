"""Verdicts in a session: what a step has left can decide, so they are not isolated."""

import os
from contextlib import suppress
from pathlib import Path

import pytest
from tests.integrations.sandboxes.processes import family

from planish import Candidate, CodeExecution, Report, Task, Validator
from planish.abc import Sandbox
from planish.data import Program, StdioPairs
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


REPORTS = b"import os; os.write(int(os.environ['PLANISH_RESULTS_FD']), b'x')"


async def test_the_files_of_results_are_closed_in_the_session(session: LocalSession) -> None:
    """Else a long session would reach the limit on open files."""
    program = Program(main="m.py", files={"m.py": REPORTS}, results=True)
    for _ in range(2):
        assert (await InSession(session).run(program)).results == b"x"
    assert not [held for held in _held() if "planish-results" in held]


def _held() -> list[str]:
    """List what the processes below this one have open, as far as this user may see that."""
    found: list[str] = []
    for pid in family(os.getpid()):
        with suppress(OSError):  # it has ended, or shows nothing
            found += [str(one.readlink()) for one in Path(f"/proc/{pid}/fd").iterdir()]
    return found
