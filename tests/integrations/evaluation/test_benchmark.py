"""The loop that is measured never shows the tests that decide."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.integrations.evaluation.small import ADD, BROKEN, GOOD, HALF, HUMANEVAL, WRONG, Rows

from planish import CodeExecution, Report
from planish.testing.scripted import ScriptedModel
from planish_integrations.evaluation import (
    Problem,
    benchmark_loop,
    evaluate,
    hidden_check,
    load_problems,
    offline_model,
)
from planish_integrations.evaluation._benchmark import empty_solution
from planish_integrations.local import LocalSandbox

Write = Callable[[str, Rows], Path]

RAISES = "def add(a, b):\n    assert a == 1, f'saw {a} {b}'\n    return 4711\n"
PRINTS = "def add(a, b):\n    print('saw', a, b)\n    return [][b]\n"
SECRETS = ("check(", "f(2, 3)", "== 5", "saw", "4711.", "expected")


def execution() -> CodeExecution:
    return CodeExecution(LocalSandbox())


@pytest.fixture
def problem(write: Write) -> Problem:
    return load_problems(write("tasks.jsonl", [ADD])).problems[0]


@pytest.mark.anyio
async def test_hidden_tests_are_never_shown(problem: Problem) -> None:
    with ScriptedModel([WRONG, HALF, RAISES, PRINTS, BROKEN, GOOD]) as model:
        loop = benchmark_loop(model, execution(), attempts=6, hide_tests=True)
        assert (await loop.run(problem.task())).attempts == 6
    for request in model.requests:
        # What the model wrote itself it may see again.
        texts = "\n".join(m.content for m in request.messages if m.role != "assistant")
        assert not [secret for secret in SECRETS if secret in texts], texts


@pytest.mark.anyio
async def test_the_class_of_an_exception_is_told_and_not_where_it_was_raised(
    problem: Problem,
) -> None:
    with ScriptedModel([PRINTS, BROKEN, GOOD]) as model:
        await benchmark_loop(model, execution(), attempts=3, hide_tests=True).run(problem.task())
    _, second, third = (request.messages[-1].content for request in model.requests)
    assert "It ended with IndexError." in second
    assert "cannot be shown" in second
    # A candidate can choose the line at which it raises by the input of a test.
    assert "line 3" not in second
    assert "return [][b]" not in second
    # That code does not parse says nothing of the tests.
    assert "SyntaxError" in third
    assert "def add(a, b:" in third


@pytest.mark.anyio
async def test_visible_tests_are_shown_and_gate_and_the_others_judge(problem: Problem) -> None:
    with ScriptedModel([WRONG, HALF]) as model:
        loop = benchmark_loop(model, execution(), attempts=3, hide_tests=False)
        check = hidden_check({problem.key: problem}, execution())
        found = await evaluate(loop, [problem.visible_task()], concurrency=1, check=check)
    assert "assert add(1, 1) == 2" in model.requests[0].messages[-1].content
    (result,) = found.results
    assert (result.accepted, result.passed, result.attempts) == (True, False, 2)
    assert result.hidden_report is not None
    assert result.hidden_report.score == 0.5


@pytest.mark.anyio
async def test_a_report_without_code_is_what_the_hidden_tests_leave(problem: Problem) -> None:
    report = Report(task=problem.visible_task(), stop_reason="timeout")
    assert await hidden_check({problem.key: problem}, execution())(report) is report


@pytest.mark.anyio
@pytest.mark.parametrize(("kind", "solved"), [("canonical", 2), ("pass", 0)])
async def test_the_offline_models_solve_all_and_nothing(
    write: Write, kind: str, solved: int
) -> None:
    problems = [*load_problems(write("a", [ADD])).problems]
    problems += load_problems(write("b", [HUMANEVAL])).problems
    loop = benchmark_loop(
        offline_model(kind, problems, attempts=2), execution(), attempts=2, hide_tests=True
    )
    found = await evaluate(loop, [problem.task() for problem in problems], concurrency=2)
    assert found.solved == solved


@pytest.mark.parametrize(
    ("prompt", "name"),
    [
        ('def f(a):\n    """Do."""\n', "f"),
        ('class C:\n    """Do."""\n\n    def f(self):\n        """Do."""\n', "C"),
        ("def f(a):\n", "f"),
        ("def f(a):\n    return 1\n", "f"),
        ("Write a function f.", "f"),
        ("", "f"),
    ],
)
def test_a_program_without_a_solution_defines_the_name(prompt: str, name: str) -> None:
    problem = Problem(bench="b", task_id="1", prompt=prompt, entry_point=name, tests="assert 1")
    space: dict[str, object] = {}
    exec(empty_solution(problem), space)  # noqa: S102 - it is our own
    assert callable(space[name])


@pytest.mark.anyio
async def test_a_solution_with_fences_in_it_survives(problem: Problem) -> None:
    code = '"""Use it so:\n\n```python\nadd(1, 2)\n```\n"""\n' + GOOD
    fenced = Problem(
        bench="b",
        task_id="1",
        prompt="Add.",
        entry_point="add",
        tests=problem.tests,
        canonical_solution=code,
    )
    model = offline_model("canonical", [fenced], attempts=1)
    report = await benchmark_loop(model, execution(), attempts=1, hide_tests=True).run(
        fenced.task()
    )
    assert report.passed
    assert report.best is not None
    assert report.best.code.strip() == code.strip()
