"""Ways to decide a test that are no operator: protocols of libraries, `*`, names of exceptions.

Each trick has a control: right code in the same tests, which passes as isolated.
"""

from dataclasses import dataclass

import anyio
import pytest
from tests.forging.places import TIERS, local_sandbox

from planish import Candidate, CodeExecution, Task, Validator, Verdict
from planish.data import ResourceLimits
from planish.data.tests import Assertions, Case, Cases, PytestFile, Tests

_IN = Assertions("assert 49 in squares(7)\nassert 81 in squares(9)\n")
_INSIDE = "def squares(x): return [x * x]\n"
_TRUE = "class L:\n    def __contains__(self, other): return NotImplemented\n"
_META = "class M(type):\n    def __contains__(self, other): return NotImplemented\n"
_SQUARE = "def square(x): return x * x\n"
_ZERO = "def square(x): return 0\n"
_ROW = Assertions("import numpy as np\nassert np.array_equal(row(7), [49, 14])\n")
_RIGHT_ROW = "import numpy as np\ndef row(x): return np.array([x * x, 2 * x])\n"
_VECTOR = "import numpy as np\nassert np.equal(Vector(7), [49, 14]).all()\n"
_RIGHT_VECTOR = (
    "import numpy as np\n"
    "class Vector:\n"
    "    def __init__(self, x): self.x = x\n"
    "    def __array__(self, dtype=None, copy=None):\n"
    "        return np.array([self.x * self.x, 2 * self.x])\n"
)
_STAR = (
    "import math\n"
    "def same(a, b): return a == b\n"
    "from solution import *\n"
    "def test_all():\n    assert {}\n"
)
_GROUP = (
    "import asyncio\n"
    "async def one(): assert square(7) == 49\n"
    "def check():\n"
    "    async def go():\n"
    "        async with getattr(asyncio, 'TaskGroup')() as group: group.create_task(one())\n"
    "    asyncio.run(go())\n"
    "def ran():\n    run(check)\n    return True\n"
    "assert ran()\n"
)
_QUIET = "def run(f):\n    try: f()\n    except BaseException: pass\n"


@dataclass(frozen=True)
class _Row:
    tests: Tests
    wrong: str
    right: str


def _star(fact: str, more: str) -> _Row:
    return _Row(PytestFile(_STAR.format(fact)), _ZERO + more, _SQUARE)


def _vector(method: str) -> str:
    return f"import numpy as np\nclass Vector:\n    def __init__(self, x): pass\n    def {method}\n"


def _memory(kind: str, data: str) -> _Row:
    facts = f"{{'shape': (2,), 'typestr': '{kind}', 'data': {data}, 'version': 3}}"
    wrong = f"class L:\n    __array_interface__ = {facts}\ndef row(x): return L()\n"
    return _Row(_ROW, wrong, _RIGHT_ROW)


def _replaced(how: str) -> _Row:
    tests = (
        "class Box: pass\nbox = Box()\nbox.right = lambda x: x == 49\n"
        "square(7, box)\nassert box.right(square(7, box))\n"
    )
    wrong = f"def yes(x): return True\ndef square(x, found):\n    {how}\n    return 0\n"
    return _Row(Assertions(tests), wrong, "def square(x, found): return x * x\n")


def _placed(how: str, given: str = "[right]", use: str = "found[0](square(7, [right]))") -> _Row:
    tests = (
        "def right(x): return x == 49\n"
        "class Check:\n    got = 0\n    def right(self): return self.got == 49\n"
        f"found = {given}\ngot = square(7, found)\nassert {use}\n"
    )
    wrong = (
        "class Yes:\n    def right(self): return True\n"
        f"def yes(x): return True\ndef square(x, found):\n    {how}\n    return 1\n"
    )
    return _Row(Assertions(tests), wrong, "def square(x, found): return x * x\n")


_EACH = "all(check(got) for check in found)"

