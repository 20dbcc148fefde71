"""Operator overloading and containers of one's own."""

from tests.honesty.program import checks, pytest_file

__all__ = ["PROGRAMS", "VECTOR"]

VECTOR = """
class Vector:
    def __init__(self, *parts):
        self.parts = parts
    def __add__(self, other):
        if not isinstance(other, Vector):
            return NotImplemented
        return Vector(*(a + b for a, b in zip(self.parts, other.parts)))
    def __mul__(self, number):
        return Vector(*(a * number for a in self.parts))
    __rmul__ = __mul__
    def __matmul__(self, other):
        return sum(a * b for a, b in zip(self.parts, other.parts))
    def __neg__(self):
        return self * -1
    def __abs__(self):
        return sum(a * a for a in self.parts) ** 0.5
    def __bool__(self):
        return any(self.parts)
    def __eq__(self, other):
        return isinstance(other, Vector) and self.parts == other.parts
    def __hash__(self):
        return hash(self.parts)
    def __repr__(self):
        return f"Vector{self.parts}"
    def __iter__(self):
        return iter(self.parts)
"""

PROGRAMS = (
    checks(
        "arithmetic, also reflected",
        VECTOR,
        """
v, w = Vector(1, 2), Vector(3, 4)
assert v + w == Vector(4, 6)
assert 3 * v == v * 3 == Vector(3, 6)
assert v @ w == 11
assert -v == Vector(-1, -2)
assert abs(w) == 5.0
assert not Vector(0, 0) and v
assert list(v) == [1, 2] and tuple(w) == (3, 4)
assert repr(v) == "Vector(1, 2)"
assert len({v, Vector(1, 2)}) == 1 and v in [Vector(1, 2)]
""",
        wrong=("__rmul__ = __mul__", "__rmul__ = __add__"),
    ),
    pytest_file(
        "NotImplemented gives TypeError",
        VECTOR,
        """
import pytest
from solution import Vector

def test_refused():
    with pytest.raises(TypeError, match="unsupported operand"):
        Vector(1) + 1
    with pytest.raises(TypeError):
        1 + Vector(1)

def test_other_decides():
    class Mine:
        def __radd__(self, other):
            return ("mine", other)
    v = Vector(1)
    assert v + Mine() == ("mine", v)

def test_sum():
    assert sum([Vector(1, 1), Vector(2, 2)], Vector(0, 0)) == Vector(3, 3)
""",
        wrong=("return NotImplemented", "return 0"),
    ),
    checks(
        "in-place operators",
        """
class Bag:
    def __init__(self, items=()):
        self.items = list(items)
    def __iadd__(self, other):
        self.items.extend(other)
        return self
    def __isub__(self, other):
        return Bag(i for i in self.items if i not in other)
    def __len__(self):
        return len(self.items)
""",
        """
b = Bag([1])
c = b
b += [2, 3]
assert b is c and len(c) == 3
b -= [1]
assert b is not c and b.items == [2, 3] and len(c) == 3
""",
        wrong=("return self\n", "return Bag(self.items)\n"),
    ),
    checks(
        "comparison with total_ordering",
        """
from functools import total_ordering

@total_ordering
class Grade:
    order = "FDCBA"
    def __init__(self, letter):
        self.letter = letter
    def __eq__(self, other):
        return self.letter == other.letter
    def __lt__(self, other):
        return self.order.index(self.letter) < self.order.index(other.letter)
    __hash__ = None
""",
        """
a, b = Grade("A"), Grade("B")
assert a > b and a >= b and b <= a and not a == b and a != b
assert max([b, a, Grade("C")]) is a
assert [g.letter for g in sorted([a, Grade("F"), b])] == ["F", "B", "A"]
try:
    hash(a)
except TypeError as e:
    assert "unhashable" in str(e)
else:
    assert False
import heapq, bisect
heap = [a, b, Grade("D")]
heapq.heapify(heap)
assert heapq.heappop(heap).letter == "D"
assert bisect.bisect([Grade("F"), Grade("C")], b) == 2
""",
        wrong=('"FDCBA"', '"ABCDF"'),
    ),
    checks(
        "a mapping of one's own",
        """
from collections.abc import MutableMapping

class Folded(MutableMapping):
    def __init__(self, **items):
        self.data = {}
        self.update(items)
    def __getitem__(self, key):
        return self.data[key.lower()]
    def __setitem__(self, key, value):
        self.data[key.lower()] = value
    def __delitem__(self, key):
        del self.data[key.lower()]
    def __iter__(self):
        return iter(self.data)
    def __len__(self):
        return len(self.data)
""",
        """
from collections.abc import Mapping
f = Folded(Ab=1)
f["CD"] = 2
assert f["ab"] == 1 and "cD" in f and f.get("x", 9) == 9
assert dict(f) == {"ab": 1, "cd": 2} and {**f}["cd"] == 2
assert list(f.items()) == [("ab", 1), ("cd", 2)] and len(f) == 2
del f["AB"]
assert f == {"cd": 2} and f.pop("cd") == 2 and not f
assert isinstance(f, Mapping)
assert f.setdefault("Q", 1) == 1 and f.keys() == {"q"}
try:
    f["none"]
except KeyError as e:
    assert e.args == ("none",)
else:
    assert False
""",
        wrong=("return self.data[key.lower()]", "return self.data[key]"),
    ),
    checks(
        "a sequence of one's own: slices, reversed, index",
        """
from collections.abc import Sequence

class Evens(Sequence):
    def __init__(self, n):
        self.n = n
    def __len__(self):
        return self.n
    def __getitem__(self, i):
        if isinstance(i, slice):
            return [self[k] for k in range(*i.indices(self.n))]
        if i < 0:
            i += self.n
        if not 0 <= i < self.n:
            raise IndexError("no such even")
        return 2 * i
""",
        """
e = Evens(5)
assert list(e) == [0, 2, 4, 6, 8] and e[-1] == 8 and e[1:3] == [2, 4] and e[::2] == [0, 4, 8]
assert list(reversed(e)) == [8, 6, 4, 2, 0]
assert 4 in e and 3 not in e and e.index(6) == 3 and e.count(2) == 1
first, *rest = e
assert first == 0 and rest == [2, 4, 6, 8]
try:
    e[5]
except IndexError as error:
    assert error.args[0] == "no such even"
else:
    assert False
assert sum(e) == 20 and max(e) == 8 and sorted(e, reverse=True)[0] == 8
""",
        wrong=("return 2 * i", "return 2 * i + 1"),
    ),
    checks(
        "old iteration protocol by __getitem__ only",
        """
class Old:
    def __getitem__(self, i):
        if i > 2:
            raise IndexError
        return i * 10
""",
        """
assert list(Old()) == [0, 10, 20]
assert 20 in Old() and 30 not in Old()
a, b, c = Old()
assert (a, b, c) == (0, 10, 20)
assert [x for x in Old()] == [0, 10, 20]
""",
        wrong=("i * 10", "i * 11"),
    ),
    checks(
        "subclasses of plain types",
        """
class Celsius(float):
    def hot(self):
        return self > 30

class Name(str):
    def shout(self):
        return self.upper() + "!"

class History(list):
    def last(self):
        return self[-1]

class Defaults(dict):
    def __missing__(self, key):
        return f"no {key}"

class Id(int):
    def __repr__(self):
        return f"Id({int(self)})"
""",
        """
c = Celsius(31.5)
assert c.hot() and c + 1 == 32.5 and isinstance(c, float)
n = Name("bob")
assert n.shout() == "BOB!" and n == "bob" and n[0] == "b" and len(n) == 3
h = History([1, 2])
h.append(3)
assert h.last() == 3 and h == [1, 2, 3] and isinstance(h, list)
d = Defaults(a=1)
assert d["a"] == 1 and d["b"] == "no b" and d == {"a": 1} and "b" not in d
assert repr(Id(4)) == "Id(4)" and Id(4) + 1 == 5 and Id(4) == 4
assert sorted([Id(3), Id(1)])[0] == 1 and {Id(1): 2}[1] == 2
""",
        wrong=("self[-1]", "self[0]"),
    ),
)
