"""What each field of a published row with a function becomes in its problem."""

from typing import Any

import pytest

from planish_integrations.evaluation import Problem
from planish_integrations.evaluation._evalplus import from_evalplus
from planish_integrations.evaluation._humaneval import from_humaneval
from planish_integrations.evaluation._mbpp import from_mbpp


def found(problem: Problem | None) -> Problem:
    assert problem is not None
    return problem


MBPP: dict[str, Any] = {
    "task_id": 5,
    "text": "Add.",
    "code": "import re\ndef f(n): return n\ndef g(): pass\n",
    "test_list": ["assert f(1) == 1", "assert f(2) == 2"],
}


def test_the_tests_of_mbpp_follow_their_setup() -> None:
    more = {"challenge_test_list": ["assert f(3) == 3"], "test_setup_code": "a = 1"}
    problem = found(from_mbpp({**MBPP, **more, "test_imports": ["import os", "import sys"]}))
    assert (problem.bench, problem.task_id, problem.prompt) == ("MBPP", "5", "Add.")
    assert problem.tests == (
        "import os\nimport sys\na = 1\nassert f(1) == 1\nassert f(2) == 2\nassert f(3) == 3\n"
    )
    assert problem.visible_tests == ("assert f(1) == 1", "assert f(2) == 2")
    assert problem.counts == {"test_list": 2, "challenge_test_list": 1}
    assert (problem.entry_point, problem.canonical_solution) == ("f", MBPP["code"])
    assert found(from_mbpp(MBPP)).counts == {"test_list": 2}
    assert found(from_mbpp({**MBPP, "prompt": "Sum."})).prompt == "Sum."


def test_the_program_of_an_mbpp_plus_row_is_its_test() -> None:
    problem = found(from_mbpp({**MBPP, "test": "check()", "test_imports": ["import os"]}))
    assert (problem.bench, problem.tests) == ("MBPP+", "import os\ncheck()\n")
    assert problem.counts == {"test": 1}


@pytest.mark.parametrize(
    ("tests", "entry_point"),
    [
        (["assert f(1)"], "f"),
        (["assert f(1)", "assert g()"], None),
        (["assert h(1)"], None),
        (["assert A(1)"], "A"),
        (["assert b(1)"], "b"),
    ],
)
def test_the_entry_point_of_mbpp_is_the_one_definition_that_its_tests_use(
    tests: list[str], entry_point: str | None
) -> None:
    code = "def f(n): ...\ndef g(): ...\nclass A: ...\nasync def b(n): ...\nh = 1\n"
    assert found(from_mbpp({**MBPP, "code": code, "test_list": tests})).entry_point == entry_point


@pytest.mark.parametrize("lacking", ["task_id", "code", "text", "test_list"])
def test_a_row_without_a_field_of_mbpp_has_another_format(lacking: str) -> None:
    assert from_mbpp({key: value for key, value in MBPP.items() if key != lacking}) is None


HUMANEVAL = {"task_id": "HumanEval/1", "prompt": "def f(): ...", "entry_point": "f", "test": "t"}


def test_a_row_of_humaneval_needs_no_solution() -> None:
    problem = found(from_humaneval(HUMANEVAL))
    assert (problem.bench, problem.key) == ("HumanEval", "HumanEval/1")
    assert (problem.canonical_solution, problem.counts) == (None, {"test": 1})
    for lacking in HUMANEVAL:
        assert from_humaneval({k: v for k, v in HUMANEVAL.items() if k != lacking}) is None


PLUS: dict[str, Any] = {
    "entry_point": "f",
    "prompt": '"""Add.\n\n assert f(1) == 2\n not a test\n"""\n',
    "canonical_solution": "def f(n):\n    return n + 1\n",
    "base_input": [[1], [2]],
    "plus_input": {},
    "assertion": "\n  assert f(1) == 2\nprint(1)\nassert f(2) == 3\n",
}


def test_a_row_of_evalplus_is_of_the_benchmark_that_its_id_names() -> None:
    mbpp = found(from_evalplus({**PLUS, "task_id": "Mbpp/9000"}))
    human = found(from_evalplus({**PLUS, "task_id": "HumanEval/1"}))
    assert (mbpp.bench, human.bench) == ("MBPP+", "HumanEval+")
    assert mbpp.visible_tests == ("assert f(1) == 2", "assert f(2) == 3")
    assert human.visible_tests == ()
    assert mbpp.canonical_solution == PLUS["prompt"] + PLUS["canonical_solution"]
    assert mbpp.counts == {"base_input": 2, "plus_input": 0}
    assert (mbpp.entry_point, mbpp.preamble) == ("f", "")
    assert from_evalplus(MBPP) is None
