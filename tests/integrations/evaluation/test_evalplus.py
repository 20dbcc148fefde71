"""HumanEval+ and MBPP+ run whole, base and plus inputs, or are refused with the reason."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.integrations.evaluation.small import HUMANEVAL, Rows

from planish import Candidate, CodeExecution, Validator
from planish.data import Assertions, ResourceLimits
from planish_integrations.evaluation import DatasetError, Problem, load_problems
from planish_integrations.evaluation._mbpp import restore_inputs
from planish_integrations.local import LocalSandbox

Write = Callable[[str, Rows], Path]

HUMAN: dict[str, Any] = {
    **HUMANEVAL,
    "contract": "",
    "base_input": [[4], [9]],
    "plus_input": [[7], [-3], [10**30]],
    "atol": 0,
}
MBPP: dict[str, Any] = {
    "task_id": "Mbpp/4000",
    "prompt": '"""\nWrite a function that adds.\nassert plus(1, 2) == 3\n"""\n',
    "entry_point": "plus",
    "canonical_solution": "\ndef plus(a, b):\n    return a + b\n",
    "base_input": [[1, 2]],
    "plus_input": [[0.1, 0.2], [-1, 1]],
    "atol": 0,
    "contract": "",
    "assertion": "\nassert plus(1, 2) == 3\n",
}
TABLE: dict[str, Any] = {
    "task_id": 4001,
    "prompt": "Write a function that adds.",
    "code": "def plus(a, b):\n    return a + b\n",
    "source_file": "",
    "test_imports": ["import math"],
    "test_list": ["assert plus(1, 2) == 3"],
    "test": (
        "def assertion(out, exp):\n    assert math.isclose(out, exp), f'{out} {exp}'\n"
        "for args, exp in zip([[1, 2], [0.1, 0.2]], [3, 0.3]):\n    assertion(plus(*args), exp)\n"
    ),
}


async def score(problem: Problem, code: str | None) -> float | None:
    sandbox = LocalSandbox()
    judge = CodeExecution(sandbox, limits=ResourceLimits(seconds=30)) >> Validator()
    candidate = Candidate(task=problem.task(), code=code or "")
    return (await judge.run(candidate)).score


def load(write: Write, row: Mapping[str, Any]) -> Problem:
    (problem,) = load_problems(write("t.jsonl.gz", [row])).problems
    return problem


@pytest.mark.anyio
async def test_base_and_plus_inputs_are_tests_of_their_own(write: Write) -> None:
    problem = load(write, HUMAN)
    assert (problem.bench, problem.key) == ("HumanEval+", "HumanEval+:HumanEval/0")
    assert problem.counts == {"base_input": 2, "plus_input": 3}
    assert problem.visible_tests == ("assert half(4) == 2",)
    assert await score(problem, problem.canonical_solution) == 1.0
    assert await score(problem, "def half(n):\n    return int(n / 2)\n") == 3 / 5
    assert await score(problem, "def half(n):\n    return {4: 2, 9: 4}[n]\n") == 2 / 5
    assert await score(problem, "def half(n): pass\n") == 0.0


@pytest.mark.anyio
async def test_a_problem_of_mbpp_plus_runs_whole(write: Write) -> None:
    problem = load(write, MBPP)
    assert (problem.bench, problem.key) == ("MBPP+", "MBPP+:Mbpp/4000")
    assert problem.visible_tests == ("assert plus(1, 2) == 3",)
    assert await score(problem, problem.canonical_solution) == 1.0
    assert await score(problem, "def plus(a, b): return a + b + 1e-9\n") == 1 / 3
    assert await score(problem, "def plus(a, b): return abs(a) + abs(b)\n") == 2 / 3


@pytest.mark.anyio
async def test_a_table_row_of_mbpp_plus_runs_its_test(write: Write) -> None:
    problem = load(write, TABLE)
    assert (problem.bench, problem.entry_point) == ("MBPP+", "plus")
    assert await score(problem, problem.canonical_solution) == 1.0
    assert await score(problem, "def plus(a, b): return 3\n") == 0.0


@pytest.mark.anyio
async def test_mbpp_itself_is_read_with_all_its_tests(write: Write) -> None:
    row = {
        "task_id": 11,
        "text": "Add.",
        "code": TABLE["code"],
        "test_list": ["assert plus(1, 2) == 3", "assert plus(0, 0) == 0"],
        "test_setup_code": "",
        "challenge_test_list": ["assert plus(-1, 1) == 0"],
    }
    problem = load(write, row)
    assert (problem.key, problem.counts) == (
        "MBPP:11",
        {"test_list": 2, "challenge_test_list": 1},
    )
    assert await score(problem, problem.canonical_solution) == 1.0
    assert await score(problem, "def plus(a, b): return abs(a) + abs(b)\n") == 2 / 3


def mbpp(name: str, code: str, *inputs: list[Any], atol: float = 0, number: int = 4000) -> Any:
    return {
        **MBPP,
        "task_id": f"Mbpp/{number}",
        "entry_point": name,
        "canonical_solution": code,
        "base_input": list(inputs[:1]),
        "plus_input": list(inputs[1:]),
        "atol": atol,
    }


def zero(plus: Any) -> dict[str, Any]:
    return {
        **HUMAN,
        "entry_point": "find_zero",
        "prompt": "def find_zero(xs):\n",
        "canonical_solution": "    return 1.0\n",
        "base_input": [[[-4, 0, 1]]],
        "plus_input": plus,
        "atol": 1e-4,
    }


# Function and parameter, what the canonical solution returns, an argument, and what another
# solution returns; whether that is right.
SPECIAL: list[tuple[str, str, Any, str, bool]] = [
    ("Diff(a)", "a", [1, 2], "[2, 1, 1]", True),
    ("Diff(a)", "a", [1, 2], "[2, 2]", False),
    ("check_str(s)", "s or None", "a", "7", True),
    ("check_str(s)", "s or None", "", "7", False),
    ("check_str(s)", "s or None", "", "False", True),
    ("sum_div(n)", "n", 3, "0", True),
    ("sum_div(n)", "n", 3, "1", False),
    ("are_equivalent(n)", "n", 3, "1", True),
    ("surface_Area(b, s=4)", "2 * b * s + b * b", 3, "33", True),
    ("surface_Area(b, s=4)", "2 * b * s + b * b", 3, "34", False),
    ("digit_distance_nums(a, b=345)", "0", 12, "9", False),
    ("f(n)", "n / 3", 1, "n / 3 + 1e-7", True),
    ("f(n)", "n / 3", 1, "n / 3 + 1e-5", False),
    ("f(n)", "[n / 3, 2.0]", 1, "[0.33333333, 2.0]", True),
    ("f(n)", "[n / 3]", 1, "(0.33333333,)", False),
    ("f(n)", "float('nan')", 1, "float('nan')", True),
    ("f(n)", "float('nan')", 1, "1.0", False),
    ("f(x)", "x.sort() or x", [3, 1], "sorted(x)", True),
]


@pytest.mark.anyio
@pytest.mark.parametrize(("head", "gives", "argument", "other", "right"), SPECIAL)
async def test_results_are_compared_as_published(
    write: Write,
    head: str,
    gives: str,
    argument: Any,
    other: str,
    right: bool,  # noqa: FBT001
) -> None:
    row = mbpp(head.partition("(")[0], f"def {head}: return {gives}", [argument])
    assert (await score(load(write, row), f"def {head}: return {other}") == 1.0) == right


@pytest.mark.anyio
async def test_two_readings_of_a_problem_are_both_right(write: Write) -> None:
    head = "def surface_Area(b, s): return "
    area = load(write, mbpp("surface_Area", f"{head}2 * b * s + b * b", [3, 4]))
    assert await score(area, f"{head}35") == 1.0  # the height is not that of a side
    head = "def digit_distance_nums(a, b): return "
    digits = load(write, mbpp("digit_distance_nums", f"{head}0", [12, 345]))
    assert await score(digits, f"{head}9") == 1.0


@pytest.mark.anyio
async def test_the_published_tolerance_and_types_hold(write: Write) -> None:
    near = load(write, mbpp("f", "def f(n): return [n, [n]]", [1.5], atol=0.5))
    assert await score(near, "def f(n): return [n, [n - 0.4]]") == 1.0
    assert await score(near, "def f(n): return [n, [n - 0.6]]") == 0.0
    restored = load(write, mbpp("f", "def f(x): return x[0]", [[1]], number=2))
    assert await score(restored, "def f(x): return x[0] if type(x) is tuple else 0") == 1.0


@pytest.mark.anyio
@pytest.mark.parametrize(("root", "right"), [(-2.00000001, True), (1.0, False)])
async def test_any_zero_of_a_polynomial_is_right(write: Write, root: float, right: bool) -> None:  # noqa: FBT001
    empty: list[Any] = [[], {}]  # as releases write an empty list
    for plus in empty:
        problem = load(write, zero(plus))
        assert (await score(problem, f"def find_zero(xs): return {root}") == 1.0) == right


REFUSED: list[tuple[Mapping[str, Any], str]] = [
    ({k: v for k, v in HUMAN.items() if k != "plus_input"}, "its plus_input is missing"),
    ({k: v for k, v in HUMAN.items() if k != "base_input"}, "its base_input is missing"),
    ({**HUMAN, "canonical_solution": None}, "has inputs but no canonical_solution"),
    ({**HUMAN, "plus_input": [4]}, "values other than lists of arguments"),
    ({**HUMAN, "base_input": [], "plus_input": []}, "has no inputs"),
    ({**HUMAN, "atol": "small"}, "its atol 'small' is not a number"),
    ({**HUMAN, "canonical_solution": "    return ("}, "its canonical solution does not parse"),
    ({**HUMAN, "entry_point": "third"}, "does not define third"),
    (
        mbpp("f", "from math import *\ndef f(n): return n", [1]),
        r"cannot run in a candidate's process: from math import \*",
    ),
    (mbpp("f", "def f(n): return n", [1], number=2), "its inputs are not those of Mbpp/2"),
    ({**TABLE, "test": None, "test_list": []}, "has no tests: its test_list is empty"),
    ({**TABLE, "test_list": ["assert ("]}, "does not parse"),
]


@pytest.mark.parametrize(("row", "reason"), REFUSED)
def test_what_cannot_be_run_whole_is_refused(
    write: Write, row: Mapping[str, Any], reason: str
) -> None:
    with pytest.raises(DatasetError, match=reason):
        load_problems(write("t.jsonl", [row]))


JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.lists(JSON, max_size=3), min_size=1, max_size=4), st.integers(0, 4))
def test_any_inputs_become_test_code_with_a_check_for_each(
    inputs: list[list[Any]], base: int
) -> None:
    from planish_integrations.evaluation._evalplus import from_evalplus  # noqa: PLC0415

    row = {**HUMAN, "base_input": inputs[:base], "plus_input": inputs[base:]}
    problem = from_evalplus(row)
    assert problem is not None
    tests = problem.task().tests
    assert isinstance(tests, Assertions)
    names = [check.name for check in tests.checks()]
    counts = problem.counts
    assert sum(counts.values()) == len(names) == len(inputs)
    assert names == [f"check_{field}({n})" for field, count in counts.items() for n in range(count)]


def test_numbers_of_any_length_are_read(write: Write) -> None:
    problem = load(write, {**HUMAN, "plus_input": [[10**3000]]})
    path = write("u.jsonl", [HUMAN])
    path.write_text(path.read_text().replace(str(10**30), "9" * 10_000))
    (long,) = load_problems(path).problems
    assert problem.counts == {"base_input": 2, "plus_input": 1}
    assert hex(10**10_000 - 1) in str(long.tests)


RESTORED: list[tuple[int, list[Any], list[Any]]] = [
    (1, [[1], 2], [[1], 2]),
    (2, [[1, 2], [3]], [(1, 2), (3,)]),
    (63, [[[1, 2]]], [[(1, 2)]]),
    (75, [[[1, 2]], 3], [[(1, 2)], 3]),
    (106, [[1], [2]], [[1], (2,)]),
    (115, [[[1, 1], [], {}]], [[{1}, {}, {}]]),
    (124, ["1", "2j"], [1.0, 2j]),
    (250, [[1], 2], [(1,), 2]),
    (252, ["1+2j"], [1 + 2j]),
    (259, [[[1], [2]]], [((1,), (2,))]),
    (278, [[1, [2]]], [(1, (2,))]),
    (307, [[1], 2, 3], [(1,), 2, 3]),
    (580, [[1, [2, []]]], [(1, (2, ()))]),
    (722, [{"a": [1]}, 2], [{"a": (1,)}, 2]),
]


@pytest.mark.parametrize(("number", "arguments", "restored"), RESTORED)
def test_the_inputs_of_mbpp_plus_have_their_types_back(
    number: int, arguments: list[Any], restored: list[Any]
) -> None:
    (found,) = restore_inputs(f"Mbpp/{number}", [arguments])
    assert found == restored
    assert repr(found) == repr(restored)
