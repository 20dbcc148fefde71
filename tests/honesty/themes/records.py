"""Dataclasses."""

from tests.honesty.program import checks, pytest_file

__all__ = ["POINT", "PROGRAMS"]

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
        "special methods that a class of the tests gets after its body",
        """
class Shape:
    def __init__(self, v=0):
        self.v = v
    def area(self):
        return self.v * 2
""",
        """
from dataclasses import dataclass
from functools import total_ordering
@dataclass(frozen=True, order=True)
class Square(Shape):
    side: int
    def area(self): return self.side ** 2
@total_ordering
class Ranked(Shape):
    def __eq__(self, other): return self.area() == other.area()
    def __lt__(self, other): return self.area() < other.area()
class Late(Shape): pass
Late.__len__ = lambda self: self.area()
assert Square(3) == Square(3) and Square(3) < Square(4) and len({Square(3), Square(3)}) == 1
assert sorted([Square(4), Square(2)])[0].area() == 4 and repr(Square(3)) == "Square(side=3)"
assert Ranked(1) <= Ranked(2) and Ranked(2) >= Ranked(1) and max(Ranked(1), Ranked(3)).area() == 6
assert len(Late(3)) == 6
del Late.__len__
assert not hasattr(Late(3), "__len__")
""",
        wrong=("self.v * 2", "self.v * -2"),
    ),
)
