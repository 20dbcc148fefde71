"""Code that is executed in a session is a step: its displays, output and errors come back."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from tests.integrations.sandboxes.e2b.support import connected

from planish import Candidate, CodeExecution, CodeGenerator, Execution, Retry, Task, Validator
from planish.abc import Session
from planish.data import Contract, ResourceLimits, Status, TextFile
from planish.errors import WiringError
from planish.feedback import failure_kind
from planish.testing import ScriptedModel
from planish_integrations.local import LocalSession
from planish_integrations.testing.e2b import LoopbackE2B

pytestmark = pytest.mark.anyio

SESSIONS = ("local", "e2b")


@asynccontextmanager
async def session_of(name: str) -> AsyncGenerator[Session]:
    if name == "local":
        async with LocalSession() as local:
            yield local
    else:
        with LoopbackE2B() as server:
            async with connected(server) as sandbox, sandbox.session() as remote:
                yield remote


async def run(session: Session, code: str, **options: Any) -> Execution:
    execute = CodeExecution(session, limits=ResourceLimits(seconds=options.pop("seconds", 20)))
    return await execute.run(Candidate(task=Task("Show it."), code=code))


@pytest.mark.parametrize("name", SESSIONS)
async def test_each_goes_to_its_own_place(name: str) -> None:
    async with session_of(name) as session:
        first = await run(session, "rows = [1, 2, 3]\nprint('a\\n\\nb', end='')")
        assert (first.status, first.stdout, first.displays) == (Status.SUCCESS, "a\n\nb", ())
        second = await run(session, "display(rows)\nprint('printed')\nsum(rows)")
    assert [(one.text, one.main) for one in second.displays] == [
        ("[1, 2, 3]", False),
        ("6", True),
    ]
    assert second.stdout == "printed\n"
    assert (second.sandbox, second.runs, second.separation) == (name, 1, "exit_code")
    assert second.score is None


@pytest.mark.parametrize("name", SESSIONS)
async def test_a_step_may_await(name: str) -> None:
    async with session_of(name) as session:
        code = "async def f():\n    return 5\nawait f()"
        assert [one.text for one in (await run(session, code)).displays] == ["5"]


@pytest.mark.parametrize("name", SESSIONS)
async def test_what_it_raises_has_its_class_and_line(name: str) -> None:
    async with session_of(name) as session:
        wrong = await run(session, "x = {}\n\nx['a']")
        lacking = await run(session, "import nowhere_at_all")
        syntax = await run(session, "1 +")
    assert wrong.failure is not None
    assert (wrong.failure.name, wrong.failure.message) == ("KeyError", "'a'")
    assert wrong.failure.bases[:2] == ("LookupError", "Exception")
    assert wrong.failure.line == 3
    assert wrong.failure.text == "x['a']"
    assert (wrong.status, failure_kind(wrong)) == (Status.RUNTIME_ERROR, "logic")
    assert (lacking.status, failure_kind(lacking)) == (Status.RUNTIME_ERROR, "environment")
    assert (syntax.status, syntax.runs) == (Status.SYNTAX_ERROR, 0)


async def test_a_step_that_does_not_end_is_a_time_out() -> None:
    async with session_of("local") as session:
        execution = await run(session, "while True: pass", seconds=1)
    assert (execution.status, failure_kind(execution)) == (Status.TIMEOUT, "timeout")


async def test_an_exit_has_no_exception() -> None:
    async with session_of("local") as session:
        execution = await run(session, "import sys\nsys.exit(3)")
        silent = await run(session, "import sys\nprint('  bad', file=sys.stderr)\nsys.exit(3)")
    assert execution.failure is not None
    assert (execution.failure.name, execution.exit_code) == ("ExitCode", 3)
    assert silent.failure is not None
    assert "bad" in silent.failure.message


async def test_a_loop_sees_what_a_step_has_raised() -> None:
    async with session_of("local") as session:
        await session.run("rows = [1, 2, 3]")
        model = ScriptedModel(["```python\nsum(row)\n```", "```python\nsum(rows)\n```"])

        def judge(execution: Execution) -> bool:
            return [one.text for one in execution.displays] == ["6"]

        attempt = CodeGenerator(model) >> CodeExecution(session) >> Validator(judge)
        report = await Retry(attempt, attempts=2).run(Task("Add the rows."))
    assert report.passed
    assert "NameError: name 'row' is not defined" in model.requests[1].messages[-1].content


GIVEN: list[dict[str, Any]] = [
    {"tests": "assert True"},
    {"files": {"a.txt": "a"}},
    {"contract": Contract(outputs={"a": TextFile()})},
    {"preamble": "import os"},
    {"language": "javascript"},
]


@pytest.mark.parametrize("given", GIVEN, ids=lambda given: next(iter(given)))
async def test_a_step_is_code_alone(given: dict[str, Any]) -> None:
    async with session_of("local") as session:
        candidate = Candidate(task=Task("Do it.", **given), code="x = 1")
        with pytest.raises(WiringError, match="InSession"):
            await CodeExecution(session).run(candidate)
        with pytest.raises(WiringError, match="InSession"):
            CodeExecution(session, outputs="out")
        with pytest.raises(WiringError, match="InSession"):
            CodeExecution(session, check_hash_order=True)
