"""Classes of one side that derive from classes of the other, copies of either side's objects."""

from tests.honesty.program import checks, pytest_file

__all__ = ["PROGRAMS"]

PROGRAMS = (
    checks(
        "the code derives from classes of the tests",
        """
def extend(base):
    class Ext(base):
        def hello(self):
            return "ext+" + super().hello()
    return Ext

def singleton(cls):
    class Single(cls):
        made = None
        def __new__(kind, *args, **kwargs):
            if Single.made is None:
                Single.made = super().__new__(kind)
            return Single.made
    Single.__name__ = cls.__name__
    return Single

def make(base, **attributes):
    return type("Made", (base,), attributes)

class Loud:
    def shout(self):
        return self.name.upper()

def loud(cls):
    return type(cls.__name__ + "Loud", (Loud, cls), {})
""",
        """
import dataclasses
from abc import ABC, abstractmethod

class Base:
    kind = "b"
    def hello(self): return "base"
    @classmethod
    def make(cls): return cls()
    @staticmethod
    def after(x): return x + 1
    @property
    def greeting(self): return self.hello() + "!"

E = extend(Base)
def test_methods():
    assert E().hello() == "ext+base" and E().greeting == "ext+base!" and E.after(1) == 2
    assert E().kind == "b" and type(E.make()) is E
def test_class():
    assert issubclass(E, Base) and isinstance(E(), Base) and E.__bases__ == (Base,)
    assert E.__mro__[1] is Base and E.__name__ == "Ext" and E.__qualname__ == "extend.<locals>.Ext"
def test_decorator():
    @singleton
    class Conf:
        def __init__(self, v): self.v = v
    a, b = Conf(1), Conf(2)
    assert a is b and a.v == 2 and isinstance(a, Conf) and Conf.__name__ == "Conf"
def test_type_called():
    M = make(Base, x=3, hello=lambda self: "made" + str(self.x))
    assert M().greeting == "made3!" and M.__name__ == "Made"
def test_mixin():
    class P:
        def __init__(self, name): self.name = name
    L = loud(P)
    assert L("bob").shout() == "BOB" and L.__name__ == "PLoud" and isinstance(L("q"), P)
def test_exception():
    class Own(Exception):
        def __init__(self, m, code): super().__init__(m); self.code = code
    try: raise make(Own)("m", 3)
    except Own as e: assert e.code == 3 and e.args == ("m",)
def test_abstract():
    class A(ABC):
        @abstractmethod
        def f(self): ...
        def g(self): return self.f() * 2
    B = make(A, f=lambda self: 4)
    assert B().g() == 8 and isinstance(B(), A)
    try: make(A)(); assert False
    except TypeError as e: assert "abstract" in str(e)
def test_dataclass():
    @dataclasses.dataclass
    class Pt:
        x: int
        y: int = 0
        def total(self): return self.x + self.y
    Q = make(Pt, extra=5)
    q = Q(1, 2)
    assert q.total() == 3 and q.extra == 5 and q == Q(1, 2) and q != Q(1, 3)
    assert dataclasses.asdict(q) == {"x": 1, "y": 2}
def test_init_subclass():
    seen = []
    class R:
        def __init_subclass__(cls, **k): seen.append(cls.__name__)
    make(R); assert seen == ["Made"]
def test_derived_again():
    class S(E):
        def hello(self): return "s" + super().hello()
    assert S().hello() == "sext+base" and isinstance(S(), Base)
""",
        wrong=('return "ext+" + super()', 'return "ext-" + super()'),
    ),
    checks(
        "the tests derive from classes of both sides",
        """
class Square:
    def __init__(self, side):
        self.side = side
    def area(self):
        return self.side ** 2
""",
        """
class More:
    def area(self): return super().area() + 100
class Logged:
    log = []
    def __init__(self, *args):
        super().__init__(*args)
        self.log.append(args)
    def twice(self): return self.side * 2
class A(More, Square): pass
assert A(2).area() == 104 and isinstance(A(2), More) and isinstance(A(2), Square)
assert [k.__name__ for k in A.__mro__] == ["A", "More", "Square", "object"]
class B(Logged, Square):
    def area(self): return super().area() * 2
b = B(3)
assert b.twice() == 6 and b.area() == 18 and Logged.log == [(3,)] and B.log is Logged.log
class C(Square, Logged): pass
assert C(4).twice() == 8 and issubclass(C, Logged) and Logged.log == [(3,)]
""",
        wrong=("self.side ** 2", "self.side ** 3"),
    ),
    checks(
        "copies that the code makes of objects of the tests",
        """
import copy
class Memento:
    def __init__(self, state):
        self.state = copy.deepcopy(state)
def clone(x):
    return copy.deepcopy(x)
def shallow(x):
    return copy.copy(x)
""",
        """
class Mine:
    def __init__(self): self.items = [1]; self.me = self
class Own:
    def __init__(self, k): self.k = k
    def __deepcopy__(self, memo): return Own(self.k + 1)
    def __copy__(self): return Own(self.k + 2)
m = Mine()
n = clone(m)
assert n is not m and n.items == [1] and n.items is not m.items and n.me is n and type(n) is Mine
assert shallow(m).items is m.items
a, b = clone([m, m])
assert a is b and a is not m
assert clone(Own(1)).k == 2 and clone({"x": Own(3)})["x"].k == 4 and shallow(Own(1)).k == 3
s = Memento(m)
m.items.append(2)
assert s.state.items == [1]
c = clone(s)
assert c.state is not s.state and c.state.items == [1] and isinstance(c.state, Mine)
m.kept = s
assert clone(m).kept is not s and clone(m).kept.state.items == [1]
assert clone(len) is len and clone(Mine) is Mine and clone(clone) is clone
""",
        wrong=("return copy.deepcopy(x)", "return copy.copy(x)"),
    ),
    checks(
        "a descriptor of the code that writes into objects of the tests",
        """
class Lazy:
    def __init__(self, function):
        self.function = function
    def __set_name__(self, owner, name):
        self.name = name
    def __get__(self, value, owner=None):
        if value is None:
            return self
        found = value.__dict__[self.name] = self.function(value)
        return found
""",
        """
class Own:
    k = 5
    @Lazy
    def v(self): return [self.k]
o = Own()
assert o.v == [5] and o.v is o.v and o.__dict__ == {"v": [5]} and isinstance(Own.v, Lazy)
""",
        wrong=("self.function(value)", "self.function(value) * 2"),
    ),
    pytest_file(
        "groups of exceptions of one's own",
        """
class ParseError(ValueError):
    def __init__(self, line, text):
        super().__init__(f"line {line}: {text}")
        self.line = line
def parse():
    raise ExceptionGroup("g", [ValueError("a"), ParseError(3, "b")])
""",
        """
import pytest
from solution import ParseError, parse

def test_group():
    with pytest.raises(ExceptionGroup) as info:
        parse()
    assert info.group_contains(ParseError, match="line 3") and not info.group_contains(KeyError)
    first, second = info.value.exceptions
    assert type(first) is ValueError and second.line == 3
    assert info.value.subgroup(ParseError).exceptions[0] is second
""",
        wrong=("self.line = line", "self.line = line + 1"),
    ),
    checks(
        "how functions and classes of the tests are called, inspected by the code",
        """
import asyncio, functools, inspect, typing

def curry(f):
    n = f.__code__.co_argcount
    def more(*a):
        return f(*a) if len(a) >= n else lambda *b: more(*a, *b)
    return more

def shown(f):
    return str(inspect.signature(f))

def kinds(f):
    return asyncio.iscoroutinefunction(f), inspect.isgeneratorfunction(f)

def checked(f):
    hints = typing.get_type_hints(f)
    signature = inspect.signature(f)
    @functools.wraps(f)
    def run(*a, **k):
        for name, value in signature.bind(*a, **k).arguments.items():
            if name in hints and not isinstance(value, hints[name]):
                raise TypeError(name)
        return f(*a, **k)
    return run

class Container:
    def get(self, cls):
        needed = inspect.signature(cls).parameters.values()
        return cls(*[self.get(p.annotation) for p in needed if p.default is p.empty])
""",
        """
import asyncio, inspect

@curry
def add3(a, b, c): return a + b + c
def test_curry(): assert add3(1)(2)(3) == 6 and add3(1, 2)(3) == 6
def f(a: int, b=2, *args, c, d: str = "x", **kw) -> float: pass
class M:
    def m(self, x, y=1): return x
    @classmethod
    def c(cls, z): pass
    def __call__(self, v): pass
def test_signatures():
    assert shown(f) == "(a: int, b=2, *args, c, d: str = 'x', **kw) -> float"
    assert shown(lambda x, /, y: 0) == "(x, /, y)"
    assert shown(M().m) == "(x, y=1)" and shown(M.m) == "(self, x, y=1)"
    assert shown(M.c) == "(z)" and shown(M()) == "(v)" and shown(M) == "()"
async def later(x): return x
def lazy(): yield 1
def test_kinds():
    assert kinds(later) == (True, False) and kinds(lazy) == (False, True)
    assert kinds(f) == (False, False)
@checked
def typed(a: int, b: str = "q") -> str: return b * a
def test_checked():
    assert typed(2, b="x") == "xx" and typed.__name__ == "typed"
    try: typed("a"); assert False
    except TypeError as e: assert e.args == ("a",)
class DB:
    pass
class Service:
    def __init__(self, db: DB, retries=3): self.db = db
def test_injection():
    s = Container().get(Service)
    assert isinstance(s, Service) and isinstance(s.db, DB)
def test_of_the_code():
    assert str(inspect.signature(Container)) == "()"
    assert str(inspect.signature(Container().get)) == "(cls)"
""",
        wrong=("len(a) >= n", "len(a) > n"),
    ),
)
