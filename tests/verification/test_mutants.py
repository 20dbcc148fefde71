"""Mutants of correct programs: planish and plain Python agree on each."""

import ast
import gzip
import json
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import anyio
import pytest

from planish import Candidate, CodeExecution, Report, Task, Validator
from planish.data import Assertions, ResourceLimits
from planish_integrations.local import LocalSandbox

pytestmark = [pytest.mark.replay, pytest.mark.long]

MUTANTS = 3  # of each task
SECONDS = 6.0  # that each may compute
COMPARISONS: tuple[type[ast.cmpop], ...] = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
Change = tuple[ast.AST, str, Any]
SUMS: tuple[type[ast.operator], ...] = (ast.Add, ast.Sub, ast.Mult)


def places(tree: ast.Module) -> Iterator[Change]:
    """Changes of one operator, number or condition each: a node, a field, its new value."""
    for node in ast.walk(tree):
        match node:
            case ast.Compare(ops=[first, *rest]):
                kinds = set(COMPARISONS) - {type(first)} if type(first) in COMPARISONS else ()
                for kind in sorted(kinds, key=str):
                    yield node, "ops", [kind(), *rest]
            case ast.BinOp(op=op) if type(op) in SUMS:
                for one in sorted(set(SUMS) - {type(op)}, key=str):
                    yield node, "op", one()
            case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
                yield node, "test", ast.UnaryOp(op=ast.Not(), operand=test)
            case ast.Constant(value=int(value)) if not isinstance(value, bool):
                yield from ((node, "value", new) for new in (value - 1, value + 1))
            case ast.Return(value=ast.expr()):
                yield node, "value", None
            case _:
                pass


def mutants(task: dict[str, Any]) -> list[str]:
    """Some programs, each different from the right one in one place."""
    source = task["prompt"] + task["canonical_solution"]
    count = sum(1 for _ in places(ast.parse(source)))
    chance = random.Random(task["task_id"])  # noqa: S311 - the same choice every time
    chosen = chance.sample(range(count), min(MUTANTS, count))
    found: list[str] = []
    for number in chosen:
        tree = ast.parse(source)
        setattr(*list(places(tree))[number])
        found.append(ast.unparse(ast.fix_missing_locations(tree)))
    return found


def plainly(row: tuple[str, str, str]) -> bool:
    """The program and its tests pass in one process of plain Python."""
    _, code, test = row
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-c", f"{code}\n{test}"],
            capture_output=True,
            timeout=3 * SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def test_a_mutant_passes_exactly_if_plain_python_passes_it(
    shared_data: Callable[[str], Path],
) -> None:
    with gzip.open(shared_data("humaneval/HumanEval.jsonl.gz"), "rt") as file:
        tasks = [json.loads(line) for line in file]
    rows: list[tuple[str, str, str]] = [
        (f"{task['task_id']} {number}", code, f"{task['test']}\ncheck({task['entry_point']})\n")
        for task in tasks
        for number, code in enumerate(mutants(task))
    ]
    with ThreadPoolExecutor(2) as pool:
        plain = list(pool.map(plainly, rows))

    async def judged() -> list[Report]:
        run = CodeExecution(LocalSandbox(), limits=ResourceLimits(seconds=SECONDS)) >> Validator()
        return [
            await run.run(
                Candidate(
                    task=Task(name, tests=Assertions(tests, run_as="script")),
                    code=code,
                )
            )
            for name, code, tests in rows
        ]

    reports = anyio.run(judged)
    print(f"{len(rows)} mutants, {sum(plain)} pass in plain Python")  # noqa: T201
    differ = [
        (row[0], by_python, report.status)
        for row, by_python, report in zip(rows, plain, reports, strict=True)
        if by_python != report.passed
    ]
    assert differ == []
    assert len(rows) >= 465
