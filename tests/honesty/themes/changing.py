"""What is changed in place: containers, buffers, the environment, files, globals; identity."""

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
    pytest_file(
        "files written and read",
        """
import json, csv, os
from pathlib import Path

def save(path, data):
    with open(path, "w") as file:
        json.dump(data, file)

def table(folder, rows):
    target = Path(folder) / "out" / "table.csv"
    target.parent.mkdir(parents=True)
    with target.open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    return target

def sizes(folder):
    return {p.name: p.stat().st_size for p in sorted(Path(folder).iterdir())}
""",
        """
import json
from pathlib import Path
from solution import save, sizes, table

def test_json(tmp_path):
    save(tmp_path / "a.json", {"k": [1, None]})
    assert json.loads((tmp_path / "a.json").read_text()) == {"k": [1, None]}

def test_csv(tmp_path):
    target = table(tmp_path, [[1, "a"], [2, "b"]])
    assert isinstance(target, Path) and target == tmp_path / "out" / "table.csv"
    assert target.read_text().split() == ["1,a", "2,b"]

def test_listing(tmp_path):
    (tmp_path / "b.txt").write_text("12345")
    (tmp_path / "a.txt").write_bytes(b"1")
    assert sizes(tmp_path) == {"a.txt": 1, "b.txt": 5}
    assert list(sizes(str(tmp_path))) == ["a.txt", "b.txt"]

def test_relative(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    save("rel.json", 1)
    assert (tmp_path / "rel.json").exists() and sizes(".") == {"rel.json": 1}
""",
        wrong=("json.dump(data", "json.dump([data]"),
    ),
    checks(
        "globals of the candidate: read, changed by both sides",
        """
COUNT = 0
LOG = []
CONFIG = {"debug": False}
def bump():
    global COUNT
    COUNT += 1
    LOG.append(COUNT)
    return COUNT
def debug():
    return CONFIG["debug"]
def reset():
    global COUNT, LOG
    COUNT, LOG = 0, []
""",
        """
assert bump() == 1 and COUNT == 1 and LOG == [1]
bump()
assert COUNT == 2 and LOG == [1, 2]
CONFIG["debug"] = True
assert debug() is True
reset()
assert COUNT == 0 and LOG == []
COUNT = 10
assert bump() == 11 and COUNT == 11
def test_module():
    import solution
    solution.COUNT = 20
    assert solution.bump() == 21 and solution.COUNT == 21
""",
        wrong=("COUNT += 1", "COUNT += 2"),
    ),
    checks(
        "set order is what one process shows",
        """
def order(items):
    return list(items)
def first(items):
    return next(iter(items))
def make(items):
    return set(items)
def join(items):
    return ",".join(items)
def table(items):
    return [x for x in frozenset(items)]
""",
        """
words = {"pear", "fig", "kiwi", "lime", "plum"}
words.discard("fig"); words.add("date"); words.add("apple")
assert order(words) == list(words) and first(words) == next(iter(words))
assert join(words) == ",".join(words)
numbers = {8, 0, 16, 24, 1}
assert order(numbers) == list(numbers)
odd = set(range(100)) ; [odd.discard(i) for i in range(0, 90)]
assert order(odd) == list(odd)
names = ["pear", "fig", "kiwi"]
assert list(make(names)) == list(set(names)) and order(make(names)) == list(set(names))
f = frozenset({1024, 8, 0})
assert order(f) == list(f) and table([8, 0, 16]) == list(frozenset([8, 0, 16]))
mixed = {1, "a", (2, 3), None}
assert order(mixed) == list(mixed)
""",
        wrong=("return list(items)", "return sorted(items, key=repr)"),
    ),
    checks(
        "a set popped and iterated while the other side holds it",
        """
def drain(items):
    out = []
    while items:
        out.append(items.pop())
    return out
def keep_even(items):
    for x in [x for x in items if x % 2]:
        items.remove(x)
    return items
""",
        """
s = {16, 8, 0, 3}
expected = list(s)
t = {16, 8, 0, 3}
want = []
while t:
    want.append(t.pop())
assert drain(s) == want and s == set()
u = {1, 2, 3, 4}
assert keep_even(u) is u and u == {2, 4} and sorted(u) == [2, 4]
""",
        wrong=("if x % 2]", "if not x % 2]"),
    ),
    checks(
        "objects of the tests changed by the candidate",
        """
def promote(employee, title):
    employee.title = title
    employee.history.append(title)
    employee.salary *= 2
    return employee

def call_all(plugins, *args):
    return [plugin.run(*args) for plugin in plugins]

def attributes(x):
    return sorted(vars(x)), getattr(x, "nope", "default"), hasattr(x, "title")
""",
        """
class Employee:
    def __init__(self):
        self.title, self.history, self.salary = "junior", [], 100
e = Employee()
assert promote(e, "senior") is e
assert e.title == "senior" and e.history == ["senior"] and e.salary == 200
class Plugin:
    def __init__(self, n):
        self.n, self.seen = n, []
    def run(self, *args):
        self.seen.append(args)
        return self.n * sum(args)
p = [Plugin(1), Plugin(2)]
assert call_all(p, 3, 4) == [7, 14] and p[0].seen == [(3, 4)]
assert attributes(e)[1:] == ("default", True)
from types import SimpleNamespace
ns = SimpleNamespace(title="", history=[], salary=1)
promote(ns, "x")
assert ns.title == "x" and ns.salary == 2
""",
        wrong=("salary *= 2", "salary *= 3"),
    ),
    checks(
        "linked lists built by the tests' class",
        """
def reverse(head):
    previous = None
    while head is not None:
        head.next, previous, head = previous, head, head.next
    return previous

def to_list(head):
    out = []
    while head:
        out.append(head.val)
        head = head.next
    return out
""",
        """
class ListNode:
    def __init__(self, val=0, next=None):
        self.val, self.next = val, next
def build(items):
    head = None
    for item in reversed(items):
        head = ListNode(item, head)
    return head
assert to_list(build([1, 2, 3])) == [1, 2, 3]
head = build([1, 2, 3])
last = head.next.next
new = reverse(head)
assert new is last and to_list(new) == [3, 2, 1] and head.next is None
assert reverse(None) is None and to_list(reverse(build(list(range(50)))))[0] == 49
""",
        wrong=("return previous", "return head"),
    ),
    checks(
        "trees built by the candidate's class",
        """
class TreeNode:
    def __init__(self, val=0, left=None, right=None):
        self.val, self.left, self.right = val, left, right

def invert(root):
    if root:
        root.left, root.right = invert(root.right), invert(root.left)
    return root

def depth(root):
    return 1 + max(depth(root.left), depth(root.right)) if root else 0
""",
        """
leaf = TreeNode(1)
root = TreeNode(2, leaf, TreeNode(3, TreeNode(4)))
assert depth(root) == 3
assert invert(root) is root and root.right is leaf and root.left.val == 3
root.left.right.left = TreeNode(9)
assert depth(root) == 4 and root.left.right.left.val == 9
""",
        wrong=("invert(root.right), invert(root.left)", "invert(root.left), invert(root.right)"),
    ),
    checks(
        "cyclic and shared containers",
        """
def link(a, b):
    a.append(b)
    b.append(a)
    return a
def cycle():
    x = [1]
    x.append(x)
    return x
def grid(n):
    return [[0] * n for _ in range(n)], [[0] * n] * n
""",
        """
a, b = [], []
r = link(a, b)
assert r is a and a[0] is b and b[0] is a and a[0][0] is a
c = cycle()
assert c[1] is c and c[1][1][0] == 1
good, bad = grid(2)
good[0][0] = 1; bad[0][0] = 1
assert good == [[1, 0], [0, 0]] and bad == [[1, 0], [1, 0]] and bad[0] is bad[1]
""",
        wrong=("x = [1]", "x = [2]"),
    ),
)
