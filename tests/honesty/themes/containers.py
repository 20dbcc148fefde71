"""Plain types derived from, copies, keys, matrices."""

from tests.honesty.program import checks, pytest_file

__all__ = ["PROGRAMS"]

PROGRAMS = (
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
    checks(
        "containers of the tests with functions and objects: sort, swap, register, queue, remove",
        """
import heapq

class Shape:
    def __init__(self, side):
        self.side = side
    def area(self):
        return self.side ** 2

def order(functions):
    functions.sort(key=lambda function: function())
def swap(pair):
    pair[0], pair[1] = pair[1], pair[0]
def register(handlers, name, handler):
    handlers[name] = handler
def push(heap, rank, task):
    heapq.heappush(heap, (rank, len(heap), task))
def pop(heap):
    return heapq.heappop(heap)[-1]
def collect(shapes, *sides):
    shapes.extend(map(Shape, sides))
def cancel(orders, number):
    orders[:] = [order for order in orders if order.number != number]
def group(shapes):
    for shape in map(Shape, (1, 2, 1)):
        shapes[shape.side].append(shape)
""",
        """
from collections import defaultdict

class Order:
    def __init__(self, number):
        self.number = number

one, two = lambda: 1, lambda: 2
pair = [two, one]
order(pair)
assert pair == [one, two]
swap(pair)
assert [function() for function in pair] == [2, 1]
handlers = {"one": one}
register(handlers, "two", two)
assert sorted(handlers) == ["one", "two"] and handlers["two"]() == 2
heap = []
push(heap, 2, two)
push(heap, 1, one)
assert pop(heap) is one and pop(heap)() == 2 and not heap
shapes = []
collect(shapes, 2, 3)
assert [shape.area() for shape in shapes] == [4, 9]
orders = [Order(1), Order(2)]
cancel(orders, 1)
assert [left.number for left in orders] == [2]
sides = defaultdict(list)
group(sides)
assert {side: len(found) for side, found in sides.items()} == {1: 2, 2: 1}
""",
        wrong=("side ** 2", "side * 2 + 1"),
    ),
    checks(
        "classes that derive from those of collections, used first by the tests",
        """
from collections import Counter, OrderedDict, defaultdict, deque
class LRU(OrderedDict):
    def __init__(self, size):
        super().__init__()
        self.size = size
    def __setitem__(self, key, value):
        super().__setitem__(key, value)
        while len(self) > self.size:
            self.popitem(last=False)
class Words(Counter):
    def top(self):
        return self.most_common(1)[0][0]
class Doubled(defaultdict):
    def __missing__(self, key):
        self[key] = key * 2
        return self[key]
class Ring(deque):
    pass
""",
        """
lru = LRU(2)
for i, c in enumerate("abc"): lru[c] = i
assert list(lru) == ["b", "c"]
assert Words("aab").top() == "a" and Words("aab")["a"] == 2
doubled = Doubled()
assert doubled[3] == 6 and doubled == {3: 6}
assert list(Ring([1, 2, 3], 2)) == [2, 3]
""",
        wrong=("last=False", "last=True"),
    ),
)
