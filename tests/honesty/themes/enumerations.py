"""Enums, named tuples, protocols and generics."""

from tests.honesty.program import checks, pytest_file

__all__ = ["PROGRAMS"]

PROGRAMS = (
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
        "enum: flags that are numbers, combined by the tests",
        """
from enum import IntFlag
class Mode(IntFlag):
    A = 1
    B = 2
    C = 4
class Cents(int):
    def __add__(self, other):
        return Cents(int(self) + int(other))
def both():
    return Mode.A | Mode.B
def price():
    return Cents(150)
""",
        """
assert isinstance(Mode.A | Mode.B, Mode) and Mode.A | Mode.B == 3 and both() is Mode.A | Mode.B
assert isinstance(Mode.A & Mode.B, Mode) and isinstance(Mode.A | 4, Mode)
assert (Mode.A | Mode.B) & ~Mode.A == Mode.B and list(Mode.A | Mode.B) == [Mode.A, Mode.B]
assert (Mode.A | Mode.B).name == "A|B" and repr(Mode.A | Mode.C) == "<Mode.A|C: 5>"
m = Mode.A
m |= Mode.C
assert m == 5 and isinstance(m, Mode) and Mode.C in m and Mode.B not in m and Mode.A + 1 == 2
assert isinstance(price() + price(), Cents) and price() + 1 == 151
""",
        wrong=("int(self) + int(other)", "int(self) - int(other)"),
    ),
    checks(
        "members are of the classes of enum",
        """
from enum import Enum, Flag, IntEnum, auto

class Color(Enum):
    RED = 1
    BLUE = 2

class Access(Flag):
    READ = auto()
    WRITE = auto()

class Word(str, Enum):
    YES = "yes"

def darker(color):
    return Color.BLUE
""",
        """
import copy
from enum import Enum, Flag

assert isinstance(Color.RED, Enum) and isinstance(darker(Color.RED), Enum)
assert issubclass(Color, Enum) and not issubclass(Color, Flag) and issubclass(Access, Flag)
assert isinstance(Access.READ, Flag) and isinstance(Word.YES, Enum) and isinstance(Word.YES, str)
assert darker(Color.RED) is Color.BLUE and copy.deepcopy(Color.RED) is Color.RED
assert len(Color.__mro__) == 3 and len(Color.mro()) == 3 and Color.RED.name == "RED"
assert not isinstance(1, Color) and not isinstance(darker, Enum)
""",
        wrong=("return Color.BLUE", "return 2"),
    ),
    checks(
        "members are numbers of enum",
        """
from enum import IntEnum, IntFlag

class Level(IntEnum):
    LOW = 1
    HIGH = 2

class Mode(IntFlag):
    R = 4
    W = 2

def top():
    return Level.HIGH
""",
        """
from enum import Enum, IntEnum, IntFlag

assert isinstance(top(), IntEnum) and isinstance(Level.LOW, Enum) and top() == 2
assert issubclass(Level, IntEnum) and isinstance(Mode.R, IntFlag) and Mode.R | Mode.W == 6
""",
        wrong=("return Level.HIGH", "return 2"),
    ),
)
