"""The loop that `planish evaluate` measures, its hidden check, and models that need no network."""

from collections.abc import Mapping, Sequence

from planish import (
    Candidate,
    CodeExecution,
    CodeGenerator,
    Primitive,
    Report,
    Retry,
    Task,
    Validator,
)
from planish.abc import Model
from planish.feedback import hidden_tests
from planish.prompts import default_prompt, prompt_without_tests
from planish.testing.replay import ReplayModel
from planish_integrations.evaluation._evaluate import Check
from planish_integrations.evaluation._problem import Problem

__all__ = [
    "benchmark_loop",
    "empty_solution",
    "hidden_check",
    "offline_model",
]


def benchmark_loop(
    model: Model, execution: CodeExecution, *, attempts: int, hide_tests: bool
) -> Primitive[Task, Report]:
    """Return the loop to measure.

    Args:
        model: The model.
        execution: Runs candidates.
        attempts: The most attempts for a task.
        hide_tests: Show the tasks' tests neither in the prompt nor in the feedback.
    """
    if not hide_tests:
        visible = CodeGenerator(model, prompt=default_prompt) >> execution >> Validator()
        return Retry(visible, attempts=attempts)
    hidden = CodeGenerator(model, prompt=prompt_without_tests) >> execution >> Validator()
    return Retry(hidden, attempts=attempts, feedback=hidden_tests("exception"))


def hidden_check(problems: Mapping[str, Problem], execution: CodeExecution) -> Check:
    """Return a check that judges accepted code by all tests of its problem, outside the loop.

    Args:
        problems: By `Task.id`.
        execution: Runs the code.
    """
    judge = execution >> Validator()

    async def check(report: Report) -> Report:
        best = report.best
        if best is None:
            return report
        task = problems[str(report.task.id)].task()
        return await judge.run(Candidate(task=task, code=best.code))

    return check


def offline_model(kind: str, problems: Sequence[Problem], *, attempts: int) -> Model:
    """Return a model that needs no network and always gives the same answer to a problem.

    Args:
        kind: "canonical": the benchmark's own solution; "pass": a body that does nothing.
        problems: The problems it can answer.
        attempts: How often it can answer each problem.
    """
    program = _canonical if kind == "canonical" else empty_solution
    replies = {
        problem.key: [f"```python\n{program(problem)}\n```\n"] * attempts for problem in problems
    }
    return ReplayModel(replies, name=kind)


def _canonical(problem: Problem) -> str:
    return problem.canonical_solution or ""


def empty_solution(problem: Problem) -> str:
    """Return the prompt's function or class with an empty body."""
    name = problem.entry_point or "solution"
    for program in (f"{problem.prompt}    pass\n", problem.prompt):
        if name in program and _parses(program):
            return program
    return f"def {name}(*args, **kwargs):\n    pass\n"


def _parses(program: str) -> bool:
    try:
        compile(program, "prompt", "exec")
    except (SyntaxError, ValueError):
        return False
    return True
