"""Closures, decorators, callbacks, caches, what functions say of themselves."""

from tests.honesty.program import checks, pytest_file

__all__ = ["PROGRAMS"]

PROGRAMS = (
    checks(
        "closures with nonlocal state",
        """
def counter(start=0):
    count = start
    def step(by=1):
        nonlocal count
        count += by
        return count
    step.reset = lambda: None
    return step
""",
        """
c, d = counter(), counter(10)
assert [c(), c(), c(5)] == [1, 2, 7] and d() == 11
assert c.__name__ == "step" and c.reset() is None
assert c.__closure__[0].cell_contents == 7
assert c.__code__.co_freevars == ("count",)
c.note = "x"
assert c.note == "x" and not hasattr(d, "note")
""",
        wrong=("count += by", "count += 1"),
    ),
    checks(
        "decorators with wraps",
        """
import functools

def twice(function):
    @functools.wraps(function)
    def inner(*args, **kwargs):
        inner.calls += 1
        function(*args, **kwargs)
        return function(*args, **kwargs)
    inner.calls = 0
    return inner

def repeat(n):
    def decorate(f):
        return lambda x: [f(x)] * n
    return decorate
""",
        """
seen = []
@twice
def note(x):
    "Notes it."
    seen.append(x)
    return len(seen)
assert note(5) == 2 and seen == [5, 5] and note.calls == 1
assert note.__name__ == "note" and note.__doc__ == "Notes it."
assert note.__wrapped__(1) == 3
@repeat(3)
def f(x):
    return x + 1
assert f(1) == [2, 2, 2]
class K:
    @twice
    def method(self):
        seen.append(self)
        return self
k = K()
assert k.method() is k and seen[-1] is k
""",
        wrong=("inner.calls += 1", "inner.calls += 2"),
    ),
    checks(
        "callbacks taken, with their exceptions",
        """
def apply(function, items, on_error=None):
    out = []
    for item in items:
        try:
            out.append(function(item))
        except ZeroDivisionError as error:
            if on_error is None:
                raise
            out.append(on_error(item, error))
    return out
""",
        """
seen = []
def invert(x):
    seen.append(x)
    return 1 / x
def handler(item, error):
    assert isinstance(error, ZeroDivisionError)
    return str(error)
assert apply(invert, [1, 2]) == [1.0, 0.5] and seen == [1, 2]
assert apply(invert, [0], handler) == ["division by zero"]
try:
    apply(invert, [0])
except ZeroDivisionError as e:
    assert e.__traceback__ is not None
else:
    assert False
class Mine(Exception):
    pass
def boom(_):
    raise Mine("x")
try:
    apply(boom, [1])
except Mine as e:
    assert e.args == ("x",)
else:
    assert False
assert apply(str.upper, "ab") == ["A", "B"] and apply(len, [[1]]) == [1]
""",
        wrong=("out.append(function(item))", "out.append(function(item) + 1)"),
    ),
    checks(
        "lru_cache and cached_property",
        """
import functools
calls = []

@functools.lru_cache(maxsize=None)
def slow(n):
    calls.append(n)
    return n * n

class Data:
    loads = 0
    @functools.cached_property
    def rows(self):
        self.loads += 1
        return [1, 2, 3]

@functools.cache
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
""",
        """
assert slow(3) == 9 and slow(3) == 9 and calls == [3]
assert slow.cache_info().hits == 1 and slow.cache_info()[1] == 1
slow.cache_clear()
slow(3)
assert calls == [3, 3]
d = Data()
assert d.rows is d.rows and d.loads == 1
del d.rows
assert d.rows == [1, 2, 3] and d.loads == 2
assert fib(80) == 23416728348467685
assert slow.__wrapped__(4) == 16
assert "rows" in vars(d)
""",
        wrong=("return n * n", "return n + n"),
    ),
    checks(
        "singledispatch, extended by the tests",
        """
from functools import singledispatch, singledispatchmethod

@singledispatch
def describe(x):
    return "something"

@describe.register
def _(x: int):
    return "int"

@describe.register(list)
def _list(x):
    return f"list of {describe(x[0])}"

class Printer:
    @singledispatchmethod
    def show(self, x):
        return "?"
    @show.register
    def _(self, x: str):
        return f"'{x}'"
""",
        """
assert describe(3) == "int" and describe(3.0) == "something" and describe([1]) == "list of int"
@describe.register
def _(x: str):
    return "text"
assert describe("a") == "text" and describe(["a"]) == "list of text"
class Mine: pass
describe.register(Mine, lambda x: "mine")
assert describe(Mine()) == "mine" and describe.dispatch(bool)(True) == "int"
assert Printer().show("a") == "'a'" and Printer().show(1) == "?"
""",
        wrong=("list of {describe(x[0])}", "list of int"),
    ),
    checks(
        "partial, reduce, operator",
        """
from functools import partial, reduce
import operator

def power(base, exponent):
    return base ** exponent

square = partial(power, exponent=2)

def compose(*functions):
    return reduce(lambda f, g: lambda x: g(f(x)), functions)

by_size = operator.itemgetter("size")
""",
        """
assert square(5) == 25 and square.keywords == {"exponent": 2} and square.func is power
assert compose(str, len)(12345) == 5
assert compose(square, lambda x: x + 1, str)(3) == "10"
assert sorted([{"size": 3}, {"size": 1}], key=by_size)[0] == {"size": 1}
from functools import partial
assert partial(power, 2)(3) == 8
assert isinstance(square, partial)
""",
        wrong=("g(f(x))", "f(g(x))"),
    ),
    checks(
        "inspect.signature, annotations, type hints",
        '''
from typing import Optional

def greet(name: str, *names: str, greeting: str = "Hello", times: Optional[int] = None) -> str:
    """Greets people.

    >>> greet("Ann")
    'Hello, Ann'
    """
    return f"{greeting}, {', '.join((name, *names))}" * (times or 1)

class Greeter:
    """A greeter."""
    prefix: str = "x"
    def run(self, n: int = 1) -> list["Greeter"]:
        """Runs."""
        return [self] * n
''',
        """
import inspect, typing
s = inspect.signature(greet)
assert list(s.parameters) == ["name", "names", "greeting", "times"]
assert s.parameters["greeting"].default == "Hello"
assert s.parameters["names"].kind is inspect.Parameter.VAR_POSITIONAL
assert s.return_annotation is str and s.parameters["name"].annotation is str
assert greet.__annotations__["name"] is str
assert typing.get_type_hints(greet)["times"] == typing.Optional[int]
assert greet.__doc__.startswith("Greets people.") and inspect.getdoc(Greeter.run) == "Runs."
assert greet.__kwdefaults__ == {"greeting": "Hello", "times": None}
assert Greeter.run.__defaults__ == (1,) and Greeter.run.__name__ == "run"
assert Greeter.run.__qualname__ == "Greeter.run" and Greeter.__doc__ == "A greeter."
assert inspect.isfunction(greet) and inspect.isclass(Greeter) and inspect.ismethod(Greeter().run)
assert len(inspect.signature(Greeter.run).parameters) == 2
assert list(inspect.signature(Greeter().run).parameters) == ["n"]
assert greet("A", "B") == "Hello, A, B"
""",
        wrong=('greeting: str = "Hello"', 'greeting: str = "Hi"'),
    ),
    checks(
        "type hints of classes",
        """
from __future__ import annotations
from dataclasses import dataclass

@dataclass
class Tree:
    value: int
    left: Tree | None = None
    names: list[str] | None = None
""",
        """
import typing
hints = typing.get_type_hints(Tree)
assert hints["value"] is int and hints["left"] == (Tree | None)
assert hints["names"] == (list[str] | None)
assert Tree(1, Tree(2)).left.value == 2
""",
        wrong=("value: int", "value: float"),
    ),
    checks(
        "default arguments kept between calls",
        """
def remember(x, seen=[]):
    seen.append(x)
    return seen

def later(n):
    return [lambda i=i: i * 10 for i in range(n)]
""",
        """
assert remember(1) == [1]
assert remember(2) == [1, 2] and remember(3) is remember.__defaults__[0]
assert [f() for f in later(3)] == [0, 10, 20] and later(2)[1](7) == 70
assert remember(9, []) == [9]
""",
        wrong=("seen=[]):", "seen=()):\n    seen = list(seen)"),
    ),
    checks(
        "sorting with key functions of the candidate",
        """
import functools

def natural(text):
    return (len(text), text)

def backwards(a, b):
    return (b > a) - (b < a)

KEY = functools.cmp_to_key(backwards)

def ranked(items, key=natural):
    return sorted(items, key=key)
""",
        """
import itertools, heapq
assert sorted(["bb", "a", "ccc", "aa"], key=natural) == ["a", "aa", "bb", "ccc"]
assert sorted([1, 3, 2], key=KEY) == [3, 2, 1]
assert max(["x", "yy"], key=natural) == "yy"
assert ranked(["bb", "a"]) == ["a", "bb"] and ranked([2, 1], key=lambda x: -x) == [2, 1]
groups = {k: list(g) for k, g in itertools.groupby(["aa", "bb", "c"], key=lambda s: natural(s)[0])}
assert groups == {2: ["aa", "bb"], 1: ["c"]}
assert heapq.nsmallest(1, ["bb", "a"], key=natural) == ["a"]
items = ["b", "a"]
items.sort(key=natural)
assert items == ["a", "b"] and list(filter(natural, items))
assert list(map(natural, "a")) == [(1, "a")]
""",
        wrong=("(len(text), text)", "(text, len(text))"),
    ),
    checks(
        "a candidate's own sum and max",
        """
def sum(items):
    total = 0
    for item in items:
        total += item if item > 0 else 0
    return total

def max(a, b=None):
    return ("max", a)
""",
        """
import math
assert sum([1, -5, 2]) == 3
assert max([1, 2]) == ("max", [1, 2])
assert math.floor(2.5) == 2
""",
        wrong=("if item > 0 else 0", "if item > 1 else 0"),
    ),
    checks(
        "a candidate's own sum, with a helper import of the tests",
        """
def amicable(limit):
    found = set()
    for n in range(2, limit):
        m = sum(d for d in range(1, n) if n % d == 0)
        if m > n and sum(d for d in range(1, m) if m % d == 0) == n:
            found |= {n, m}
    return sorted(found)

def sum(items):
    total = 0
    for item in items:
        total += item
    return total
""",
        """
from random import randint
assert amicable(300) == [220, 284]
assert sum([1, 2]) == 3
assert sum(iter([randint(1, 1)])) == 1
""",
        wrong=("n % d == 0", "n % d == 1"),
    ),
    pytest_file(
        "imports of the candidate in several ways",
        """
VERSION = "1.0"
__all__ = ["add", "VERSION"]
def add(a, b):
    return a + b
def _hidden():
    return 42
class Thing:
    pass
""",
        """
import importlib, sys
import solution
import solution as other
from solution import *
from solution import _hidden, Thing as T

def test_all_ways():
    assert solution is other and solution.add is add and VERSION == solution.VERSION
    assert importlib.import_module("solution") is solution and sys.modules["solution"] is solution
    assert _hidden() == 42 and solution.__name__ == "solution" and T is solution.Thing
    assert T.__module__ == "solution" and add.__module__ == "solution"

def test_inside():
    from solution import add as plus
    assert plus(1, 2) == 3
    assert "_hidden" in dir(solution) and hasattr(solution, "Thing")
    assert not hasattr(solution, "missing") and getattr(solution, "add")(1, 1) == 2

def test_missing():
    try:
        from solution import missing
    except ImportError as e:
        assert "missing" in str(e)
    else:
        assert False
""",
        wrong=("return a + b", "return a - b"),
    ),
    checks(
        "import of the candidate within assertions",
        """
def add(a, b):
    return a + b
RATE = 3
""",
        """
import solution
from solution import add as plus
assert plus(1, 2) == 3 and solution.RATE == 3 and solution.add is add
def test_inside():
    from solution import RATE as rate
    import importlib
    assert rate == 3 and importlib.import_module("solution").add(2, 2) == 4
""",
        wrong=("return a + b", "return a * b + 1"),
    ),
    checks(
        "functions as values: tables, identity, recursion by name",
        """
def add(a, b): return a + b
def sub(a, b): return a - b
OPS = {"+": add, "-": sub}

def evaluate(tokens):
    stack = []
    for t in tokens:
        if t in OPS:
            b, a = stack.pop(), stack.pop()
            stack.append(OPS[t](a, b))
        else:
            stack.append(t)
    return stack[0]
""",
        """
assert OPS["+"] is add and evaluate([1, 2, "+", 3, "-"]) == 0
OPS["*"] = lambda a, b: a * b
assert evaluate([4, 5, "*"]) == 20
assert sorted(OPS) == ["*", "+", "-"] and {add: 1}[OPS["+"]] == 1
""",
        wrong=("stack.append(t)", "stack.append(t + 1)"),
    ),
    checks(
        "unicode names and text",
        """
def größe(straße):
    return len(straße)
π = 3
class Été:
    naïve = "ï"
def emoji():
    return "👍🏽\\u200d\\ud800"
""",
        """
assert größe("weiß") == 4 and π == 3 and Été().naïve == "ï"
assert emoji() == "👍🏽\\u200d\\ud800" and len(emoji()) == 4
assert größe.__name__ == "größe"
""",
        wrong=("len(straße)", "len(straße.encode())"),
    ),
)
