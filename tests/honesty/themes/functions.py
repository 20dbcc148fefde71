"""Closures, decorators, callbacks, caches, what functions say of themselves."""

from tests.honesty.program import checks

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
)
