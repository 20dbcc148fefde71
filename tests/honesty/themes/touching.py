"""What the candidate does to objects and classes that the tests define."""

from tests.honesty.program import checks, pytest_file

__all__ = ["PROGRAMS"]

PROGRAMS = (
    checks(
        "descriptor that keeps its value in a private attribute",
        """
class Positive:
    def __set_name__(self, owner, name):
        self.name = "_" + name
    def __get__(self, instance, owner=None):
        return self if instance is None else getattr(instance, self.name, 0)
    def __set__(self, instance, value):
        if value < 0:
            raise ValueError("negative")
        setattr(instance, self.name, value)
""",
        """
class Box:
    width = Positive()
    def __init__(self, width):
        self.width = width
box = Box(2)
assert box.width == 2
try:
    box.width = -1
except ValueError as error:
    said = str(error)
assert said == "negative" and box._width == 2
""",
        wrong=("value < 0", "value < -5"),
    ),
    checks(
        "descriptor that keeps its value in the instance's dictionary",
        """
class Typed:
    def __init__(self, kind):
        self.kind = kind
    def __set_name__(self, owner, name):
        self.name = name
    def __get__(self, instance, owner=None):
        return self if instance is None else instance.__dict__[self.name]
    def __set__(self, instance, value):
        if not isinstance(value, self.kind):
            raise TypeError(self.name)
        instance.__dict__[self.name] = value
""",
        """
class Point:
    x = Typed(int)
    def __init__(self, x):
        self.x = x
point = Point(2)
assert point.x == 2
point.x = 5
assert point.x == 5 and vars(point) == {"x": 5}
try:
    point.x = "a"
except TypeError as error:
    said = str(error)
assert said == "x" and point.x == 5
""",
        wrong=("not isinstance", "isinstance"),
    ),
    checks(
        "attribute computed once",
        """
class once:
    def __init__(self, function):
        self.function, self.name = function, function.__name__
    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        value = instance.__dict__[self.name] = self.function(instance)
        return value
""",
        """
calls = []
class Circle:
    @once
    def area(self):
        calls.append(1)
        return 7
circle = Circle()
assert circle.area == 7 and circle.area == 7
assert len(calls) == 1
""",
        wrong=("value = instance.__dict__[self.name] =", "value ="),
    ),
    checks(
        "class decorator that adds methods",
        """
def shown(kind):
    def __repr__(self):
        return f"{kind.__name__}({self.__dict__})"
    kind.__repr__ = __repr__
    kind.twice = lambda self: self.x * 2
    return kind
""",
        """
@shown
class Row:
    def __init__(self):
        self.x = 3
assert repr(Row()) == "Row({'x': 3})"
assert Row().twice() == 6 and isinstance(Row(), Row)
""",
        wrong=("self.x * 2", "self.x"),
    ),
    checks(
        "attributes set, deleted and listed by name",
        """
def update(thing, **values):
    for name, value in values.items():
        setattr(thing, name, value)
    return thing
def clear(thing):
    for name in list(vars(thing)):
        delattr(thing, name)
def move(point):
    point.x += 1
""",
        """
class Thing:
    pass
class Point:
    __slots__ = ("x",)
class Counter:
    x = 4
thing = Thing()
assert update(thing, a=1, _b=2) is thing
assert vars(thing) == {"a": 1, "_b": 2}
clear(thing)
assert vars(thing) == {}
point = Point()
point.x = 1
move(point)
assert point.x == 2
counter = Counter()
move(counter)
assert counter.x == 5 and Counter.x == 4
""",
        wrong=("point.x += 1", "point.x -= 1"),
    ),
    checks(
        "method of an object replaced by one that counts",
        """
def spy(thing, name):
    method, calls = getattr(thing, name), []
    def counting(*args):
        calls.append(args)
        return method(*args)
    setattr(thing, name, counting)
    return calls
""",
        """
class Adder:
    def add(self, x):
        return x + 1
adder = Adder()
calls = spy(adder, "add")
assert adder.add(3) == 4
assert calls == [(3,)]
""",
        wrong=("calls.append(args)", "pass"),
    ),
    checks(
        "dataclasses of the tests, copied and listed",
        """
import dataclasses
def bumped(row):
    return dataclasses.replace(row, x=row.x + 1)
def plain(row):
    return dataclasses.asdict(row) if dataclasses.is_dataclass(row) else None
""",
        """
from dataclasses import dataclass, field
@dataclass
class Row:
    x: int
    tags: list = field(default_factory=list)
assert bumped(Row(1)) == Row(2)
assert bumped(Row(1, [5])).tags == [5]
assert plain(Row(1, [2])) == {"x": 1, "tags": [2]}
assert plain(3) is None
""",
        wrong=("row.x + 1", "row.x"),
    ),
    checks(
        "changed by a statement, looked at by the next",
        """
def tidy(items, seen):
    items.sort()
    seen.update(items)
""",
        """
items, seen = [3, 1], set()
tidy(items, seen)
assert items == [1, 3]
assert seen == {1, 3}
""",
        wrong=("items.sort()", "pass"),
    ),
    checks(
        "arrays of the standard library",
        """
import array
def ramp(n):
    return array.array("i", range(n))
def scale(values, by):
    for i, value in enumerate(values):
        values[i] = value * by
    values.append(0)
""",
        """
import array
assert ramp(3) == array.array("i", [0, 1, 2])
assert ramp(2).typecode == "i" and isinstance(ramp(1), array.array)
numbers = array.array("d", [1.5, 2.0])
scale(numbers, 2)
assert numbers == array.array("d", [3.0, 4.0, 0.0])
""",
        wrong=("value * by", "value"),
    ),
    checks(
        "compiled patterns",
        """
import re
def words(n):
    return re.compile(rf"\\b\\w{{{n}}}\\b", re.IGNORECASE)
""",
        """
import re
assert words(3) == re.compile(r"\\b\\w{3}\\b", re.I)
assert words(2).findall("to be or not") == ["to", "be", "or"]
assert isinstance(words(1), re.Pattern) and words(4).flags & re.I
""",
        wrong=("{{{n}}}", "{{{n + 1}}}"),
    ),
    pytest_file(
        "descriptor used by a class in a pytest file",
        """
class Upper:
    def __set_name__(self, owner, name):
        self.name = "_" + name
    def __get__(self, instance, owner=None):
        return getattr(instance, self.name)
    def __set__(self, instance, value):
        setattr(instance, self.name, value.upper())
""",
        """
from solution import Upper
class Person:
    name = Upper()
    def __init__(self, name):
        self.name = name
def test_name():
    person = Person("ann")
    assert person.name == "ANN"
    person.name = "bob"
    assert person.name == "BOB"
""",
        wrong=("value.upper()", "value"),
    ),
)
"""In checks and pytest files."""
