"""A step between generator and execution refuses candidates, or changes them."""

import gzip
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.laws.kit import TASK

from planish import Candidate, CodeExecution, CodeGenerator, CodePolicy, Retry, Task, Validator
from planish.data import Issue, Status
from planish.errors import WiringError
from planish.extraction import extract
from planish.rules import (
    DEFAULT_RULES,
    add_imports,
    forbid_calls,
    forbid_imports,
    forbid_network,
)
from planish.testing import ScriptedModel, ScriptedSandbox
from planish_integrations.local import LocalSandbox

LOCAL = LocalSandbox()

NOTE = "TO" + "DO"
ADD = Task("Add.", entry_point="add", tests=[((1, 2), 3)])


def fence(code: str, tag: str = "python") -> str:
    return f"```{tag}\n{code}\n```"


FULL = fence("def add(a, b):\n    return a + b")


@pytest.mark.anyio
async def test_a_refused_candidate_is_not_run_and_its_reasons_are_in_the_next_request() -> None:
    first = fence("import os\ndef add(a, b):\n    os.mkdir('ran')\n    return a + b")
    with ScriptedModel([first, FULL]) as model:
        loop = Retry(
            CodeGenerator(model)
            >> CodePolicy(forbid_imports("os"))
            >> CodeExecution(LOCAL)
            >> Validator(),
            attempts=2,
        )
        report = await loop.run(ADD)
    assert report.passed
    assert report.attempts == 2
    refused = report.history[0].verdict
    assert refused.execution.status is Status.SYNTAX_ERROR
    assert refused.execution.runs == 0
    assert refused.label == "failed"
    assert "'os', which is not allowed" in refused.findings[0].message
    assert refused.findings[0].fix == "solve the task without 'os'"
    text = "\n".join(message.content for message in model.requests[1].messages)
    assert "'os', which is not allowed" in text


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("import shutil\nshutil.rmtree('.')", "calls shutil.rmtree()"),
        ("from os import remove as tidy\ntidy('solution.py')", "calls os.remove()"),
        ("import pathlib\npathlib.Path('x').unlink()", "unlink()"),
        ("import socket\nsocket.create_connection(('localhost', 1))", "imports 'socket'"),
    ],
)
async def test_code_that_deletes_or_connects_never_reaches_the_sandbox(
    code: str, reason: str
) -> None:
    model, sandbox = ScriptedModel([fence(code)] * 2), ScriptedSandbox(())  # it runs nothing
    calls = forbid_calls("shutil.rmtree", "os.remove", "pathlib.Path.unlink")
    attempt = CodeGenerator(model) >> CodePolicy(calls, forbid_network()) >> CodeExecution(sandbox)
    report = await Retry(attempt >> Validator(), attempts=2).run(ADD)
    assert not report.passed
    assert report.usage.sandbox_runs == 0
    assert reason in model.requests[1].messages[-1].content


@pytest.mark.anyio
@pytest.mark.parametrize(
    "code",
    [
        "def add(a, b):\n    raise NotImplementedError",
        "def add(a, b):\n    ...",
        f"def add(a, b):\n    # {NOTE}: add the numbers\n    return 3",
    ],
)
async def test_a_placeholder_is_not_accepted_as_done(code: str) -> None:
    model = ScriptedModel([fence(code), FULL])
    attempt = CodeGenerator(model) >> CodePolicy() >> CodeExecution(LOCAL)
    report = await Retry(attempt >> Validator(), attempts=2).run(ADD)
    assert [attempt.status for attempt in report.history] == [
        Status.SYNTAX_ERROR,
        Status.SUCCESS,
    ]
    text = model.requests[1].messages[-1].content
    assert "not written yet" in text or "add the numbers" in text


@pytest.mark.anyio
@pytest.mark.parametrize("tag", ["javascript", "js", "java", "bash"])
async def test_code_in_another_language_is_not_run(tag: str) -> None:
    model = ScriptedModel([fence("function add(a, b) { return a + b; }", tag), FULL])
    attempt = CodeGenerator(model) >> CodeExecution(LOCAL) >> Validator()
    report = await Retry(attempt, attempts=2).run(ADD)
    refused = report.history[0].verdict.execution
    assert (refused.runs, refused.candidate.problem) == (0, "refused")
    assert "the task is for python" in report.history[0].verdict.findings[0].message
    assert report.passed


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("reply", "language"),
    [
        (fence("add = lambda a, b: a + b", "js"), "python"),  # it is Python all the same
        (fence("add = (a, b) => a + b", "ts"), "javascript"),
        (fence("x", "strange"), "python"),
        (fence("x = 1", "text"), "python"),
        (fence("def add(:", "python"), "python"),
    ],
)
async def test_a_tag_alone_refuses_nothing(reply: str, language: str) -> None:
    candidate = await CodeGenerator(ScriptedModel([reply])).run(Task("Add.", language=language))
    assert candidate.problem is None