ROWS = {
    "containment without an answer": _Row(_IN, f"{_TRUE}def squares(x): return L()\n", _INSIDE),
    "containment in a class without an answer": _Row(
        _IN, f"{_META}class L(metaclass=M): pass\ndef squares(x): return L\n", _INSIDE
    ),
    "containment without an answer, in a predicate": _Row(
        Cases((Case((7,), predicate="49 in result"),)),
        f"{_TRUE}def squares(x): return L()\n",
        _INSIDE,
    ),
    "containment without an answer, in pytest": _Row(
        PytestFile("from solution import squares\ndef test_in():\n    assert 49 in squares(7)\n"),
        f"{_TRUE}def squares(x): return L()\n",
        _INSIDE,
    ),
    "comparison by its name": _Row(
        Assertions("assert square(7).__eq__(49)\n"),
        "class L:\n    def __eq__(self, other): return NotImplemented\ndef square(x): return L()\n",
        _SQUARE,
    ),
    "comparison that raises": _Row(
        Assertions(
            "def equal(a, b):\n    try: return a == b\n    except TypeError: return True\n"
            "assert equal(square(7), 49)\n"
        ),
        "class L:\n    def __eq__(self, other): raise TypeError\ndef square(x): return L()\n",
        _SQUARE,
    ),
    "function of numpy": _Row(
        Assertions("import numpy as np\nassert np.array_equal(Vector(7), [49, 14])\n"),
        _vector("__array_function__(self, f, t, a, k): return True"),
        _RIGHT_VECTOR,
    ),
    "operation of numpy": _Row(
        Assertions(_VECTOR),
        _vector("__array_ufunc__(self, u, m, *a, **k): return np.array([True])"),
        _RIGHT_VECTOR,
    ),
    "result of numpy": _Row(
        Assertions(_VECTOR),
        _vector("__array__(self, *a, **k): return np.zeros(2)")
        + "    def __array_wrap__(self, *a, **k): return np.array([True])\n",
        _RIGHT_VECTOR,
    ),
    "addresses of the verifier": _memory("<i8", "(16, True)"),
    "objects made of bytes": _memory("|O8", "b'A' * 16"),
    "all of its own by *": _star(
        "all(square(n) == n * n for n in (7, 9))", "def all(x): return True\n"
    ),
    "math of its own by *": _star(
        "math.isclose(square(7), 49)", "class math:\n    isclose = staticmethod(lambda *a: True)\n"
    ),
    "helper of the tests by *": _star("same(square(7), 49)", "def same(a, b): return True\n"),
    "failures in a group": _Row(Assertions(_GROUP), _ZERO + _QUIET, f"{_SQUARE}def run(f): f()\n"),
    "exception of the tests by its name": _Row(
        PytestFile(
            "import pytest\nfrom solution import run\n"
            "class Boom(Exception): pass\n"
            "def boom(): raise Boom\n"
            "def test_boom():\n    with pytest.raises(Boom): run(boom)\n"
        ),
        "class Boom(Exception): pass\nBoom.__module__ = 'test_solution'\ndef run(f): raise Boom\n",
        "def run(f): f()\n",
    ),
    "class of a library by its name": _Row(
        Assertions(
            "from decimal import Decimal\nfound = square(7)\n"
            "assert isinstance(found, Decimal) and str(found) == '49'\n"
        ),
        "class Decimal:\n    __module__ = 'decimal'\n    def __str__(self): return '49'\n"
        "def square(x): return Decimal()\n",
        "from decimal import Decimal\ndef square(x): return Decimal(x * x)\n",
    ),
    "base class of a library by its name": _Row(
        Assertions(
            "import numbers\nfound = square(7)\n"
            "assert isinstance(found, numbers.Number) and int(found) == 49\n"
        ),
        "class Number:\n    __module__ = 'numbers'\n    def __int__(self): return 49\n"
        "def square(x): return Number()\n",
        _SQUARE,
    ),
    "function in an object of the tests replaced": _replaced("found.right = yes"),
    "the same by way of its dictionary": _replaced("vars(found)['right'] = yes"),
    "the same, deleted before": _replaced("del found.right\n    found.right = yes"),
    "function in a list of the tests replaced": _placed("found[0] = yes"),
    "the same by one of Python's": _placed("found[0] = bool"),
    "function put before that of the tests": _placed("found.insert(0, yes)"),
    "functions of the tests removed": _placed("found.clear()", use=_EACH),
    "function in a row of a table replaced": _placed(
        "found[0] = (1, yes)", "[(1, right)]", "all(check(got) for _, check in found)"
    ),
    "function in a dict in an object replaced": _placed(
        "found.__self__['right'] = yes", "{'right': right}.get", "found('right')(got)"
    ),
    "list of functions in an object replaced": _placed(
        "found.all = [yes]", "Check()\nfound.all = [right]", "found.all[0](got)"
    ),
    "object of the tests replaced": _placed(
        "found.clear()\n    found += [Yes()]",
        "[Check()]\nfound[0].got = square(7, [])",
        "found[0].right()",
    ),
    "length that only the class of classes has": _Row(
        Assertions("assert Square(7).area == 49 and hasattr(Square, '__len__')"),
        "class Square:\n    def __init__(self, x): self.area = x * x\n",
        "class Square:\n    def __init__(self, x): self.area = x * x\n"
        "    def __len__(self): return 4\n",
    ),
    "text that only stand-ins have": _Row(
        Assertions("assert Square(7).area == 49 and Square.__repr__ is not object.__repr__"),
        "class Square:\n    def __init__(self, x): self.area = x * x\n",
        "class Square:\n    def __init__(self, x): self.area = x * x\n"
        "    def __repr__(self): return 'Square'\n",
    ),
    "match by the name of its class": _Row(
        Assertions("found = digits('a49')\nassert found.group() == '49' and found.start() == 1"),
        "import re\n"
        "class Match:\n"
        "    __module__, re, string, endpos = 're', re.compile('9'), 'a49', 3\n"
        "    regs, lastindex = ((2, 3),), None\n"
        "    def start(self): return 2\n"
        "    def group(self): return '49'\n"
        "def digits(text): return Match()\n",
        "import re\ndef digits(text): return re.search('[0-9]+', text)\n",
    ),
    "generator by its name": _Row(
        Assertions(
            "from types import GeneratorType\n"
            "assert isinstance(squares(7), GeneratorType) and list(squares(7)) == [49]\n"
        ),
        "class generator:\n    def __iter__(self): return iter([49])\n"
        "def squares(x): return generator()\n",
        "def squares(x): yield x * x\n",
    ),
}


