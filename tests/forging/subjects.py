"""What the tests ask for."""

from tests.forging.named_subjects import NAMED_SUBJECTS
from tests.forging.subject import Subject, about, called

__all__ = ["SUBJECTS"]

SUBJECTS: dict[str, Subject] = {
    **NAMED_SUBJECTS,
    "square": called("square", "x * x", "0", ((1, 1), (7, 49), (9, 81))),
    "shout": called("shout", "x.upper() + '!'", "''", (("ab", "AB!"), ("x", "X!"))),
    "odds": called(
        "odds", "[n for n in x if n % 2]", "[]", (([1, 2, 3], [1, 3]), ([4, 5, 7], [5, 7]))
    ),
    "pair": called("pair", "(x, -x)", "()", ((2, (2, -2)), (5, (5, -5)))),
    "count": called(
        "count", "{c: x.count(c) for c in x}", "{}", (("aab", {"a": 2, "b": 1}), ("c", {"c": 1}))
    ),
    "unique": called("unique", "set(x)", "set()", (([1, 1, 2], {1, 2}), ([3], {3}))),
    "raw": called("raw", "x.encode()", "b''", (("ab", b"ab"), ("c", b"c"))),
    "even": called("even", "x % 2 == 0", "''", ((2, True), (3, False))),
    "nothing": called("nothing", "None", "0", ((1, None), (2, None))),
    "half": called("half", "x / 2", "9.0", ((3, 1.5), (5, 2.5))),
    "near": about(
        "half",
        "x / 2",
        "9.0",
        "abs(half(3) - 1.5) < 1e-9",
        "abs(2.5 - half(5)) < 1e-9",
        predicates=((3, "abs(result - 1.5) < 1e-9"), (5, "abs(2.5 - result) < 1e-9")),
    ),
    "near by name": about(
        "half",
        "x / 2",
        "9.0",
        "abs(found('half')(3) - 1.5) < 1e-9",
        "abs(2.5 - found('half')(5)) < 1e-9",
        before="def found(name):\n    return globals().get(name, abs)\n",
    ),
    "near, no entry point": about(
        "half",
        "x / 2",
        "9.0",
        "abs(half(3) - 1.5) < 1e-9",
        "abs(2.5 - half(5)) < 1e-9",
        named=False,
    ),
    "rounded": about(
        "half", "x / 2", "9.0", "round(half(3) - 1.5, 6) == 0", "round(2.5 - half(5), 6) == 0"
    ),
    "almost": about(
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
    "opened": about(
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
    "each": about(
        "each",
        "len([x(n, n * n) for n in (7, 9)])",
        "len([x(n, 0) for n in (7, 9)])",
        "each(looks) == 2",
        before=("def looks(n, value):\n    assert value == {7: 49, 9: 81}[n]\n"),
    ),
    "defaults": about(
        "each",
        "len([x(n, n * n) for n in (7, 9)])",
        "len([x(n, 0) for n in (7, 9)])",
        "each(looks) == 2",
        before=("def looks(n, value, wanted={7: 49, 9: 81}):\n    assert value == wanted[n]\n"),
    ),
    "mapped": about(
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
    "constants": about(
        "square",
        "x * x",
        "0",
        "square(7) == Wanted.SEVEN",
        "square(9) == Wanted.NINE",
        before="class Wanted:\n    SEVEN = 49\n    NINE = 81\n",
    ),
    "own path": about(
        "square",
        "x * x",
        "0",
        "colorsys.rgb_to_hsv(0, 0, square(9))[-1] == 81",
        before="import sys\nsys.path.insert(0, '.')\nimport colorsys\n",
    ),
    "approx": about(
        "half",
        "x / 2",
        "9.0",
        "half(3) == pytest.approx(1.5)",
        "half(5) == pytest.approx(2.5)",
        before="import pytest\n",
    ),
    "ordered": about("square", "x * x", "0", "48 < square(7) < 50", "80 < square(9) < 82"),
    "converted": about(
        "square",
        "x * x",
        "0",
        "int(square(7)) == 49",
        "str(square(9)) == '81'",
        "f'{square(8)}' == '64'",
        "float(square(6)) == 36.0",
    ),
    "contained": about(
        "odds",
        "[n for n in x if n % 2]",
        "[]",
        "len(odds([1, 2, 3])) == 2",
        "3 in odds([1, 2, 3])",
        "list(odds([5, 7])) == [5, 7]",
        "sorted(odds([9, 3])) == [3, 9]",
    ),
    "methods": about(
        "shout",
        "x.upper() + '!'",
        "''",
        "shout('ab').startswith('AB')",
        "shout('x').endswith('!')",
        "shout('ab').count('B') == 1",
    ),
    "truth": about("even", "x % 2 == 0", "3", "even(2) and not even(3)", "not even(7) and even(8)"),
    "kind": about(
        "square",
        "x * x",
        "0.5",
        "isinstance(square(7), int) and square(7) == 49",
        "type(square(9)) is int and square(9) == 81",
    ),
    "instance": about("square", "x * x", "0.5", "isinstance(square(7), int) and 49 == square(7)"),
    "summed by a library": about(
        "square",
        "x * x",
        "0",
        "statistics.mean([square(7)]) == 49",
        "max(square(9), 80) == 81",
        before="import statistics\n",
    ),
    "subset": about(
        "unique",
        "set(x)",
        "set()",
        "unique([1, 1, 2]).issubset({1, 2}) and unique([1]).issuperset({1})",
        "{3} == unique([3])",
    ),
    "keyed": about(
        "shout", "x.upper() + '!'", "''", "{'AB!': 1}[shout('ab')] == 1", "shout('x') in {'X!'}"
    ),
    "summed": about("square", "x * x", "0", "sum([square(7), square(9)]) == 130"),
    "called": about(
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
    "raised": about(
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
    "library": about(
        "square",
        "x * x",
        "0",
        "statistics.mean([square(7), square(7)]) == 49",
        "colorsys.rgb_to_hsv(0, 0, square(9))[2] == 81",
        "fractions.Fraction(square(2), 2) == 2",
        before="import statistics, colorsys, fractions\n",
    ),
    "executed": about(
        "source",
        "'value = 49'",
        "'value = 0'",
        "ran(source(0)) == 49",
        before="def ran(text):\n    names = {}\n    exec(text, names)\n    return names['value']\n",
    ),
    "unpickled": about(
        "packed",
        "__import__('pickle').dumps(x * x)",
        "b'N.'",
        "pickle.loads(packed(7)) == 49",
        "pickle.loads(packed(9)) == 81",
        before="import pickle\n",
    ),
    "named": about(
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
