"""What the tests ask for, each in every kind of tests that can say it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from planish.data.tests import Assertions, Case, Cases, PytestFile, Stdio, StdioPairs, Tests

__all__ = ["SUBJECTS", "Subject"]


@dataclass(frozen=True, kw_only=True)
class Subject:
    """One task.

    Attributes:
        names: What a candidate defines; the first is the entry point.
        right: Code that is right.
        wrong: Code that no test passes.
        facts: Expressions that are true for right code, each a test.
        cases: The same as rows of arguments and values, where it can be put so.
        before: Imports and helpers of the tests, in front of them.
        pairs: What a program reads, and what it should print.
        predicates: Rows of arguments and what must be true of `result`.
        named: The task names the entry point.
    """

    names: tuple[str, ...]
    right: str
    wrong: str
    facts: tuple[str, ...] = ()
    cases: tuple[tuple[Any, Any], ...] = ()
    before: str = ""
    pairs: tuple[tuple[str, str], ...] = ()
    predicates: tuple[tuple[Any, str], ...] = ()
    named: bool = True

    @property
    def entry(self) -> str | None:
        """What the task calls the entry point."""
        return self.names[0] if self.names and self.named else None

    @property
    def checks(self) -> str:
        """The facts as assert statements, one a line."""
        return self.before + self.lines

    @property
    def lines(self) -> str:
        """The facts alone."""
        return "".join(f"assert {fact}\n" for fact in self.facts)

    @property
    def unit(self) -> str:
        """The facts as a unittest class."""
        rows = [
            f"    def test_{number}(self):\n        {_asserted(fact)}\n"
            for number, fact in enumerate(self.facts)
        ]
        return f"import unittest\n{self.before}class TestAll(unittest.TestCase):\n{''.join(rows)}"

    @property
    def file(self) -> str:
        """The facts as a pytest file."""
        rows = [f"def test_{n}():\n    assert {fact}\n" for n, fact in enumerate(self.facts)]
        return f"from solution import {', '.join(self.names)}\n{self.before}{''.join(rows)}"

    @property
    def tests(self) -> Mapping[str, Tests]:
        """The tests, by kind."""
        found: dict[str, Tests] = {}
        if self.facts:
            found |= {
                "checks": Assertions(self.checks),
                "script": Assertions(self.checks, run_as="script"),
                "unittest": Assertions(self.unit),
                "pytest": PytestFile(self.file),
            }
        if self.cases:
            found["cases"] = Cases(tuple(Case((arg,), value) for arg, value in self.cases))
        if self.predicates:
            rows = [Case((arg,), predicate=text) for arg, text in self.predicates]
            found["predicates"] = Cases(tuple(rows))
        if self.pairs:
            found["stdio"] = StdioPairs(tuple(Stdio(*pair) for pair in self.pairs))
        return found


def _asserted(fact: str) -> str:
    left, equal, right = fact.partition(" == ")
    if equal and " and " not in fact:
        return f"self.assertEqual({left}, {right})"
    return f"self.assertTrue({fact})"


def _called(name: str, right: str, wrong: str, rows: tuple[tuple[Any, Any], ...]) -> Subject:
    return Subject(
        names=(name,),
        right=f"def {name}(x):\n    return {right}\n",
        wrong=f"def {name}(x):\n    return {wrong}\n",
        facts=tuple(f"{name}({arg!r}) == {value!r}" for arg, value in rows),
        cases=rows,
    )


def _about(
    name: str,
    right: str,
    wrong: str,
    *facts: str,
    before: str = "",
    named: bool = True,
    predicates: tuple[tuple[Any, str], ...] = (),
) -> Subject:
    return Subject(
        names=(name,),
        right=f"def {name}(x):\n    return {right}\n",
        wrong=f"def {name}(x):\n    return {wrong}\n",
        facts=facts,
        before=before,
        named=named,
        predicates=predicates,
    )


SUBJECTS: dict[str, Subject] = {
    "square": _called("square", "x * x", "0", ((1, 1), (7, 49), (9, 81))),
    "shout": _called("shout", "x.upper() + '!'", "''", (("ab", "AB!"), ("x", "X!"))),
    "odds": _called(
        "odds", "[n for n in x if n % 2]", "[]", (([1, 2, 3], [1, 3]), ([4, 5, 7], [5, 7]))
    ),
    "pair": _called("pair", "(x, -x)", "()", ((2, (2, -2)), (5, (5, -5)))),
    "count": _called(
        "count", "{c: x.count(c) for c in x}", "{}", (("aab", {"a": 2, "b": 1}), ("c", {"c": 1}))
    ),
    "unique": _called("unique", "set(x)", "set()", (([1, 1, 2], {1, 2}), ([3], {3}))),
    "raw": _called("raw", "x.encode()", "b''", (("ab", b"ab"), ("c", b"c"))),
    "even": _called("even", "x % 2 == 0", "''", ((2, True), (3, False))),
    "nothing": _called("nothing", "None", "0", ((1, None), (2, None))),
    "half": _called("half", "x / 2", "9.0", ((3, 1.5), (5, 2.5))),
    "near": _about(
        "half",
        "x / 2",
        "9.0",
        "abs(half(3) - 1.5) < 1e-9",
        "abs(2.5 - half(5)) < 1e-9",
        predicates=((3, "abs(result - 1.5) < 1e-9"), (5, "abs(2.5 - result) < 1e-9")),
    ),
    "near by name": _about(
        "half",
        "x / 2",
        "9.0",
        "abs(found('half')(3) - 1.5) < 1e-9",
        "abs(2.5 - found('half')(5)) < 1e-9",
        before="def found(name):\n    return globals().get(name, abs)\n",
    ),
    "near, no entry point": _about(
        "half",
        "x / 2",
        "9.0",
        "abs(half(3) - 1.5) < 1e-9",
        "abs(2.5 - half(5)) < 1e-9",
        named=False,
    ),
    "rounded": _about(
        "half", "x / 2", "9.0", "round(half(3) - 1.5, 6) == 0", "round(2.5 - half(5), 6) == 0"
    ),
    "almost": _about(
        "half",
        "x / 2",
        "9.0",
        "is_close(half(3), 1.5)",
        "is_close(half(5), 2.5)",
        before=(
            "import unittest\n"
            "def is_close(first, second):\n"
            "    unittest.TestCase().assertAlmostEqual(first, second)\n"
            "    return True\n"
        ),
    ),
    "opened": _about(
        "opened",
        "__import__('contextlib').nullcontext(x * x)",
        "__import__('contextlib').nullcontext(0)",
        "inside(opened, 7, 49)",
        "inside(opened, 9, 81)",
        before=(
            "def inside(context, x, wanted):\n"
            "    with context(x) as value:\n"
            "        assert value == wanted\n"
            "    return True\n"
        ),
    ),
    "each": _about(
        "each",
        "len([x(n, n * n) for n in (7, 9)])",
        "len([x(n, 0) for n in (7, 9)])",
        "each(looks) == 2",
        before=("def looks(n, value):\n    assert value == {7: 49, 9: 81}[n]\n"),
    ),
    "defaults": _about(
        "each",
        "len([x(n, n * n) for n in (7, 9)])",
        "len([x(n, 0) for n in (7, 9)])",
        "each(looks) == 2",
        before=("def looks(n, value, wanted={7: 49, 9: 81}):\n    assert value == wanted[n]\n"),
    ),
    "mapped": _about(
        "square",
        "x * x",
        "0",
        "each_is(map(square, [7, 9]), [49, 81])",
        before=(
            "def each_is(got, wanted):\n"
            "    for one, other in zip(wanted, got):\n"
            "        assert one == other\n"
            "    return True\n"
        ),
    ),
    "constants": _about(
        "square",
        "x * x",
        "0",
        "square(7) == Wanted.SEVEN",
        "square(9) == Wanted.NINE",
        before="class Wanted:\n    SEVEN = 49\n    NINE = 81\n",
    ),
    "own path": _about(
        "square",
        "x * x",
        "0",
        "colorsys.rgb_to_hsv(0, 0, square(9))[-1] == 81",
        before="import sys\nsys.path.insert(0, '.')\nimport colorsys\n",
    ),
    "approx": _about(
        "half",
        "x / 2",
        "9.0",
        "half(3) == pytest.approx(1.5)",
        "half(5) == pytest.approx(2.5)",
        before="import pytest\n",
    ),
    "ordered": _about("square", "x * x", "0", "48 < square(7) < 50", "80 < square(9) < 82"),
    "converted": _about(
        "square",
        "x * x",
        "0",
        "int(square(7)) == 49",
        "str(square(9)) == '81'",
        "f'{square(8)}' == '64'",
        "float(square(6)) == 36.0",
    ),
    "contained": _about(
        "odds",
        "[n for n in x if n % 2]",
        "[]",
        "len(odds([1, 2, 3])) == 2",
        "3 in odds([1, 2, 3])",
        "list(odds([5, 7])) == [5, 7]",
        "sorted(odds([9, 3])) == [3, 9]",
    ),
    "methods": _about(
        "shout",
        "x.upper() + '!'",
        "''",
        "shout('ab').startswith('AB')",
        "shout('x').endswith('!')",
        "shout('ab').count('B') == 1",
    ),
    "truth": _about(
        "even", "x % 2 == 0", "3", "even(2) and not even(3)", "not even(7) and even(8)"
    ),
    "kind": _about(
        "square",
        "x * x",
        "0.5",
        "isinstance(square(7), int) and square(7) == 49",
        "type(square(9)) is int and square(9) == 81",
    ),
    "instance": _about("square", "x * x", "0.5", "isinstance(square(7), int) and 49 == square(7)"),
    "summed by a library": _about(
        "square",
        "x * x",
        "0",
        "statistics.mean([square(7)]) == 49",
        "max(square(9), 80) == 81",
        before="import statistics\n",
    ),
    "subset": _about(
        "unique",
        "set(x)",
        "set()",
        "unique([1, 1, 2]).issubset({1, 2}) and unique([1]).issuperset({1})",
        "{3} == unique([3])",
    ),
    "keyed": _about(
        "shout", "x.upper() + '!'", "''", "{'AB!': 1}[shout('ab')] == 1", "shout('x') in {'X!'}"
    ),
    "summed": _about("square", "x * x", "0", "sum([square(7), square(9)]) == 130"),
    "called": _about(
        "report",
        "x(49) and x(81)",
        "x(0)",
        "recorded(report) == [49, 81]",
        before=(
            "from unittest import mock\n"
            "def recorded(f):\n"
            "    spy = mock.Mock(return_value=True)\n"
            "    f(spy)\n"
            "    spy.assert_called_with(81)\n"
            "    return [call.args[0] for call in spy.call_args_list]\n"
        ),
    ),
    "raised": _about(
        "check",
        "{}[x] if x else 0",
        "1",
        "error_of(check, 'k') == KeyError and check('') == 0",
        before=(
            "def error_of(f, x):\n    try: f(x)\n    except KeyError as error: return type(error)\n"
        ),
    ),
    "stacked": Subject(
        names=("Stack",),
        right=(
            "class Stack:\n"
            "    def __init__(self): self.items = []\n"
            "    def push(self, x): self.items.append(x)\n"
            "    def pop(self): return self.items.pop()\n"
        ),
        wrong=("class Stack:\n    def push(self, x): pass\n    def pop(self): return None\n"),
        facts=("popped(Stack(), [1, 2]) == [2, 1]", "popped(Stack(), 'ab') == ['b', 'a']"),
        before=(
            "def popped(stack, items):\n"
            "    for item in items: stack.push(item)\n"
            "    return [stack.pop() for _ in items]\n"
        ),
    ),
    "library": _about(
        "square",
        "x * x",
        "0",
        "statistics.mean([square(7), square(7)]) == 49",
        "colorsys.rgb_to_hsv(0, 0, square(9))[2] == 81",
        "fractions.Fraction(square(2), 2) == 2",
        before="import statistics, colorsys, fractions\n",
    ),
    "executed": _about(
        "source",
        "'value = 49'",
        "'value = 0'",
        "ran(source(0)) == 49",
        before="def ran(text):\n    names = {}\n    exec(text, names)\n    return names['value']\n",
    ),
    "unpickled": _about(
        "packed",
        "__import__('pickle').dumps(x * x)",
        "b'N.'",
        "pickle.loads(packed(7)) == 49",
        "pickle.loads(packed(9)) == 81",
        before="import pickle\n",
    ),
    "named": _about(
        "module_name",
        "'keyword'",
        "'colorsys'",
        "importlib.import_module(module_name(1)).iskeyword('if')",
        before="import importlib\n",
    ),
    "printed": Subject(
        names=(),
        right="n = int(input())\nprint(n * n)\n",
        wrong="print(0)\n",
        pairs=(("7\n", "49\n"), ("9\n", "81\n")),
    ),
}
