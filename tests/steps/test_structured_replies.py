"""Code as JSON of a schema: one correction, fenced code after that, packages, goal."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from tests.laws.kit import TASK

from planish import Candidate, CodeExecution, CodeGenerator, Retry, Task, Validator
from planish.abc import Sandbox
from planish.data import Reply, ResourceLimits
from planish.errors import WiringError
from planish.testing.scripted import ScriptedModel
from planish.verification import prepare
from planish_integrations.local import LocalSandbox
from planish_integrations.unsafe import UnsafeLocalSandbox

PROGRAM = '{"language": "python", "code": "PASSED = 4"}'


@pytest.mark.anyio
@pytest.mark.parametrize(
    "text",
    [
        PROGRAM,
        f"```json\n{PROGRAM}\n```",
        f"<think>Use {{}}.</think>{PROGRAM}",
        PROGRAM.replace("python", "Python"),
    ],
)
async def test_a_structured_reply_is_code_at_once(text: str) -> None:
    model = ScriptedModel([text])
    candidate = await CodeGenerator(model, structured=True).run(TASK)
    assert (candidate.code, candidate.problem) == ("PASSED = 4", None)
    assert candidate.reply is not None
    assert candidate.reply.text == text
    schema = model.requests[0].schema
    assert schema is not None
    assert schema["required"] == ["language", "packages", "system_packages", "code"]
    assert schema["properties"]["language"]["const"] == "python"


@pytest.mark.anyio
@pytest.mark.parametrize(
    "wrong",
    [
        '{"language": "python"}',
        PROGRAM.replace("python", "ruby"),
        '{"language": "python", "code": "PASSED = 4',
        "Here you are.",
    ],
)
async def test_a_structured_reply_that_does_not_fit_is_requested_once_more(wrong: str) -> None:
    with ScriptedModel([wrong, PROGRAM]) as model:
        candidate = await CodeGenerator(model, structured=True).run(TASK)
    assert (candidate.code, candidate.problem) == ("PASSED = 4", None)
    assert "does not fit" in model.requests[1].messages[-1].content
    assert candidate.request is model.requests[1]


@pytest.mark.anyio
@pytest.mark.parametrize("first", [True, False])
async def test_after_two_replies_that_do_not_fit_the_fenced_code_is_used(*, first: bool) -> None:
    fenced = "```python\nPASSED = 4\n```"
    replies = [fenced, "I cannot."] if first else ["I cannot.", fenced]
    with ScriptedModel(replies) as model:
        candidate = await CodeGenerator(model, structured=True).run(TASK)
    assert (candidate.code, candidate.problem) == ("PASSED = 4", None)
    assert candidate.reply is not None
    assert candidate.reply.text == fenced
    assert candidate.request is model.requests[0 if first else 1]


@pytest.mark.anyio
async def test_a_structured_reply_that_is_cut_off_is_never_run_as_code() -> None:
    cut = Reply(
        text='{"language": "python", "code": "PASSED = 4\\nimport os', finish_reason="length"
    )
    with ScriptedModel([cut, cut]) as model:
        candidate = await CodeGenerator(model, structured=True).run(TASK)
    assert candidate.problem == "truncated"
    assert "cut off" in model.requests[1].messages[-1].content


@pytest.mark.anyio
async def test_a_structured_reply_that_a_filter_stopped_is_not_requested_again() -> None:
    with ScriptedModel([Reply(text="", finish_reason="content_filter")]) as model:
        candidate = await CodeGenerator(model, structured=True).run(TASK)
    assert candidate.problem == "empty_reply"


@pytest.mark.anyio
async def test_a_structured_reply_without_code_is_empty() -> None:
    model = ScriptedModel([PROGRAM.replace("PASSED = 4", " ")])
    assert (await CodeGenerator(model, structured=True).run(TASK)).problem == "empty_reply"


@pytest.mark.anyio
async def test_goal_and_assumptions_are_stated_with_the_code() -> None:
    reply = (
        '{"language": "python", "goal": "Pass.", "assumptions": ["4 is enough"], '
        '"code": "PASSED = 4"}'
    )
    model = ScriptedModel(["PASSED = 4", reply])
    candidate = await CodeGenerator(model, structured=True, explain=True).run(TASK)
    assert (candidate.code, candidate.goal) == ("PASSED = 4", "Pass.")
    assert candidate.assumptions == ("4 is enough",)
    schema = model.requests[0].schema
    assert schema is not None
    assert schema["required"] == [
        *("language", "goal", "assumptions"),
        *("packages", "system_packages", "code"),
    ]
    assert Candidate.from_json(candidate.to_json()) == candidate


@pytest.mark.anyio
async def test_the_packages_that_a_structured_reply_names_are_the_candidates() -> None:
    said: dict[str, Any] = {
        "language": "python",
        "packages": ["pandas>=2", " openpyxl "],
        "code": "PASSED = 4",
    }
    said["system_packages"] = ["graphviz", "", "graphviz"]
    candidate = await CodeGenerator(ScriptedModel([json.dumps(said)]), structured=True).run(TASK)
    assert candidate.packages == ("pandas>=2", "openpyxl")
    assert candidate.system_packages == ("graphviz",)
    assert Candidate.from_json(candidate.to_json()) == candidate
    assert candidate.digest != replace(candidate, system_packages=()).digest
    programs = prepare(candidate, ResourceLimits())
    assert {(one.packages, one.system_packages) for one in programs.programs} == {
        (candidate.packages, candidate.system_packages)
    }
    without = prepare(replace(candidate, system_packages=()), ResourceLimits())
    assert without.digest != programs.digest


@pytest.mark.anyio
@pytest.mark.parametrize("place", [LocalSandbox, UnsafeLocalSandbox])
async def test_what_a_sandbox_does_not_install_is_a_finding_about_the_environment(
    place: Callable[[], Sandbox],
) -> None:
    first = {
        "language": "python",
        "packages": [],
        "system_packages": ["graphviz"],
        "code": "import subprocess\ndef f():\n    return subprocess.run(['dot', '-V']) and 1",
    }
    second = {**first, "system_packages": [], "code": "def f():\n    return 1"}
    with ScriptedModel([json.dumps(first), json.dumps(second)]) as model:
        attempt = CodeGenerator(model, structured=True) >> CodeExecution(place()) >> Validator()
        task = Task("One.", tests="assert f() == 1")
        report = await Retry(attempt, attempts=2).run(task)
    failed, passed = report.history
    assert passed.verdict.passed
    assert passed.execution.lacks == ()
    assert failed.execution.lacks == ("graphviz",)
    assert [(one.kind, one.severity) for one in failed.verdict.findings] == [
        ("environment", "error"),
        ("environment", "warning"),
    ]
    text = model.requests[1].messages[-2].content
    assert "has not installed the system package 'graphviz'" in text
    assert "do without it" in text


def test_an_explanation_needs_a_structured_reply() -> None:
    with pytest.raises(WiringError, match="structured=True"):
        CodeGenerator(ScriptedModel([]), explain=True)
