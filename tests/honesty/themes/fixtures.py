"""pytest: fixtures, parametrised and class-based tests, skips."""

from tests.honesty.program import pytest_file

__all__ = ["PROGRAMS", "STORE"]

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
)
