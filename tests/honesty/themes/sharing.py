"""Globals, order, identity and objects shared by candidate and tests."""

from tests.honesty.program import checks, pytest_file

__all__ = ["PROGRAMS"]

PROGRAMS = (
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
