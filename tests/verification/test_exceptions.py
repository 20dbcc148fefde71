"""Exceptions of the code are what they are in one process, and decide nothing unnoticed."""

import pytest
from tests.verification.conftest import Run
from tests.verification.test_evidence import reasons

SEVERAL = """
class Wrong(Exception):
    def __init__(self, *parts):
        super().__init__(*parts)
        self.parts = parts
    def __len__(self): return len(self.parts)
    def __iter__(self): return iter(self.parts)
    def __getitem__(self, at): return self.parts[at]
    def __int__(self): return 404
    def __call__(self, n): return n + 1
    def __format__(self, form): return f"wrong:{form}"
    def __repr__(self): return f"Wrong{self.parts}"
def run(): raise Wrong("a", "b")
"""
COUNTED = """
class Wrong(Exception):
    code = 500
    def __init__(self, n):
        super().__init__(n)
        self.n = n
    def __str__(self): return f"[{self.code}] {self.n}"
    def more(self): self.n += 1
    @property
    def double(self): return 2 * self.n
    @double.setter
    def double(self, value):
        if value % 2: raise ValueError(value)
        self.n = value // 2
def run(): raise Wrong(1)
def name_of(error): return f"{type(error).__name__} {error.code} {error.n}"
"""
ISOLATED = {
    "special methods": (
        SEVERAL,
        (
            "assert len(e) == 2 and list(e) == ['a', 'b'] and e[1] == 'b'\n"
            "    assert int(e) == 404 and e(1) == 2 and f'{e:x}' == 'wrong:x'\n"
            "    assert repr(e) == \"Wrong('a', 'b')\""
        ),
        ("return 404", "return 405"),
    ),
    "attributes that change": (
        COUNTED,
        (
            "e.more(); assert e.n == 2 and e.double == 4 and vars(e) == {'n': 2}\n"
            "    e.n = 7; assert e.double == 14\n    e.double = 6; assert e.n == 3\n"
            "    e.note = 'x'; assert e.note == 'x' and e.__dict__ == {'n': 3, 'note': 'x'}\n"
            "    e.add_note('more'); assert e.__notes__ == ['more']\n"
            "    del e.note; assert not hasattr(e, 'note')\n"
            "    with unittest.TestCase().assertRaises(ValueError): e.double = 5"
        ),
        ("+= 1", "+= 2"),
    ),
    "copies": (
        COUNTED,
        (
            "import copy\n    one, two = copy.copy(e), copy.deepcopy(e)\n    one.more()\n"
            "    assert (e.n, one.n, two.n) == (1, 2, 1) and type(one) is Wrong"
        ),
        ("+= 1", "+= 2"),
    ),
    "a class of the tests": (
        COUNTED,
        (
            "class Mine(Wrong):\n"
            "        def __init__(self, n, extra):\n"
            "            super().__init__(n)\n"
            "            self.extra = extra\n"
            "        def label(self): return f'{self.n}-{self.extra}'\n"
            "    mine = Mine(5, 'x')\n"
            "    assert mine.args == (5,) and str(mine) == '[500] 5' and mine.label() == '5-x'\n"
            "    assert name_of(mine) == 'Mine 500 5'"
        ),
        ("code = 500", "code = 5"),
    ),
}
KEPT = """
class Lost(OSError):
    def __init__(self, number, text, path):
        super().__init__(number, text)
        self.path = path
class Quit(SystemExit):
    def __init__(self, code):
        super().__init__(code)
        self.why = "no"
class Wrong(Exception):
    found = [Lost(5, "lost", "here"), Quit(3)]
def run(): raise Wrong
"""
ISOLATED["what Python keeps"] = (
    KEPT,
    (
        "lost, quits = e.found\n"
        "    assert (lost.errno, lost.strerror, lost.path) == (5, 'lost', 'here')\n"
        "    assert (quits.code, quits.why) == (3, 'no')"
    ),
    ("Quit(3)", "Quit(4)"),
)
HEAD = """
import unittest
def test_error():
    try:
        run()
    except Wrong as error:
        e = error
    """
DECIDING = {
    "__eq__": "assert e == Wrong(9)",
    "__bool__": "assert e",
    "__contains__": "assert 9 in e",
    "__sub__": "assert abs(e - 9) < 1",
    "__lt__": "assert e < Wrong(9)",
    "__exit__": "with e: assert False",
}
LIAR = """
class Wrong(Exception):
    def __eq__(self, other): return True
    def __bool__(self): return True
    def __contains__(self, other): return True
    def __sub__(self, other): return 0
    def __lt__(self, other): return True
    def __enter__(self): return self
    def __exit__(self, *parts): return True
def run(): raise Wrong(0)
"""


@pytest.mark.parametrize("name", ISOLATED)
def test_an_exception_of_the_code_is_as_in_one_process(run: Run, name: str) -> None:
    code, tests, twin = ISOLATED[name]
    right = run(code, tests=HEAD + tests)
    assert [test.status for test in right.tests] == ["passed"], right.failure
    assert reasons(right) == set()
    wrong = run(code.replace(*twin), tests=HEAD + tests)
    assert [test.status for test in wrong.tests] == ["failed"]


@pytest.mark.parametrize("name", DECIDING)
def test_an_exception_that_decides_is_weaker_evidence(run: Run, name: str) -> None:
    result = run(LIAR, tests=HEAD + DECIDING[name])
    assert [test.status for test in result.tests] == ["passed"]
    why = f"an object of the code's own class 'Wrong' decided with {name}"
    assert why in result.weakened_by


GIVEN = """
class Boom(Exception):
    def __init__(self, n):
        super().__init__(n)
        self.n = n
    def __len__(self): return self.n
def boom(): raise Boom(3)
def test_given():
    assert size(boom) == 3
    try:
        again(boom)
    except Boom as error:
        assert (error.n, error.seen) == (3, 1)
"""
TAKES = """
def size(f):
    try: f()
    except Exception as error: return len(error)
def again(f):
    try:
        f()
    except Exception as error:
        error.seen = 1
        raise
"""


def test_an_exception_of_the_tests_is_so_for_the_code(run: Run) -> None:
    right = run(TAKES, tests=GIVEN)
    assert [test.status for test in right.tests] == ["passed"], right.failure
    assert reasons(right) == set()
    wrong = run(TAKES.replace("seen = 1", "seen = 2"), tests=GIVEN)
    assert [test.status for test in wrong.tests] == ["failed"]


MODEL = """
from pydantic import BaseModel
class Item(BaseModel):
    name: str
def make(**parts): return Item(**parts)
"""
REFUSED = """
from pydantic import ValidationError
try:
    make(name=3)
except ValidationError as error:
    assert error.error_count() == 1
else:
    raise AssertionError("accepted")
"""
LOADED = """
import importlib
importlib.import_module("pyd" + "antic")
try:
    make(name=3)
except ValueError as error:
    assert "name" in str(error)
else:
    raise AssertionError("accepted")
"""


@pytest.mark.parametrize("tests", [REFUSED, LOADED])
def test_exceptions_that_only_compiled_code_makes(run: Run, tests: str) -> None:
    pytest.importorskip("pydantic")
    right = run(MODEL, tests=tests, seconds=60)
    assert [test.status for test in right.tests] == ["passed"], right.failure
    assert right.separation == "shared_process"
    wrong = run("def make(**parts): pass\n", tests=tests, seconds=60)
    assert "passed" not in {test.status for test in wrong.tests}