@pytest.mark.anyio
async def test_python_for_a_task_in_another_language_is_refused() -> None:
    model = ScriptedModel([fence("print(1)")])
    candidate = await CodeGenerator(model).run(Task("Print.", language="bash"))
    assert candidate.refusals[0].issue == "the code is python, and the task is for bash"


@pytest.mark.anyio
async def test_a_step_of_ones_own_refuses_or_changes() -> None:
    def review(candidate: Candidate) -> Candidate:
        if "eval" in candidate.code:
            return candidate.refuse(Issue(issue="it evaluates text", fix="parse it"))
        return replace(candidate, code=candidate.code.replace("a - b", "a + b"))

    replies = [fence("add = eval('lambda a, b: a + b')"), FULL.replace("+", "-")]
    attempt = CodeGenerator(ScriptedModel(replies)) >> review
    report = await Retry(attempt >> CodeExecution(LOCAL) >> Validator(), attempts=2).run(ADD)
    assert report.passed
    assert report.history[0].verdict.findings[0].message == "it evaluates text"


@pytest.mark.anyio
async def test_a_text_for_a_problem_is_the_reason() -> None:
    reason: Any = "it deletes files"
    candidate = replace(Candidate(task=TASK, code="x = 1"), problem=reason)
    execution = await CodeExecution(LOCAL).run(candidate)
    assert execution.failure is not None
    assert (execution.failure.name, execution.failure.message) == ("Refused", "it deletes files")


@pytest.mark.anyio
async def test_imports_are_added_between_the_steps() -> None:
    model = ScriptedModel([fence("def add(a, b):\n    return math.floor(a + b)")])
    attempt = CodeGenerator(model) >> add_imports("math") >> CodeExecution(LOCAL)
    report = await (attempt >> Validator()).run(ADD)
    assert report.passed


@pytest.mark.anyio
async def test_a_candidate_with_a_problem_is_passed_on() -> None:
    candidate = Candidate(task=TASK, code="", problem="no_code")
    assert await CodePolicy(lambda _: ["anything"]).run(candidate) is candidate


@pytest.mark.anyio
async def test_rules_of_ones_own_may_give_texts_and_endless_ones() -> None:
    candidate = Candidate(task=TASK, code="x = 1")
    refused = await CodePolicy(lambda _: "one text").run(candidate)
    assert [one.issue for one in refused.refusals] == ["one text"]
    endless = await CodePolicy(lambda _: (f"{n}" for n in range(10**9))).run(candidate)
    assert len(endless.refusals) == 20


def test_what_is_no_rule_is_an_error() -> None:
    rule: Any = "eval"
    with pytest.raises(WiringError, match="eval"):
        CodePolicy(rule)
    assert CodePolicy().rules == DEFAULT_RULES


def rows(path: Path) -> list[Any]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@pytest.mark.replay
def test_the_rules_refuse_no_recorded_code_that_passes(shared_data: Callable[[str], Path]) -> None:
    refused: list[str] = []
    count = 0
    tasks: dict[tuple[str, str], Any] = {}
    for task in rows(shared_data("replay/dev/tasks.jsonl.gz")):
        tasks[task["bench"], task["task_id"]] = task
    for source in sorted(shared_data("replay/dev/tasks.jsonl.gz").parent.glob("*.jsonl.gz")):
        for row in rows(source):
            if row.get("verified_full", {}).get("result") != "pass":
                continue
            task = tasks[row["bench"], row["task_id"]]
            name, code, other = task["entry_point"], row["completion"], None
            if row["form"] == "raw":
                extracted = extract(code, entry_point=name)
                code, other = extracted.code, extracted.other_language
            elif row["form"] == "body":
                code = task["prompt"] + code
            candidate = Candidate(task=Task("Do it.", entry_point=name), code=code)
            issues = [issue for rule in DEFAULT_RULES for issue in rule(candidate)]
            count += 1
            if issues or other:
                refused.append(f"{source.name} {row['task_id']} #{row['attempt']}: {issues}")
    assert count > 2_400
    assert refused == []
