"""What each field of a contest's published row becomes in its problem."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from planish.data import Cases, StdioPairs
from planish.data.tests import Tolerance
from planish_integrations import evaluation
from planish_integrations.evaluation import Problem
from planish_integrations.evaluation._apps import from_apps
from planish_integrations.evaluation._codecontests import from_codecontests
from planish_integrations.evaluation._livecodebench import from_livecodebench

STDIO = "Write a program that reads standard input and writes standard output."
METHOD = "class Solution:\n    def f(self, n):\n"


def found(problem: Problem | None) -> Problem:
    assert problem is not None
    return problem


def apps(known: Mapping[str, Any], **fields: Any) -> Problem:
    row = {"id": 7, "question": " Do it.\n", "input_output": json.dumps(known), **fields}
    return found(from_apps(row))


CALLS = {"fn_name": "f", "inputs": [[1]], "outputs": [[2]]}
LINES = {"inputs": [["1", "2"], "3"], "outputs": ["a", ["b", "c"]]}


def test_programs_of_apps_read_lines_and_have_the_tolerance_of_its_judge() -> None:
    problem = apps(LINES, solutions=json.dumps([3, "one", "two"]))
    assert (problem.bench, problem.task_id, problem.entry_point) == ("APPS", "7", None)
    assert problem.prompt == f"Do it.\n\n{STDIO}\n"
    assert isinstance(problem.tests, StdioPairs)
    assert [(pair.stdin, pair.stdout) for pair in problem.tests.pairs] == [
        ("1\n2", "a"),
        ("3", "b\nc"),
    ]
    assert problem.tests.tolerance == Tolerance(absolute=1e-8, relative=1e-5)
    assert (problem.tests.compare, problem.tests.stop_at_first) == ("floats", True)
    assert (problem.canonical_solution, problem.counts) == ("one", {"input_output": 2})
    assert problem.visible_tests == ()


def test_functions_of_apps_begin_with_their_starter_code() -> None:
    problem = apps(CALLS, starter_code=f"\n{METHOD}")
    assert problem.entry_point == "Solution().f"
    assert problem.prompt == f"Do it.\n\nBegin with this:\n```python\n{METHOD.strip()}\n```\n"
    assert isinstance(problem.tests, Cases)
    assert problem.tests.sequences == "any"
    assert apps(CALLS).entry_point == "f"
    assert apps(CALLS, starter_code=None).prompt == "Do it.\n"


def test_the_solution_of_a_function_has_the_form_that_its_tests_call() -> None:
    solutions = json.dumps(["def g(n): ...", "def f(n): ...", METHOD])
    assert apps(CALLS, solutions=solutions).canonical_solution == "def f(n): ..."
    assert apps(CALLS, solutions=solutions, starter_code=METHOD).canonical_solution == METHOD
    assert apps(CALLS, solutions=json.dumps(["def g(n): ..."])).canonical_solution is None
    assert apps(CALLS, solutions="").canonical_solution is None
    assert apps(LINES).canonical_solution is None


@pytest.mark.parametrize(
    ("inputs", "arguments"),
    [([{"1": "a"}, {"2": 3}], ({1: "a"}, {"2": 3})), ([{"x": 1}], ({"x": 1},)), ([], ())],
)
def test_keys_of_a_first_argument_that_json_wrote_as_text_are_integers(
    inputs: list[Any], arguments: tuple[Any, ...]
) -> None:
    problem = apps({"fn_name": "f", "inputs": [inputs], "outputs": [7]})
    assert isinstance(problem.tests, Cases)
    (case,) = problem.tests.cases
    assert (case.args, case.expected) == (arguments, 7)


@pytest.mark.parametrize("lacking", ["id", "question", "input_output"])
def test_a_row_without_a_field_of_apps_has_another_format(lacking: str) -> None:
    row = {"id": 7, "question": "Do it.", "input_output": json.dumps(CALLS)}
    assert from_apps({key: value for key, value in row.items() if key != lacking}) is None


def contest(**fields: Any) -> Problem:
    row = {
        "name": "sum",
        "description": "Add.",
        "public_tests": [{"input": "1", "output": "2"}],
        "private_tests": {"input": ["3", "5"], "output": ["4", "6"]},
        "generated_tests": [],
    }
    return found(from_codecontests(row | fields))


def test_the_three_groups_of_codecontests_are_its_tests_the_public_ones_visible() -> None:
    problem = contest()
    assert (problem.bench, problem.task_id, problem.entry_point) == ("CodeContests", "sum", None)
    assert problem.prompt == f"Add.\n\n{STDIO}\n"
    assert isinstance(problem.tests, StdioPairs)
    pairs = [(pair.stdin, pair.stdout) for pair in problem.tests.pairs]
    assert pairs == [("1", "2"), ("3", "4"), ("5", "6")]
    assert problem.tests.tolerance == Tolerance(absolute=1e-5, relative=1e-5)
    assert isinstance(problem.visible_tests, StdioPairs)
    assert [pair.stdin for pair in problem.visible_tests.pairs] == ["1"]
    assert problem.counts == {"public_tests": 1, "private_tests": 2, "generated_tests": 0}
    assert contest(public_tests=[]).visible_tests == ()


@pytest.mark.parametrize(
    ("limit", "seconds"),
    [
        (None, None),
        (3, 3.0),
        (0.5, 0.5),
        (0, None),
        ("3", None),
        ({"seconds": 2}, 2.0),
        ({"nanos": 250_000_000}, 0.25),
        ({"seconds": 1, "nanos": 500_000_000}, 1.5),
        ({"seconds": "1", "nanos": 5}, None),
        ({"seconds": 1, "nanos": "5"}, None),
        ({}, None),
    ],
)
def test_the_time_limit_of_codecontests_is_that_of_each_pair(
    limit: Any, seconds: float | None
) -> None:
    problem = contest(time_limit=limit)
    assert isinstance(problem.tests, StdioPairs)
    assert isinstance(problem.visible_tests, StdioPairs)
    assert problem.tests.seconds_each == problem.visible_tests.seconds_each == seconds


@pytest.mark.parametrize(
    ("solutions", "solution"),
    [
        ({"language": [2, 3, 3], "solution": ["c", "one", "two"]}, "one"),
        ({"language": ["CPP", "PYTHON3"], "solution": ["c", "one"]}, "one"),
        ({"language": [3, 3], "solution": [None, "two"]}, "two"),
        ({"language": [1, 2, 4], "solution": ["python 2", "c", "java"]}, None),
        ({"language": [3]}, None),
        ({}, None),
        ("text", None),
        (None, None),
    ],
)
def test_the_solution_of_codecontests_is_the_first_in_python_3(
    solutions: Any, solution: str | None
) -> None:
    assert contest(solutions=solutions).canonical_solution == solution


@pytest.mark.parametrize("lacking", ["name", "description", "public_tests"])
def test_a_row_without_a_field_of_codecontests_has_another_format(lacking: str) -> None:
    row: dict[str, Any] = {"name": "sum", "description": "Add.", "public_tests": []}
    assert from_codecontests({k: value for k, value in row.items() if k != lacking}) is None


def livecodebench(kind: str, **fields: Any) -> Problem:
    public = [{"input": "1", "output": "2", "testtype": kind}]
    private = [{"input": "[3]\n4", "output": "5", "testtype": kind}]
    row = {
        "question_id": 12,
        "question_content": "Add.",
        "public_test_cases": public,
        "private_test_cases": private,
        "metadata": {"func_name": "f"},
    }
    return found(from_livecodebench(row | fields))


def test_programs_of_livecodebench_are_compared_by_value() -> None:
    problem = livecodebench("stdin")
    assert (problem.bench, problem.task_id) == ("LiveCodeBench", "12")
    assert (problem.entry_point, problem.prompt) == (None, f"Add.\n\n{STDIO}\n")
    assert isinstance(problem.tests, StdioPairs)
    assert [(pair.stdin, pair.stdout) for pair in problem.tests.pairs] == [
        ("1", "2"),
        ("[3]\n4", "5"),
    ]
    assert problem.tests.tolerance == Tolerance()
    assert isinstance(problem.visible_tests, StdioPairs)
    assert [pair.stdin for pair in problem.visible_tests.pairs] == ["1"]
    assert problem.counts == {"public_test_cases": 1, "private_test_cases": 1}
    assert livecodebench("stdin", public_test_cases=[]).visible_tests == ()


def test_functions_of_livecodebench_have_an_argument_a_line() -> None:
    problem = livecodebench("functional", starter_code=METHOD)
    assert problem.entry_point == "Solution().f"
    assert METHOD.strip() in problem.prompt
    assert STDIO not in problem.prompt
    assert isinstance(problem.tests, Cases)
    assert [(case.args, case.expected) for case in problem.tests.cases] == [
        ((1,), 2),
        (([3], 4), 5),
    ]
    assert livecodebench("functional", metadata='{"func_name": "g"}').entry_point == "g"


@pytest.mark.parametrize("lacking", ["question_id", "question_content", "tests"])
def test_a_row_without_a_field_of_livecodebench_has_another_format(lacking: str) -> None:
    row: dict[str, Any] = {
        "question_id": 1,
        "question_content": "Add.",
        "public_test_cases": [],
    }
    name = {"tests": "public_test_cases"}.get(lacking, lacking)
    assert from_livecodebench({k: value for k, value in row.items() if k != name}) is None


def test_the_tests_of_a_benchmark_are_counted_by_field() -> None:
    problems = [contest(), contest(), apps(LINES)]
    assert evaluation.test_counts(problems) == {
        "CodeContests": {
            "tasks": 2,
            "tests": {"public_tests": 2, "private_tests": 4, "generated_tests": 0},
        },
        "APPS": {"tasks": 1, "tests": {"input_output": 2}},
    }
