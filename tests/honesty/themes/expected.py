"""Exceptions that the tests expect, of many kinds."""

from tests.honesty.program import checks, pytest_file

__all__ = ["PROGRAMS"]

PROGRAMS = (
    checks(
        "RecursionError tested with unittest, as published",
        """
def rows(row_count):
    if row_count < 0:
        raise ValueError("number of rows is negative")
    if row_count == 0:
        return []
    previous = rows(row_count - 1)
    if not previous:
        return [[1]]
    last = previous[-1]
    return previous + [[1, *(a + b for a, b in zip(last, last[1:])), 1]]
""",
        """
import sys
import unittest

class PascalsTriangleTest(unittest.TestCase):
    def test_four_rows(self):
        self.assertEqual(rows(4), [[1], [1, 1], [1, 2, 1], [1, 3, 3, 1]])

    def test_negative(self):
        with self.assertRaises(ValueError) as err:
            rows(-1)
        self.assertEqual(err.exception.args[0], "number of rows is negative")

    def test_solution_is_recursive(self):
        with self.assertRaises(RecursionError) as err:
            rows(sys.getrecursionlimit() + 10)
        self.assertEqual(type(err.exception), RecursionError)
        self.assertEqual(
            err.exception.args[0][:32], "maximum recursion depth exceeded"
        )
""",
        wrong=("a + b for", "a * b for"),
    ),
    pytest_file(
        "RecursionError in pytest, through callbacks of the tests",
        """
def call(function, n):
    return function(call, n)

def flatten(items):
    out = []
    for item in items:
        out += flatten(item) if isinstance(item, list) else [item]
    return out
""",
        """
import pytest
from solution import call, flatten

def test_between():
    with pytest.raises(RecursionError):
        call(lambda f, n: f(lambda g, m: g(lambda h, k: h(h, k), m), n), 1)

def test_self():
    a = []
    a.append(a)
    with pytest.raises(RecursionError):
        flatten(a)

def test_deep():
    deep = []
    for _ in range(200):
        deep = [deep, 1]
    assert flatten(deep) == [1] * 200
""",
        wrong=("else [item]", "else [item, item]"),
    ),
    checks(
        "recursion of candidate and tests in turn",
        """
def visit(tree, function):
    return function(tree, lambda child: visit(child, function))
""",
        """
def total(tree, recurse):
    value, children = tree
    return value + sum(map(recurse, children))
assert visit((1, [(2, []), (3, [(4, [])])]), total) == 10
deep = (1, [])
for _ in range(40):
    deep = (1, [deep])
assert visit(deep, total) == 41
""",
        wrong=("visit(child, function)", "visit(child, function) + 1"),
    ),
    checks(
        "KeyError, StopIteration, SystemExit, KeyboardInterrupt caught by tests",
        """
def leave(how):
    if how == "exit":
        raise SystemExit(3)
    if how == "key":
        return {}["k"]
    if how == "stop":
        return next(iter(()))
    if how == "interrupt":
        raise KeyboardInterrupt
    import sys
    sys.exit("bye")
""",
        """
for how, kind, args in [
    ("exit", SystemExit, (3,)), ("key", KeyError, ("k",)), ("stop", StopIteration, ()),
    ("interrupt", KeyboardInterrupt, ()), ("", SystemExit, ("bye",)),
]:
    try:
        leave(how)
    except BaseException as error:
        assert type(error) is kind and error.args == args, (how, error)
        if kind is SystemExit:
            assert error.code == args[0]
    else:
        assert False
""",
        wrong=("SystemExit(3)", "SystemExit(4)"),
    ),
    checks(
        "exceptions with attributes: OSError, UnicodeError, ImportError",
        """
def missing(path):
    return open(path)
def decode(data):
    return data.decode("ascii")
def load(name):
    return __import__(name)
def attribute(x):
    return x.nothing
def name():
    return undefined_name
""",
        """
import errno
try:
    missing("/no/such/file")
except FileNotFoundError as e:
    assert e.errno == errno.ENOENT
    assert e.filename == "/no/such/file" and "No such file" in e.strerror
try:
    decode(b"a\\xff")
    assert False
except UnicodeDecodeError as e:
    assert (e.start, e.end, e.encoding, e.object) == (1, 2, "ascii", b"a\\xff")
try:
    load("no_such_module_at_all")
    assert False
except ModuleNotFoundError as e:
    assert e.name == "no_such_module_at_all"
try:
    attribute(3)
    assert False
except AttributeError as e:
    assert e.name == "nothing" and e.obj == 3
try:
    name()
    assert False
except NameError as e:
    assert e.name == "undefined_name"
""",
        wrong=('"ascii"', '"latin-1"'),
    ),
    checks(
        "an exception returned, stored, raised again by identity",
        """
class Mine(Exception):
    pass
ERROR = Mine("one")
def give():
    return ERROR
def throw():
    raise ERROR
def keep(error):
    return [error, error]
""",
        """
assert give() is ERROR and str(give()) == "one"
try:
    throw()
except Mine as e:
    assert e is ERROR and e is give()
else:
    assert False
mine = ValueError("x")
a, b = keep(mine)
assert a is b is mine
try:
    raise give()
except Mine as e:
    assert e is ERROR
""",
        wrong=('Mine("one")', 'Mine("two")'),
    ),
    checks(
        "texts of exceptions that change, or that classes of the tests define",
        """
class Invalid(Exception):
    code = 1
    def __init__(self, *found):
        super().__init__(*found)
        self.found = list(found)
    def add(self, what):
        self.found.append(what)
        return self
    def shown(self):
        return "; ".join(self.found)
    def __str__(self):
        return self.shown()
def run(f):
    try:
        return f()
    except Invalid as e:
        return "error: " + str(e)
""",
        """
assert str(Invalid("a").add("b")) == "a; b" and f"{Invalid().add('c')}" == "c"
class Shown(Invalid):
    def shown(self): return "shown " + super().shown()
class Own(Invalid):
    def __str__(self): return f"[{self.code}] " + super().__str__()
class Outer(Own):
    def __str__(self): return "outer " + super().__str__()
def throw(kind):
    def f(): raise kind("x")
    return f
assert str(Shown("x")) == "shown x" and str(Own("x")) == "[1] x"
assert str(Outer("x")) == "outer [1] x"
assert run(throw(Shown)) == "error: shown x" and run(throw(Own)) == "error: [1] x"
assert run(throw(Outer)) == "error: outer [1] x"
try: raise Own("y").add("z")
except Invalid as e: assert str(e) == "[1] y; z" and repr(e) == "Own('y')"
""",
        wrong=('"; ".join', '", ".join'),
    ),
)
