"""The JSON of a long loop over a real task is small: each part stands once."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from planish import CodeExecution, CodeGenerator, Report, Retry, Task, Validator, stop
from planish.testing import ScriptedModel
from planish_integrations.local import LocalSandbox


@pytest.mark.anyio
async def test_forty_attempts_at_a_task_of_humaneval_take_less_than_120_kb(
    shared_data: Callable[[str], Path],
) -> None:
    with gzip.open(shared_data("humaneval/HumanEval.jsonl.gz"), "rt") as file:
        problem = json.loads(file.readline())
    body = problem["prompt"] + problem["canonical_solution"]
    tests = f"{problem['test']}\ncheck({problem['entry_point']})"
    task = Task(problem["prompt"], tests=tests, entry_point=problem["entry_point"])
    replies = [f"```python\n{body.replace('return True', f'return {n + 2}')}```" for n in range(40)]
    async with LocalSandbox() as sandbox:
        attempt = CodeGenerator(ScriptedModel(replies)) >> CodeExecution(sandbox) >> Validator()
        report = await Retry(attempt, stop=stop.max_attempts(40)).run(task)
    text = report.to_json()
    assert report.attempts == 40
    assert Report.from_json(text) == report
    assert Report.from_json(text).to_json() == text
    assert len(text) < 120_000
    assert text.count(json.dumps(tests)[1:-1]) == 1
    last = report.history[-1].candidate.request
    assert last is not None
    assert last.attempt == 40
    assert problem["prompt"] in last.messages[1].content
    assert f"return {39 + 1}" in last.messages[2].content