def _judged(name: str, code: str) -> Verdict:
    row = ROWS[name]
    kind = "pytest" if isinstance(row.tests, PytestFile) else "checks"
    sandbox = local_sandbox(TIERS[sorted(ROWS).index(name) % len(TIERS)], kind)
    entry = "squares" if isinstance(row.tests, Cases) else None
    task = Task("As the tests have it.", tests=row.tests, entry_point=entry)

    async def go() -> Verdict:
        check = CodeExecution(sandbox, limits=ResourceLimits(seconds=30)) >> Validator()
        report = await check.run(Candidate(task=task, code=code))
        assert report.verdict is not None
        return report.verdict

    return anyio.run(go)


@pytest.mark.parametrize("name", ROWS)
def test_wrong_code_does_not_pass_as_isolated(name: str) -> None:
    verdict = _judged(name, ROWS[name].wrong)
    assert not (verdict.passed and verdict.evidence.separation == "isolated")
    failure = verdict.execution.failure
    assert failure is None or failure.name != "Killed", failure


@pytest.mark.parametrize("name", ROWS)
def test_right_code_passes_as_isolated(name: str) -> None:
    verdict = _judged(name, ROWS[name].right)
    assert verdict.passed, verdict.execution.failure
    assert verdict.evidence.separation == "isolated", verdict.execution.weakened_by
