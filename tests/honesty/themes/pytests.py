"""pytest files: fixtures, parametrised and class-based tests, marks, plugins' fixtures."""

from tests.honesty.program import pytest_file

__all__ = ["PROGRAMS"]

STORE = """
class Store:
    opened = 0
    def __init__(self):
        Store.opened += 1
        self.items = {}
        self.closed = False
    def add(self, name, n=1):
        if self.closed:
            raise RuntimeError("closed")
        self.items[name] = self.items.get(name, 0) + n
        return self
    def total(self):
        return sum(self.items.values())
    def close(self):
        self.closed = True
"""

PROGRAMS = (
    pytest_file(
        "fixtures of all scopes",
        STORE,
        """
import pytest
from solution import Store

@pytest.fixture(scope="session")
def shared():
    s = Store()
    yield s
    s.close()

@pytest.fixture(scope="module")
def names():
    return ["a", "b"]

@pytest.fixture(scope="class")
def per_class():
    return Store()

@pytest.fixture
def store(names):
    s = Store()
    for n in names:
        s.add(n)
    yield s
    s.close()
    assert s.closed

@pytest.fixture(autouse=True)
def always(request):
    request.node.seen = Store.opened

def test_fresh(store):
    assert store.total() == 2
    store.add("c", 5)
    assert store.total() == 7

def test_fresh_again(store, shared):
    assert store.total() == 2
    shared.add("s")

def test_shared(shared):
    assert shared.total() == 1 and not shared.closed

class TestClass:
    def test_one(self, per_class):
        per_class.add("x")
    def test_two(self, per_class):
        assert per_class.total() == 1
""",
        wrong=("sum(self.items.values())", "len(self.items)"),
    ),
    pytest_file(
        "parametrised: values, ids, stacked, indirect",
        """
def fizz(n):
    return "Fizz" * (n % 3 == 0) + "Buzz" * (n % 5 == 0) or str(n)
""",
        """
import pytest
from solution import fizz

FIVE = pytest.param(5, "Buzz", id="five")

@pytest.mark.parametrize("n, expected", [(1, "1"), (3, "Fizz"), FIVE, (15, "FizzBuzz")])
def test_values(n, expected):
    assert fizz(n) == expected

@pytest.mark.parametrize("a", [1, 2])
@pytest.mark.parametrize("b", [15, 30])
def test_stacked(a, b):
    assert fizz(a * b) == "FizzBuzz"

@pytest.fixture
def number(request):
    return request.param * 3

@pytest.mark.parametrize("number", [1, 2], indirect=True)
def test_indirect(number):
    assert fizz(number) == "Fizz"

@pytest.fixture(params=[7, 11])
def prime(request):
    return request.param

def test_fixture_params(prime):
    assert fizz(prime) == str(prime)
""",
        wrong=("n % 5 == 0", "n % 5 == 1"),
    ),
    pytest_file(
        "parametrised over the candidate's own values",
        """
from enum import Enum
class Planet(Enum):
    EARTH = 1.0
    MARS = 0.38
    def weigh(self, kg):
        return kg * self.value
SHAPES = {"square": lambda a: a * a, "cube": lambda a: a ** 3}
def identity(x):
    return x
""",
        """
import pytest
from solution import Planet, SHAPES, identity

@pytest.mark.parametrize("planet", list(Planet))
def test_planets(planet):
    assert planet.weigh(10) == 10 * planet.value

@pytest.mark.parametrize("planet, expected", [(Planet.EARTH, 2.0), (Planet.MARS, 0.76)])
def test_weights(planet, expected):
    assert planet.weigh(2) == pytest.approx(expected)

@pytest.mark.parametrize("name", sorted(SHAPES))
def test_shapes(name):
    assert SHAPES[name](1) == 1

@pytest.mark.parametrize("function", [identity, SHAPES["square"]])
def test_functions(function):
    assert function(1) == 1
""",
        wrong=("kg * self.value", "kg * self.value + 1"),
    ),
    pytest_file(
        "class-based with setup_method and setup_class",
        STORE,
        """
import pytest
from solution import Store

class TestStore:
    @classmethod
    def setup_class(cls):
        cls.base = Store().add("base", 2)
    @classmethod
    def teardown_class(cls):
        cls.base.close()
    def setup_method(self):
        self.store = Store()
    def teardown_method(self):
        self.store.close()
    def test_empty(self):
        assert self.store.total() == 0 and not self.store.items
    def test_chained(self):
        assert self.store.add("a").add("a").items == {"a": 2}
    def test_base(self):
        assert self.base.total() == 2
    def test_closed(self):
        self.store.close()
        with pytest.raises(RuntimeError, match="closed"):
            self.store.add("x")

def setup_module(module):
    module.MARK = Store.opened

def setup_function(function):
    function.ready = True

def test_function():
    assert MARK == 0 and test_function.ready
""",
        wrong=('RuntimeError("closed")', 'RuntimeError("shut")'),
    ),
    pytest_file(
        "one test skipped by its author",
        """
def add(a, b):
    return a + b
""",
        """
import sys
import pytest
from solution import add

def test_add():
    assert add(1, 2) == 3

@pytest.mark.skip(reason="slow")
def test_slow():
    assert add(10**6, 1) == 0

@pytest.mark.skipif(sys.platform == "win32", reason="no windows")
def test_platform():
    assert add(0, 0) == 0

@pytest.mark.skipif(sys.version_info >= (3, 5), reason="old only")
def test_old():
    assert False
""",
        wrong=("a + b", "a - b"),
    ),
    pytest_file(
        "an expected failure of the tests' author",
        """
def half(n):
    return n / 2
""",
        """
import pytest
from solution import half

@pytest.mark.xfail(reason="floats")
def test_exact():
    assert half(0.3) == 0.1

@pytest.mark.xfail(raises=TypeError, strict=True)
def test_text():
    half("a")

def test_half():
    assert half(4) == 2
""",
        wrong=("n / 2", "n / 3"),
    ),
    pytest_file(
        "tmp_path, tmp_path_factory, request, getfixturevalue",
        """
import shutil
from pathlib import Path
def backup(path):
    target = Path(str(path) + ".bak")
    shutil.copy(path, target)
    return target
""",
        """
import pytest
from solution import backup

@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("data")

def test_backup(folder):
    source = folder / "a.txt"
    source.write_text("hello")
    copy = backup(source)
    assert copy.read_text() == "hello" and copy.name == "a.txt.bak" and copy.parent == folder
    assert copy.exists() and copy != source and copy.suffix == ".bak"

def test_request(request, tmp_path):
    assert request.getfixturevalue("tmp_path") == tmp_path
    with pytest.raises(FileNotFoundError):
        backup(tmp_path / "missing")

def test_tmpdir(tmpdir):
    p = tmpdir.join("x")
    p.write("1")
    assert backup(str(p)).read_text() == "1"
""",
        wrong=('".bak"', '".old"'),
    ),
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
)
