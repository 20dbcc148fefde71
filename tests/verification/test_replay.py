"""Recorded programs: their results here equal those of a direct run."""

import gzip
import json
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from planish.data.candidate import Candidate
from planish.data.execution import Execution
from planish.data.status import Status
from planish.data.task import Task
from planish.data.tests import Assertions, Case, Cases
from planish.verification import reject, syntax_failure

pytestmark = pytest.mark.replay

Run = Callable[..., Execution]
Find = Callable[[str], Path]
WORKERS = 2


def rows(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def each(run: Callable[[Any], Execution], items: Iterable[Any]) -> list[Execution]:
    with ThreadPoolExecutor(WORKERS) as pool:
        return list(pool.map(run, items))


@pytest.mark.parametrize(
    "every", [pytest.param(1, marks=pytest.mark.long, id="all"), pytest.param(4, id="some")]
)
def test_canonical_solutions_of_humaneval_pass_and_empty_ones_do_not(
    run: Run, shared_data: Find, every: int
) -> None:
    # `planish evaluate` judges all of them each time, in the local sandbox.
    tasks = rows(shared_data("humaneval/HumanEval.jsonl.gz"))
    assert len(tasks) == 164
    tasks = tasks[::every]

    def solved(task: dict[str, Any], body: str) -> Execution:
        code = f"{task['test']}\ncheck({task['entry_point']})\n"
        tests = Assertions(code, run_as="script")
        return run(task["prompt"] + body, tests=tests, entry_point=task["entry_point"])

    right = each(lambda task: solved(task, task["canonical_solution"]), tasks)
    assert [r.status for r in right] == [Status.SUCCESS] * len(tasks)
    assert all(r.score == 1.0 and r.failure is None for r in right)
    wrong = each(lambda task: solved(task, "    pass\n"), tasks)
    assert sum(r.status is Status.SUCCESS for r in wrong) == 0
    assert all(r.failure is not None for r in wrong)


# Some programs are generators, and their expected values are lists.
LISTED = """
_solve = {name}
def solve(*args):
    result = _solve(*args)
    return list(result) if hasattr(result, "__next__") else result
"""


def quixbugs_cases(program: dict[str, Any]) -> Cases:
    """The cases as the program's own pytest file reads them; without those it calls slow."""
    name, found = program["name"], list[Case]()
    for given, wanted in program["cases"]:
        args: tuple[Any, ...] = (*given,)
        if name == "sqrt":
            found.append(Case(args, predicate=f"abs(result - {wanted}) <= {args[1]}"))
        elif name == "hanoi":
            found.append(Case(args, [tuple(move) for move in wanted]))
        elif not (name == "knapsack" and args[0] > 10**6) and "docnoteidissent" not in str(args):
            found.append(Case(args, wanted))
    return Cases(tuple(found))


def test_repairs_of_quixbugs_pass_their_cases_and_the_bugs_do_not(
    run: Run, shared_data: Find
) -> None:
    lines = shared_data("quixbugs/quixbugs_python.jsonl").read_text(encoding="utf-8").splitlines()
    programs = [program for program in map(json.loads, lines) if program["cases"]]
    assert len(programs) == 31

    def passed(form: str, seconds: float) -> list[str]:
        def judged(program: dict[str, Any]) -> Execution:
            code = program[form] + LISTED.format(name=program["name"])
            cases = quixbugs_cases(program)
            return run(code, tests=cases, entry_point="solve", seconds=seconds)

        results = zip(programs, each(judged, programs), strict=True)
        return [p["name"] for p, result in results if result.status is Status.SUCCESS]

    assert passed("fixed", 30) == [program["name"] for program in programs]
    assert passed("buggy", 1) == []


MOST = 1_000  # programs of one source: a minute
RECORDED = [
    "reflexion",
    *(pytest.param(n, marks=pytest.mark.long) for n in ("ldb", "mapcoder-reflexion", "codet")),
]
# Of a result, the names of the exceptions it stands for.
CLASSES = {
    "assertion": {"AssertionError"},
    "name/import": {"NameError", "ImportError", "ModuleNotFoundError", "UnboundLocalError"},
    "resource": {"RecursionError", "MemoryError"},
}


def kind(result: Execution) -> str:
    """The result in the words of the recording."""
    if result.status is Status.SUCCESS:
        return "pass"
    if result.status is Status.SYNTAX_ERROR:
        return "syntax"
    name = result.failure.name if result.failure else ""
    if name == "Timeout":
        return "timeout"
    return next((word for word, names in CLASSES.items() if name in names), "other-exc")


@pytest.mark.parametrize("source", RECORDED)
def test_recorded_replies_end_as_they_did(run: Run, shared_data: Find, source: str) -> None:
    tasks = {(t["bench"], t["task_id"]): t for t in rows(shared_data("replay/dev/tasks.jsonl.gz"))}
    recorded: dict[tuple[str, str, str], dict[str, Any]] = {}
    for row in rows(shared_data(f"replay/dev/{source}.jsonl.gz")):
        recorded[row["bench"], row["task_id"], row["completion"]] = row

    def judged(row: dict[str, Any]) -> Execution:
        task = tasks[row["bench"], row["task_id"]]
        body = row["form"] == "body"
        code = task["prompt"] + row["completion"] if body else row["completion"]
        preamble = "" if body else task["preamble"]
        candidate = Candidate(task=Task("Do it.", preamble=preamble), code=code)
        failure = syntax_failure(candidate)
        if failure is not None:
            return reject(candidate, failure)
        tests = Assertions(task["test_suffix"], run_as="script")
        return run(code, preamble=preamble, tests=tests, seconds=6)

    chosen = list(recorded.values())[:: len(recorded) // MOST + 1]
    verdicts: list[str] = []
    classes: list[str] = []
    for row, result in zip(chosen, each(judged, chosen), strict=True):
        was, now = row["verified_full"]["result"], kind(result)
        if was != now:
            other = verdicts if "pass" in (was, now) else classes
            other.append(f"{row['run']} {row['task_id']} {row['attempt']}: {was}, now {now}")
    # At the edge of the time limit a program ends one way or the other.
    assert len(verdicts) <= len(chosen) // 1_000, "\n".join(verdicts)
    # A class may differ: code that ends in a decorator does not compile by itself, though it
    # does before the tests; `eval` raises SyntaxErrors; packages were not installed there.
    assert len(classes) <= len(chosen) // 100, "\n".join(classes)
