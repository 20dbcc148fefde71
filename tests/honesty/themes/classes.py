"""Dataclasses, enums, named tuples, properties, metaclasses, protocols."""

from tests.honesty.program import checks, pytest_file

__all__ = ["PROGRAMS"]

POINT = """
from dataclasses import dataclass, field

@dataclass
class Point:
    x: int
    y: int = 0
    tags: list = field(default_factory=list)

    def norm(self):
        return abs(self.x) + abs(self.y)
"""

PROGRAMS = (
    checks(
        "dataclass: asdict",
        POINT,
        """
from dataclasses import asdict
assert asdict(Point(1, 2, ["a"])) == {"x": 1, "y": 2, "tags": ["a"]}
""",
        wrong=("y: int = 0", "z: int = 0"),
    ),
    checks(
        "dataclass: astuple of nested",
        POINT
        + """
@dataclass
class Line:
    start: Point
    end: Point

def line():
    return Line(Point(0, 0), Point(3, 4))
""",
        """
from dataclasses import astuple, asdict
assert astuple(line()) == ((0, 0, []), (3, 4, []))
assert asdict(line())["end"] == {"x": 3, "y": 4, "tags": []}
""",
        wrong=("Point(3, 4)", "Point(4, 4)"),
    ),
    pytest_file(
        "dataclass: fields and defaults",
        POINT,
        """
import dataclasses
from solution import Point

def test_fields():
    names = [f.name for f in dataclasses.fields(Point)]
    assert names == ["x", "y", "tags"]
    assert dataclasses.fields(Point)[1].default == 0
    assert dataclasses.is_dataclass(Point) and dataclasses.is_dataclass(Point(1))

def test_default_factory_is_fresh():
    one, other = Point(1), Point(1)
    one.tags.append("a")
    assert other.tags == [] and one.tags == ["a"]
""",
        wrong=("field(default_factory=list)", "None"),
    ),
    checks(
        "dataclass: replace, equality, repr",
        POINT,
        """
from dataclasses import replace
p = Point(1, 2)
q = replace(p, y=5)
assert (q.x, q.y) == (1, 5) and p.y == 2
assert p == Point(1, 2) and p != q
assert repr(p) == "Point(x=1, y=2, tags=[])"
assert q.norm() == 6
""",
        wrong=("abs(self.x) + abs(self.y)", "self.x - self.y"),
    ),
    checks(
        "dataclass: frozen, slots, order",
        """
from dataclasses import dataclass

@dataclass(frozen=True, slots=True, order=True)
class Version:
    major: int
    minor: int = 0

    @classmethod
    def parse(cls, text):
        return cls(*map(int, text.split(".")))
""",
        """
import dataclasses
v = Version.parse("3.11")
assert v == Version(3, 11) and hash(v) == hash(Version(3, 11))
assert sorted([Version(3), v, Version(2, 9)]) == [Version(2, 9), Version(3), v]
assert Version(3) < v <= v
try:
    v.major = 4
except dataclasses.FrozenInstanceError:
    pass
else:
    raise AssertionError("it could be changed")
assert len({v, Version(3, 11), Version(3)}) == 2
assert not hasattr(v, "__dict__")
""",
        wrong=('split(".")', 'split(".")[::-1]'),
    ),
    checks(
        "dataclass: the tests derive from it",
        POINT,
        """
from dataclasses import dataclass, fields

@dataclass
class Point3(Point):
    z: int = 0

p = Point3(1, 2, [], 3)
assert [f.name for f in fields(p)] == ["x", "y", "tags", "z"]
assert p.norm() == 3 and isinstance(p, Point)
assert repr(p) == "Point3(x=1, y=2, tags=[], z=3)"
""",
        wrong=("abs(self.x) + abs(self.y)", "abs(self.x) + abs(self.y) + 1"),
    ),
    pytest_file(
        "dataclass: post_init, InitVar, kw_only, match",
        """
from dataclasses import dataclass, field, InitVar, KW_ONLY

@dataclass
class Box:
    width: float
    height: float
    _: KW_ONLY
    scale: InitVar[float] = 1.0
    area: float = field(init=False)

    def __post_init__(self, scale):
        if self.width < 0:
            raise ValueError("negative width")
        self.area = self.width * self.height * scale
""",
        """
import pytest
from solution import Box

def test_area():
    assert Box(2, 3).area == 6
    assert Box(2, 3, scale=2).area == 12

def test_refused():
    with pytest.raises(ValueError, match="negative"):
        Box(-1, 1)
    with pytest.raises(TypeError):
        Box(1, 1, 2)

def test_match():
    match Box(2, 5):
        case Box(2, height):
            assert height == 5
        case _:
            pytest.fail("no match")
""",
        wrong=("* scale", ""),
    ),
    checks(
        "enum: members, values, lookup",
        """
from enum import Enum

class Color(Enum):
    RED = 1
    GREEN = 2
    BLUE = 3
    CRIMSON = 1

    def lighter(self):
        return f"light {self.name.lower()}"

def favourite():
    return Color.GREEN
""",
        """
assert favourite() is Color.GREEN and favourite() == Color.GREEN
assert Color(1) is Color.RED and Color["BLUE"].value == 3
assert [c.name for c in Color] == ["RED", "GREEN", "BLUE"]
assert Color.CRIMSON is Color.RED and len(Color) == 3
assert Color.RED.lighter() == "light red"
assert isinstance(Color.RED, Color) and Color.RED in Color
assert {Color.RED: "r"}[Color(1)] == "r"
assert repr(Color.RED) == "<Color.RED: 1>" and str(Color.RED) == "Color.RED"
assert list(Color.__members__) == ["RED", "GREEN", "BLUE", "CRIMSON"]
""",
        wrong=("return Color.GREEN", "return Color.BLUE"),
    ),
    checks(
        "enum: Flag, IntFlag",
        """
from enum import Flag, IntFlag, auto

class Perm(Flag):
    R = auto()
    W = auto()
    X = auto()
    RW = R | W

class Mode(IntFlag):
    A = 1
    B = 2

def allowed(p):
    return p & Perm.RW
""",
        """
assert allowed(Perm.R | Perm.X) == Perm.R
assert Perm.R in Perm.RW and Perm.X not in Perm.RW
assert (Perm.R | Perm.W) is Perm.RW
assert ~Perm.X == Perm.RW
assert not allowed(Perm.X)
assert Mode.A | Mode.B == 3 and (Mode.A | 4) == 5
assert Perm.X.value == 4
""",
        wrong=("p & Perm.RW", "p | Perm.RW"),
    ),
    pytest_file(
        "enum: IntEnum, StrEnum, auto",
        """
from enum import IntEnum, StrEnum, auto

class Level(IntEnum):
    LOW = 1
    HIGH = 10

class Unit(StrEnum):
    METRE = auto()
    FOOT = "ft"

def top(levels):
    return max(levels)
""",
        """
from solution import Level, Unit, top

def test_int():
    assert Level.HIGH > Level.LOW and Level.HIGH == 10 and Level.LOW + 1 == 2
    assert top([Level.LOW, Level.HIGH]) is Level.HIGH
    assert sorted([10, Level.LOW, 5]) == [1, 5, 10]
    assert [0, "a"][Level.LOW] == "a"
    assert f"{Level.LOW}" == "1"

def test_str():
    assert Unit.METRE == "metre" and Unit.FOOT.upper() == "FT"
    assert f"{Unit.FOOT}" == "ft" and "-".join(Unit) == "metre-ft"
    assert {"ft": 3}[Unit.FOOT] == 3 and isinstance(Unit.FOOT, str)
""",
        wrong=("max(levels)", "min(levels)"),
    ),
    checks(
        "NamedTuple",
        """
from typing import NamedTuple
from collections import namedtuple

class Card(NamedTuple):
    rank: int
    suit: str = "S"

    def strong(self):
        return self.rank > 10

Pair = namedtuple("Pair", "left right")

def swap(pair):
    return Pair(pair.right, pair.left)
""",
        """
c = Card(12)
assert c == (12, "S") and c.strong() and c._asdict() == {"rank": 12, "suit": "S"}
rank, suit = c
assert (rank, suit) == (12, "S") and c[0] == 12 and len(c) == 2
assert c._replace(rank=3).rank == 3 and Card._fields == ("rank", "suit")
assert swap(Pair(1, 2)) == (2, 1) and swap(Pair(1, 2)).left == 2
assert isinstance(c, tuple) and repr(c) == "Card(rank=12, suit='S')"
assert Card._make([1, "H"]) == Card(1, "H") and sorted([Card(3), Card(1)])[0].rank == 1
""",
        wrong=("Pair(pair.right, pair.left)", "Pair(pair.left, pair.right)"),
    ),
    checks(
        "TypedDict",
        """
from typing import TypedDict, NotRequired

class Movie(TypedDict):
    title: str
    year: NotRequired[int]

def make(title):
    return Movie(title=title, year=1999)
""",
        """
assert make("M") == {"title": "M", "year": 1999} and type(make("M")) is dict
assert Movie.__required_keys__ == frozenset({"title"})
assert set(Movie.__annotations__) == {"title", "year"}
""",
        wrong=("year=1999", "year=1998"),
    ),
    pytest_file(
        "protocol: runtime_checkable of the candidate",
        """
from typing import Protocol, runtime_checkable

@runtime_checkable
class Closes(Protocol):
    def close(self) -> None: ...

class File:
    def __init__(self):
        self.open = True
    def close(self):
        self.open = False

class Rock:
    pass
""",
        """
import io
from solution import Closes, File, Rock

class Mine:
    def close(self):
        pass

def test_own_classes():
    assert isinstance(File(), Closes)
    assert not isinstance(Rock(), Closes)
    assert issubclass(File, Closes) and not issubclass(Rock, Closes)

def test_others():
    assert isinstance(Mine(), Closes) and isinstance(io.StringIO(), Closes)
    assert not isinstance(3, Closes)
""",
        wrong=("def close(self):\n        self.open", "def shut(self):\n        self.open"),
    ),
    checks(
        "protocol: runtime_checkable of the tests, and abc of the library",
        """
class Duck:
    def quack(self):
        return "Quack"
    def __len__(self):
        return 1
    def __iter__(self):
        return iter([self])
    def __contains__(self, other):
        return other is self

def make():
    return Duck()
""",
        """
from typing import Protocol, runtime_checkable, Sized
from collections.abc import Iterable, Sized as S, Collection, Hashable, Callable, Mapping

@runtime_checkable
class Quacks(Protocol):
    def quack(self) -> str: ...

@runtime_checkable
class Named(Protocol):
    name: str

assert isinstance(make(), Quacks) and not isinstance(make(), Named)
assert isinstance(make(), Iterable) and isinstance(make(), S) and isinstance(make(), Collection)
assert isinstance(make(), Hashable) and not isinstance(make(), Mapping)
assert isinstance(make, Callable) and not isinstance(make(), Callable)
""",
        wrong=("def quack", "def bark"),
    ),
    checks(
        "generics: TypeVar, Generic, subscription",
        """
from typing import Generic, TypeVar

T = TypeVar("T")

class Stack(Generic[T]):
    def __init__(self) -> None:
        self.items: list[T] = []
    def push(self, item: T) -> None:
        self.items.append(item)
    def pop(self) -> T:
        return self.items.pop()
    def __len__(self) -> int:
        return len(self.items)
""",
        """
s = Stack[int]()
s.push(1); s.push(2)
assert s.pop() == 2 and len(s) == 1 and s.items == [1]
assert isinstance(s, Stack) and bool(s)
s.pop()
assert not s
class Named(Stack[str]):
    pass
n = Named(); n.push("a")
assert n.pop() == "a" and issubclass(Named, Stack)
try:
    s.pop()
except IndexError as error:
    assert "empty list" in str(error)
else:
    raise AssertionError
""",
        wrong=("self.items.pop()", "self.items.pop(0)"),
    ),
    checks(
        "properties, setters, deleters",
        """
class Celsius:
    def __init__(self, degrees=0):
        self.degrees = degrees
    @property
    def fahrenheit(self):
        "In degrees Fahrenheit."
        return self.degrees * 9 / 5 + 32
    @fahrenheit.setter
    def fahrenheit(self, value):
        if value < -459.67:
            raise ValueError("below absolute zero")
        self.degrees = (value - 32) * 5 / 9
    @fahrenheit.deleter
    def fahrenheit(self):
        self.degrees = None
""",
        """
c = Celsius(100)
assert c.fahrenheit == 212
c.fahrenheit = 32
assert c.degrees == 0
try:
    c.fahrenheit = -1000
    assert False
except ValueError:
    pass
del c.fahrenheit
assert c.degrees is None
assert isinstance(Celsius.fahrenheit, property)
assert Celsius.fahrenheit.__doc__ == "In degrees Fahrenheit."
assert Celsius.fahrenheit.fget(Celsius(0)) == 32
""",
        wrong=("9 / 5 + 32", "9 / 5 + 31"),
    ),
    checks(
        "descriptors with __set_name__",
        """
class Positive:
    def __set_name__(self, owner, name):
        self.name = "_" + name
    def __get__(self, instance, owner=None):
        return self if instance is None else getattr(instance, self.name)
    def __set__(self, instance, value):
        if value <= 0:
            raise ValueError(f"{self.name[1:]} must be positive")
        setattr(instance, self.name, value)

class Item:
    price = Positive()
    def __init__(self, price):
        self.price = price
""",
        """
i = Item(3)
assert i.price == 3 and i.__dict__ == {"_price": 3} and vars(i) == {"_price": 3}
assert isinstance(Item.price, Positive)
try:
    i.price = -1
except ValueError as e:
    assert str(e) == "price must be positive"
else:
    assert False
i.price = 7
assert i.price == 7

class Mine:
    size = Positive()
assert Mine.size.name == "_size"
""",
        wrong=("value <= 0", "value < -5"),
    ),
    checks(
        "metaclass registry, __init_subclass__",
        """
class Registry(type):
    known = {}
    def __new__(mcs, name, bases, space):
        cls = super().__new__(mcs, name, bases, space)
        mcs.known[name] = cls
        return cls

class Base(metaclass=Registry):
    pass

class Plugin:
    plugins = []
    def __init_subclass__(cls, /, tag=None, **kw):
        super().__init_subclass__(**kw)
        Plugin.plugins.append((cls.__name__, tag))
""",
        """
class Mine(Base):
    pass
assert Registry.known["Mine"] is Mine and set(Registry.known) == {"Base", "Mine"}
assert isinstance(Mine, Registry) and isinstance(Base, Registry)
assert not isinstance(Plugin, Registry)

class One(Plugin, tag="a"):
    pass
class Two(Plugin):
    pass
assert Plugin.plugins == [("One", "a"), ("Two", None)]
""",
        wrong=("cls.__name__, tag", "cls.__name__, None"),
    ),
    checks(
        "__slots__ and __getattr__",
        """
class Slim:
    __slots__ = ("a", "b")
    def __init__(self, a):
        self.a = a

class Loose:
    def __getattr__(self, name):
        if name.startswith("get_"):
            return lambda: name[4:]
        raise AttributeError(f"no {name}")
""",
        """
s = Slim(1)
assert s.a == 1 and not hasattr(s, "b")
s.b = 2
assert s.b == 2
try:
    s.c = 3
except AttributeError:
    pass
else:
    assert False
assert Slim.__slots__ == ("a", "b")
assert Loose().get_name() == "name"
assert not hasattr(Loose(), "other") and getattr(Loose(), "other", 5) == 5
""",
        wrong=("name[4:]", "name[3:]"),
    ),
    checks(
        "abc: abstract methods, derived by the tests",
        """
from abc import ABC, abstractmethod

class Shape(ABC):
    @abstractmethod
    def area(self): ...
    def double(self):
        return 2 * self.area()
    @property
    @abstractmethod
    def name(self): ...

class Square(Shape):
    def __init__(self, side):
        self.side = side
    def area(self):
        return self.side ** 2
    name = "square"
""",
        """
try:
    Shape()
except TypeError as error:
    assert "abstract" in str(error)
else:
    assert False

class Circle(Shape):
    name = "circle"
    def area(self):
        return 3

assert Circle().double() == 6 and Square(2).double() == 8
assert issubclass(Circle, Shape) and isinstance(Square(1), Shape)
class Half(Shape):
    name = "half"
try:
    Half()
except TypeError:
    pass
else:
    assert False
assert Shape.__abstractmethods__ == frozenset({"area", "name"})
""",
        wrong=("2 * self.area()", "3 * self.area()"),
    ),
    checks(
        "class attributes, class and static methods, MRO, super",
        """
class A:
    count = 0
    def __init__(self):
        type(self).count += 1
    def who(self):
        return ["A"]
    @classmethod
    def make(cls):
        return cls()
    @staticmethod
    def twice(x):
        return x * 2

class B(A):
    def who(self):
        return ["B"] + super().who()

class C(A):
    def who(self):
        return ["C"] + super().who()

class D(B, C):
    pass
""",
        """
assert D().who() == ["B", "C", "A"]
assert D.__mro__ == (D, B, C, A, object) and D.mro()[1] is B
assert [k.__name__ for k in D.__bases__] == ["B", "C"]
A.make(); A.make()
assert A.count == 2 and D.count == 1
A.count = 10
assert A.make().count == 11
assert A.twice(4) == 8 and isinstance(D.make(), D)
assert A.__subclasses__() == [B, C]
class E(D):
    def who(self):
        return ["E", *super().who()]
assert E().who() == ["E", "B", "C", "A"] and E.make().__class__ is E
""",
        wrong=('["C"] + super().who()', '["C"]'),
    ),
)
