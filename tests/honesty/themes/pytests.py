"""pytest: helpers, threads, teardown, unittest within."""

from tests.honesty.program import pytest_file
from tests.honesty.themes.fixtures import STORE

__all__ = ["PROGRAMS"]

PROGRAMS = (
    pytest_file(
        "helpers, constants and classes in the test file",
        """
def parse(text):
    return [tuple(map(int, line.split("-"))) for line in text.splitlines() if line]
""",
        '''
"""Tests of the parser."""
import dataclasses
import pytest
from solution import parse

SAMPLE = """
1-2
3-4
"""

@dataclasses.dataclass
class Case:
    text: str
    want: list

CASES = [Case("1-2", [(1, 2)]), Case("", []), Case(SAMPLE, [(1, 2), (3, 4)])]

def check(case):
    __tracebackhide__ = True
    assert parse(case.text) == case.want

@pytest.mark.parametrize("case", CASES, ids=lambda c: repr(c.text))
def test_cases(case):
    check(case)

def test_bad():
    with pytest.raises(ValueError):
        parse("x-y")
''',
        wrong=('split("-")', 'split("-")[::-1]'),
    ),
    pytest_file(
        "fail, skip in the body after evidence of others, and importorskip",
        """
def parity(n):
    return "odd" if n & 1 else "even"
""",
        """
import pytest
from solution import parity

math = pytest.importorskip("math")

def test_parity():
    if parity(math.floor(3.5)) != "odd":
        pytest.fail("wrong parity")

def test_each(subtests=None):
    for n in range(10):
        assert parity(n) == ("even", "odd")[n % 2], n
""",
        wrong=("n & 1", "n & 2"),
    ),
    pytest_file(
        "async tests through asyncio.run, and threads",
        """
import asyncio, threading
class Hits:
    def __init__(self):
        self.n = 0
        self.lock = threading.Lock()
    def hit(self):
        with self.lock:
            self.n += 1
    async def ahit(self):
        await asyncio.sleep(0)
        self.hit()
def run(n):
    hits = Hits()
    threads = [threading.Thread(target=hits.hit) for _ in range(n)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return hits.n
""",
        """
import asyncio
from concurrent.futures import ThreadPoolExecutor
from solution import Hits, run

def test_async():
    h = Hits()
    async def main():
        await asyncio.gather(*(h.ahit() for _ in range(5)))
    asyncio.run(main())
    assert h.n == 5

def test_threads_of_the_candidate():
    assert run(8) == 8

def test_threads_of_the_test():
    h = Hits()
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: h.hit(), range(20)))
    assert h.n == 20
""",
        wrong=("self.n += 1", "self.n += 2"),
    ),
    pytest_file(
        "usefixtures, ordering of teardown, finalizers",
        """
EVENTS = []
def record(name):
    EVENTS.append(name)
    return list(EVENTS)
""",
        """
import pytest
import solution

@pytest.fixture
def first(request):
    solution.record("first")
    request.addfinalizer(lambda: solution.record("end first"))

@pytest.fixture
def second(first):
    solution.record("second")
    yield
    solution.record("end second")

@pytest.mark.usefixtures("second")
def test_order():
    assert solution.EVENTS == ["first", "second"]

def test_after():
    assert solution.EVENTS[2:] == ["end second", "end first"]
    solution.EVENTS.clear()
    assert solution.record("x") == ["x"]
""",
        wrong=("return list(EVENTS)", "return EVENTS[:-1]"),
    ),
    pytest_file(
        "unittest classes within a pytest file",
        STORE,
        """
import unittest
from solution import Store

class StoreTest(unittest.TestCase):
    def setUp(self):
        self.store = Store()
        self.addCleanup(self.store.close)
    def test_add(self):
        self.store.add("a", 3)
        self.assertEqual(self.store.total(), 3)
        self.assertIn("a", self.store.items)
    def test_many(self):
        for n in range(3):
            with self.subTest(n=n):
                self.assertIs(self.store.add("b", n), self.store)
        self.assertDictEqual(self.store.items, {"b": 3})

if __name__ == "__main__":
    unittest.main()
""",
        wrong=("return self\n", "return None\n"),
    ),
    pytest_file(
        "doctests of the candidate, run by the tests",
        '''
def triple(n):
    """Three times.

    >>> triple(2)
    6
    """
    return n * 3
''',
        """
import doctest
import solution

def test_triple():
    assert solution.triple(3) == 9
    assert ">>> triple(2)" in solution.triple.__doc__

def test_doctest():
    examples = doctest.DocTestParser().get_examples(solution.triple.__doc__)
    assert len(examples) == 1 and examples[0].want == "6\\n"
    assert str(eval(examples[0].source, {"triple": solution.triple})) == "6"
""",
        wrong=("n * 3", "n + 4"),
    ),
    pytest_file(
        "marks of parameters",
        """
def divide(a, b):
    return a / b
def is_prime(n):
    return n > 1 and all(n % d for d in range(2, int(n ** 0.5) + 1))
""",
        """
import sys
import pytest
from solution import divide, is_prime

@pytest.mark.parametrize("n, right", [
    (2, True),
    pytest.param(1, False, id="one"),
    pytest.param(4, False),
    pytest.param(9, True, marks=pytest.mark.xfail(reason="wrong on purpose")),
    pytest.param(3, True, marks=[pytest.mark.skip(reason="later")]),
    pytest.param(5, True, marks=pytest.mark.skipif(sys.platform == "linux", reason="linux")),
])
def test_prime(n, right):
    assert is_prime(n) is right

@pytest.mark.xfail(sys.version_info > (3, 0), reason="new", raises=ZeroDivisionError)
def test_zero():
    divide(1, 0)
""",
        wrong=("range(2, int", "range(3, int"),
    ),
    pytest_file(
        "what only one process has: log handlers, precision, docstrings, a module loaded again",
        """
import decimal, logging, os
LOG = logging.getLogger("app")
MODE = os.environ.get("MODE", "plain")
def third():
    \"\"\"Divide.

    >>> third() < 1
    True
    \"\"\"
    LOG.warning("dividing %d", 1)
    return decimal.Decimal(1) / 3
""",
        """
import decimal, doctest, importlib, logging
import solution

class Kept(logging.Handler):
    lines = []
    def emit(self, record):
        self.lines.append(record.getMessage())

def test_log():
    logging.getLogger("app").addHandler(Kept())
    solution.third()
    assert Kept.lines == ["dividing 1"]

def test_precision():
    with decimal.localcontext() as context:
        context.prec = 5
        assert str(solution.third()) == "0.33333"

def test_docstrings():
    assert doctest.testmod(solution) == (0, 1)

def test_mode(monkeypatch):
    monkeypatch.setenv("MODE", "loud")
    importlib.reload(solution)
    assert solution.MODE == "loud"
""",
        wrong=("decimal.Decimal(1) / 3", "decimal.Decimal(1) / 4"),
    ),
)
