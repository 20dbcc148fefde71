"""Instrumented asserts mean what they meant."""

import ast
import builtins
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planish.guest.verifier.evidence import Evidence
from planish.guest.verifier.failure import Witness
from planish.guest.verifier.instrument import instrument
from planish.guest.verifier.record import Recorder

HOOK = "@test"


class Records(list[dict[str, Any]]):
    """What is put on record."""

    def put(self, kind: str, **fields: Any) -> None:
        self.append({"kind": kind, **fields})

    def states(self) -> list[tuple[int, str]]:
        return [(r["line"], r["state"]) for r in self if r["kind"] == "assert"]


def execute(source: str, *, with_hook: bool, names: dict[str, Any]) -> tuple[Records, str]:
    """Run source, and say what came of it."""
    records = Records()
    witness = Witness(records.put, "solution.py", "tests.py")
    recorder = Recorder(records.put, witness, Evidence(records.put))
    tree = ast.parse(source)
    if with_hook:
        instrument(tree, HOOK)
        setattr(builtins, HOOK, recorder.hook)
    try:
        exec(compile(tree, "tests.py", "exec"), names)  # noqa: S102  # what is tested
    except Exception as error:  # noqa: BLE001  # whatever the source raises
        return records, f"{type(error).__name__}: {error}"
    finally:
        if with_hook:
            delattr(builtins, HOOK)
    return records, "passed"


SOURCES = [
    "assert f(1) == 1",
    "assert f(1) == 2, f('message')",
    "assert f(0), f('message')",
    "assert not f(1)",
    "assert f(1) < f(2) < f(1)",
    "assert f(1) in f([1]), 'in'",
    "assert f(None) is not None",
    "assert f(0) or f(1) and f(2)",
    "assert (x := f(3)) == 3 and x == f(4)",
    "assert [f(i) for i in range(3)] == [0, 1, 2]",
    "assert f(1) == 1 if f(0) else f(2) == 3",
    "assert (f(1), 'always')",
    "def g():\n    assert f(1) == 1\n    assert f(2) == 3, 'two'\ng()",
    "def g():\n    yield 1\n    assert (yield 2) == None\n    yield 3\nassert list(g()) == [1, 2]",
    "class A:\n    y = f(1)\n    assert y == 2, y",
    "assert (lambda: f(1))() == 1",
    "for i in range(3):\n    assert f(i) != 2, i",
    "try:\n    assert f(1) == 2\nexcept AssertionError as e:\n    assert str(e) == ''",
    "assert f(1) == g",
    "assert 1 / f(0)",
    "import asyncio\nasync def h(): return f(2)\nasync def g(): assert await h()\nasyncio.run(g())",
    "assert f(1) == 1; assert f(2) == 1",
]


@pytest.mark.filterwarnings("ignore:assertion is always true")
@pytest.mark.parametrize("source", SOURCES)
def test_the_same_is_called_and_the_same_comes_of_it(source: str) -> None:
    outcomes: list[tuple[list[Any], str]] = []
    for with_hook in (False, True):
        calls: list[Any] = []

        def f(value: Any, calls: list[Any] = calls) -> Any:
            calls.append(value)
            return value

        _, outcome = execute(source, with_hook=with_hook, names={"f": f})
        outcomes.append((calls, outcome))
    assert outcomes[0] == outcomes[1]


SMALL = st.integers(0, 2) | st.none() | st.lists(st.integers(0, 2), max_size=2)
OPERATORS = ["==", "!=", "<", "<=", ">", ">=", "is", "is not", "in", "not in"]


@settings(deadline=None)
@given(SMALL, st.sampled_from(OPERATORS), SMALL)
def test_every_operator_means_the_same(left: Any, operator: str, right: Any) -> None:
    source = f"assert left {operator} right"
    names = {"left": left, "right": right}
    plain = execute(source, with_hook=False, names=dict(names))
    hooked = execute(source, with_hook=True, names=dict(names))
    assert plain[1] == hooked[1]


def test_a_loop_costs_three_records() -> None:
    records, outcome = execute("for i in range(1000):\n    assert i >= 0", with_hook=True, names={})
    assert outcome == "passed"
    assert records.states() == [(2, "begun"), (2, "passed"), (2, "repeated")]


def test_the_values_of_a_failure_are_recorded_after_it() -> None:
    records, _ = execute("x = [1]\nassert x == [1, 2]", with_hook=True, names={})
    assert records.states() == [(2, "begun"), (2, "failed")]
    assert records[-1] == {
        "kind": "values",
        "test": None,
        "line": 2,
        "operator": "Eq",
        "left": "[1]",
        "right": "[1, 2]",
    }


def test_an_assert_that_raises_was_begun_and_no_more() -> None:
    records, outcome = execute("assert 1 / 0 == 1", with_hook=True, names={})
    assert outcome == "ZeroDivisionError: division by zero"
    assert records.states() == [(1, "begun")]


def test_lines_and_columns_stay() -> None:
    source = "x = 1\nassert (\n    x\n    == 2\n), 'no'\n"
    tree = ast.parse(source)
    before = [(n.lineno, n.col_offset) for n in ast.walk(tree) if isinstance(n, ast.Name)]
    instrument(tree, HOOK)
    after = [
        (n.lineno, n.col_offset) for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id != HOOK
    ]
    assert sorted(before) == sorted(after)


def test_deeply_nested_code_is_walked() -> None:
    tree = ast.parse("x = " + "1 + " * 700 + "1\nassert x")
    instrument(tree, HOOK)
    assert ast.unparse(tree.body[1]).startswith("assert @test(2)")
