"""What is changed in place: containers, buffers, the environment, files."""

from tests.honesty.program import checks, pytest_file

__all__ = ["PROGRAMS"]

PROGRAMS = (
    checks(
        "lists sorted, rotated and extended in place",
        """
def bubble(items):
    for i in range(len(items)):
        for j in range(len(items) - 1 - i):
            if items[j] > items[j + 1]:
                items[j], items[j + 1] = items[j + 1], items[j]

def rotate(matrix):
    matrix[:] = [list(row) for row in zip(*matrix[::-1])]

def prune(rows):
    for row in rows:
        row[:] = [x for x in row if x]
    return rows
""",
        """
a = [3, 1, 2]
alias = a
assert bubble(a) is None and a == [1, 2, 3] and alias is a
m = [[1, 2], [3, 4]]
rotate(m)
assert m == [[3, 1], [4, 2]]
row = [0, 1]
rows = [row, [2]]
assert prune(rows) is rows and row == [1] and rows[0] is row
""",
        wrong=("items[j] > items[j + 1]", "items[j] < items[j + 1]"),
    ),
    checks(
        "dicts, sets and nested changes",
        """
def count(words, table):
    for word in words:
        table[word] = table.get(word, 0) + 1

def merge(a, b):
    for key, value in b.items():
        if isinstance(value, dict) and isinstance(a.get(key), dict):
            merge(a[key], value)
        else:
            a[key] = value
    return a

def visit(node, seen):
    seen.add(node)
    seen.discard(0)
""",
        """
table = {"a": 1}
count("ab", table)
assert table == {"a": 2, "b": 1} and list(table) == ["a", "b"]
a = {"x": {"y": 1}}
inner = a["x"]
assert merge(a, {"x": {"z": 2}, "w": 3}) is a
assert inner == {"y": 1, "z": 2} and a == {"x": inner, "w": 3}
seen = {0}
visit(5, seen)
assert seen == {5}
""",
        wrong=("table.get(word, 0) + 1", "table.get(word, 1) + 1"),
    ),
    checks(
        "aliased arguments",
        """
def extend(a, b):
    a.append(1)
    return len(b), a is b

def swap(x, y):
    x[0], y[0] = y[0], x[0]

def pair(x):
    return [x, x]

def same(*items):
    return [a is b for a in items for b in items]
""",
        """
a = []
assert extend(a, a) == (1, True)
assert extend(a, []) == (0, False) and a == [1, 1]
x = [5]
swap(x, x)
assert x == [5]
p = pair(x)
assert p[0] is p[1] is x
p[0].append(6)
assert x == [5, 6]
assert same(x, [5, 6]) == [True, False, False, True]
d = {}
assert same(d, d) == [True] * 4
nested = [a, a]
copied = pair(nested)
assert copied[0][0] is copied[1][1] is a
""",
        wrong=("[x, x]", "[x, list(x)]"),
    ),
    checks(
        "identity of returned objects",
        """
_cache = {}
SENTINEL = object()
def get(key, make=list):
    if key not in _cache:
        _cache[key] = make()
    return _cache[key]
def find(items, target):
    return next((i for i in items if i == target), SENTINEL)
def identity(x):
    return x
""",
        """
assert get("a") is get("a") and get("a") is not get("b")
get("a").append(1)
assert get("a") == [1]
assert find([], 1) is SENTINEL and find([1], 1) is not SENTINEL
class Mine: pass
m = Mine()
assert identity(m) is m and find([m], m) is m and identity(Mine) is Mine
t = (1, [2])
assert identity(t)[1] is t[1]
assert identity(None) is None and identity(len) is len
f = lambda: 3
assert identity(f) is f and identity(m.__init__)() is None
""",
        wrong=("SENTINEL)", "None)"),
    ),
    checks(
        "deque, defaultdict, Counter, OrderedDict in place",
        """
from collections import deque, defaultdict, Counter, OrderedDict

def rotate(d):
    d.rotate(1)
    d.append("new")
def group(pairs, table):
    for key, value in pairs:
        table[key].append(value)
def tally(counter, words):
    counter.update(words)
    counter.subtract({"a": 1})
def touch(od, key):
    od.move_to_end(key)
    return od.popitem(last=False)
def fresh():
    return defaultdict(int, a=1), Counter("aab"), deque([1, 2], maxlen=2), OrderedDict(b=1)
""",
        """
from collections import deque, defaultdict, Counter, OrderedDict
d = deque([1, 2, 3], maxlen=3)
rotate(d)
assert d == deque([1, 2, "new"]) and d.maxlen == 3
t = defaultdict(list)
group([("a", 1), ("a", 2)], t)
assert t == {"a": [1, 2]} and t["zz"] == []
c = Counter("aa")
tally(c, "b")
assert c == Counter(a=1, b=1) and c.most_common(1) == [("a", 1)]
od = OrderedDict(a=1, b=2)
assert touch(od, "a") == ("b", 2) and list(od) == ["a"]
dd, cc, dq, oo = fresh()
assert dd["q"] == 0 and cc["a"] == 2 and cc["none"] == 0
dq.append(3)
assert list(dq) == [2, 3] and isinstance(oo, OrderedDict) and type(dd) is defaultdict
""",
        wrong=("d.rotate(1)", "d.rotate(2)"),
    ),
    checks(
        "bytearray and memoryview",
        """
def invert(buffer):
    for i in range(len(buffer)):
        buffer[i] ^= 0xFF

def fill(view):
    view[1:3] = b"xy"
    return len(view)

def grow(buffer):
    buffer += b"!"
    buffer.extend(b"?")
    return buffer
""",
        """
b = bytearray(b"\\x00\\x0f")
invert(b)
assert b == bytearray(b"\\xff\\xf0")
assert grow(b) is b and b[-2:] == b"!?"
data = bytearray(b"abcd")
assert fill(memoryview(data)) == 4 and data == b"axyd"
invert(memoryview(data)[:1])
assert data[0] == ord("a") ^ 0xFF
""",
        wrong=("^= 0xFF", "^= 0x0F"),
    ),
    checks(
        "array.array",
        """
from array import array

def double(values):
    for i, v in enumerate(values):
        values[i] = v * 2
    values.append(0)

def squares(n):
    return array("l", (i * i for i in range(n)))
""",
        """
from array import array
a = array("i", [1, 2])
double(a)
assert a == array("i", [2, 4, 0]) and list(a) == [2, 4, 0] and a.typecode == "i"
s = squares(4)
assert s == array("l", [0, 1, 4, 9]) and s[3] == 9 and s.tolist() == [0, 1, 4, 9]
assert isinstance(s, array) and len(s.tobytes()) == 4 * s.itemsize
s[0] = 7
assert s[0] == 7 and sum(s) == 21
""",
        wrong=("v * 2", "v * 3"),
    ),
    pytest_file(
        "os.environ changed by the candidate and by the tests",
        """
import os

def configure(**options):
    for key, value in options.items():
        os.environ[key.upper()] = str(value)

def read(key):
    return os.environ.get(key) or os.getenv("FALLBACK", "none")

def clear(key):
    os.environ.pop(key, None)
""",
        """
import os
import pytest
from unittest import mock
from solution import clear, configure, read

def test_set():
    configure(my_mode="fast", my_level=3)
    assert os.environ["MY_MODE"] == "fast" and os.getenv("MY_LEVEL") == "3"
    clear("MY_MODE")
    assert "MY_MODE" not in os.environ

def test_set_by_test(monkeypatch):
    monkeypatch.setenv("HOST_NAME", "here")
    assert read("HOST_NAME") == "here"
    monkeypatch.delenv("HOST_NAME")
    assert read("HOST_NAME") == "none"

def test_undone():
    assert "HOST_NAME" not in os.environ and read("HOST_NAME") == "none"

def test_patch_dict():
    with mock.patch.dict(os.environ, {"FALLBACK": "back"}):
        assert read("X_Y_Z") == "back"
        configure(inside="1")
        assert os.environ["INSIDE"] == "1"
    assert read("X_Y_Z") == "none" and "INSIDE" not in os.environ
""",
        wrong=("key.upper()", "key"),
    ),
)
