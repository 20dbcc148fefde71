"""Operator overloading, containers of one's own, ordering, copies."""

from tests.honesty.program import checks, pytest_file

__all__ = ["PROGRAMS"]

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
    checks(
        "copy and deepcopy of candidates' objects",
        """
import copy

class Node:
    def __init__(self, value, children=None):
        self.value = value
        self.children = children or []

class Counted:
    copies = 0
    def __copy__(self):
        Counted.copies += 1
        return Counted()
    def __deepcopy__(self, memo):
        Counted.copies += 10
        return self

def tree():
    leaf = Node(1)
    return Node(0, [leaf, leaf])
""",
        """
import copy
t = tree()
shallow, deep = copy.copy(t), copy.deepcopy(t)
assert shallow is not t and shallow.children is t.children
assert deep.children is not t.children and deep.children[0] is deep.children[1]
assert deep.children[0] is not t.children[0]
deep.children[0].value = 5
assert t.children[0].value == 1
copy.copy(Counted())
c = Counted()
assert copy.deepcopy(c) is c and Counted.copies == 11
assert copy.deepcopy([t, t])[0] is not t
""",
        wrong=("[leaf, leaf]", "[leaf, Node(1)]"),
    ),
    pytest_file(
        "pickle round trip",
        """
class Account:
    def __init__(self, owner, balance=0):
        self.owner, self.balance, self.cache = owner, balance, object()
    def __getstate__(self):
        return {"owner": self.owner, "balance": self.balance}
    def __setstate__(self, state):
        self.__dict__.update(state)
        self.cache = None
    def __eq__(self, other):
        return (self.owner, self.balance) == (other.owner, other.balance)
""",
        """
import pickle
from solution import Account

def test_round_trip():
    a = Account("Ann", 5)
    b = pickle.loads(pickle.dumps(a))
    assert b == a and b is not a and b.cache is None and a.cache is not None
    assert isinstance(b, Account)
""",
        wrong=("self.cache = None", "self.cache = 1"),
    ),
    checks(
        "__call__, __format__, __contains__, __len__, __bytes__, __index__",
        """
class Swiss:
    def __call__(self, *args, **kw):
        return args, kw
    def __format__(self, spec):
        return f"<{spec}>"
    def __contains__(self, x):
        return x == 3
    def __len__(self):
        return 7
    def __bytes__(self):
        return b"swiss"
    def __index__(self):
        return 2
    def __int__(self):
        return 4
    def __float__(self):
        return 4.5
    def __complex__(self):
        return 1j
    def __round__(self, n=0):
        return 100 + n
    def __str__(self):
        return "str"
    def __reversed__(self):
        return iter([9, 8])
""",
        """
s = Swiss()
assert s(1, 2, k=3) == ((1, 2), {"k": 3})
assert f"{s:>5}" == "<>5>" and format(s) == "<>" and "{:x}".format(s) == "<x>"
assert 3 in s and 4 not in s and len(s) == 7
assert bytes(s) == b"swiss" and [10, 20, 30][s] == 30 and hex(s) == "0x2"
assert int(s) == 4 and float(s) == 4.5 and complex(s) == 1j
assert round(s) == 100 and round(s, 2) == 102 and str(s) == "str" and "%s" % s == "str"
assert list(reversed(s)) == [9, 8] and callable(s) and range(10)[s] == 2
""",
        wrong=("return 7", "return 8"),
    ),
    checks(
        "hash and equality of keys and set members",
        """
class Key:
    def __init__(self, a, b):
        self.a, self.b = a, b
    def __eq__(self, other):
        return isinstance(other, Key) and (self.a, self.b) == (other.a, other.b)
    def __hash__(self):
        return hash((self.a, self.b))

def group(pairs):
    table = {}
    for a, b in pairs:
        table.setdefault(Key(a, b), []).append(a + b)
    return table
""",
        """
t = group([(1, 2), (1, 2), (3, 4)])
assert t[Key(1, 2)] == [3, 3] and Key(3, 4) in t and len(t) == 2
assert set(t) == {Key(1, 2), Key(3, 4)}
assert {Key(1, 1)} | {Key(1, 1), Key(2, 2)} == {Key(2, 2), Key(1, 1)}
assert list(t).index(Key(3, 4)) == 1
""",
        wrong=("append(a + b)", "append(a - b)"),
    ),
    checks(
        "an object equal to plain values by its own answer",
        """
class Roman:
    values = {"I": 1, "V": 5, "X": 10}
    def __init__(self, text):
        self.text = text
    def __int__(self):
        total = 0
        for a, b in zip(self.text, self.text[1:] + "I"):
            value = self.values[a]
            total += -value if value < self.values[b] and b != "I" else value
        return total
    def __eq__(self, other):
        return int(self) == int(other)
    def __hash__(self):
        return int(self)

def four():
    return Roman("IV")
""",
        """
assert Roman("IX") == 9
assert Roman("XIV") == 14 and 14 == Roman("XIV")
assert Roman("IV") != 5
assert four() == Roman("IV") and int(four()) == 4
""",
        wrong=('"V": 5', '"V": 6'),
    ),
    checks(
        "matrices: getitem with tuples, setitem, delitem",
        """
class Matrix:
    def __init__(self, rows):
        self.rows = [list(r) for r in rows]
    def __getitem__(self, at):
        r, c = at
        return self.rows[r][c] if not isinstance(c, slice) else Matrix([self.rows[r][c]])
    def __setitem__(self, at, value):
        r, c = at
        self.rows[r][c] = value
    def __delitem__(self, r):
        del self.rows[r]
    def __matmul__(self, other):
        return Matrix([[sum(a * b for a, b in zip(r, c)) for c in zip(*other.rows)]
                       for r in self.rows])
    def __eq__(self, other):
        return self.rows == other.rows
""",
        """
m = Matrix([[1, 2], [3, 4]])
m[0, 1] = 5
assert m[0, 1] == 5 and m[1, :].rows == [[3, 4]]
assert m @ Matrix([[1, 0], [0, 1]]) == m
assert (m @ m).rows == [[16, 25], [15, 31]]
rows = m.rows
del m[0]
assert rows == [[3, 4]] and m.rows is rows
""",
        wrong=("a * b", "a + b"),
    ),
)
