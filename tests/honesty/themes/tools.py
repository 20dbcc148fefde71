"""Jobs, formats, syntax trees and other tools of the library."""

from tests.honesty.program import checks

__all__ = ["PROGRAMS"]

PROGRAMS = (
    checks(
        "a cache that lets go of what nothing uses",
        """
class Entry:
    pass
class Cache:
    def __init__(self):
        self.entries = {}
    def get(self, key):
        return self.entries.setdefault(key, Entry())
    def clear(self):
        self.entries.clear()
""",
        """
import weakref
cache = Cache()
seen = weakref.ref(cache.get("a"))
assert seen() is cache.get("a")
cache.clear()
assert seen() is None
""",
        wrong=("self.entries.clear()", "self.old = dict(self.entries); self.entries.clear()"),
    ),
    checks(
        "weakref and __del__",
        """
import gc, weakref
class Node:
    alive = 0
    def __init__(self, parent=None):
        Node.alive += 1
        self._parent = weakref.ref(parent) if parent else None
        self.children = []
    def add(self):
        child = Node(self)
        self.children.append(child)
        return child
    @property
    def parent(self):
        return self._parent() if self._parent else None
def registry():
    return weakref.WeakValueDictionary()
""",
        """
import weakref
root = Node()
child = root.add()
assert child.parent is root and root.parent is None and root.children == [child]
assert Node.alive == 2
r = registry()
r["a"] = root
assert r["a"] is root and "a" in r and len(r) == 1
ref = weakref.ref(child)
assert ref() is child
""",
        wrong=("weakref.ref(parent) if parent", "weakref.ref(self) if parent"),
    ),
    checks(
        "heapq, bisect, itertools on the candidate's objects",
        """
import heapq
class Job:
    def __init__(self, priority, name):
        self.priority, self.name = priority, name
    def __lt__(self, other):
        return self.priority < other.priority
class Scheduler:
    def __init__(self):
        self.heap = []
    def push(self, job):
        heapq.heappush(self.heap, job)
    def drain(self):
        while self.heap:
            yield heapq.heappop(self.heap).name
def chunks(items, n):
    for i in range(0, len(items), n):
        yield items[i : i + n]
""",
        """
import bisect, heapq, itertools, operator
s = Scheduler()
for p, n in [(3, "c"), (1, "a"), (2, "b")]:
    s.push(Job(p, n))
assert list(s.drain()) == ["a", "b", "c"]
jobs = [Job(1, "x"), Job(5, "z")]
bisect.insort(jobs, Job(3, "y"))
assert [j.name for j in jobs] == ["x", "y", "z"] and min(jobs).name == "x"
assert list(itertools.chain.from_iterable(chunks([1, 2, 3], 2))) == [1, 2, 3]
assert list(itertools.starmap(operator.add, chunks([1, 2, 3, 4], 2))) == [3, 7]
assert [j.name for j in heapq.nlargest(2, jobs)] == ["z", "y"]
assert list(map(operator.attrgetter("priority"), jobs)) == [1, 3, 5]
assert list(itertools.accumulate(chunks("abcd", 2))) == ["ab", "abcd"]
""",
        wrong=("self.priority < other.priority", "self.priority > other.priority"),
    ),
    checks(
        "json, csv, string formatting and templates",
        """
import json, string, textwrap
class Point:
    def __init__(self, x, y):
        self.x, self.y = x, y
    def __format__(self, spec):
        return f"({self.x:{spec}}, {self.y:{spec}})"
def default(o):
    return {"x": o.x, "y": o.y}
def dump(value):
    return json.dumps(value, default=default, sort_keys=True)
def hook(d):
    return Point(d["x"], d["y"]) if set(d) == {"x", "y"} else d
def fill(template, **names):
    return string.Template(template).substitute(names)
""",
        """
import json
assert dump({"p": Point(1, 2)}) == '{"p": {"x": 1, "y": 2}}'
p = json.loads('{"x": 3, "y": 4}', object_hook=hook)
assert isinstance(p, Point) and p.y == 4
assert f"{Point(1, 2):.1f}" == "(1.0, 2.0)" and "{:03d}".format(Point(1, 2)) == "(001, 002)"
assert fill("$a is $b", a=1, b="two") == "1 is two"
assert json.dumps([Point(0, 0)], default=default) == '[{"x": 0, "y": 0}]'
try:
    json.dumps(Point(1, 1))
except TypeError as e:
    assert "Point is not JSON serializable" in str(e)
else:
    assert False
""",
        wrong=("sort_keys=True", "indent=1"),
    ),
    checks(
        "ast, eval and exec of the candidate",
        """
import ast, operator
OPS = {ast.Add: operator.add, ast.Mult: operator.mul, ast.USub: operator.neg}
def calc(text):
    def walk(node):
        match node:
            case ast.Expression(body):
                return walk(body)
            case ast.Constant(value):
                return value
            case ast.BinOp(left, op, right):
                return OPS[type(op)](walk(left), walk(right))
            case ast.UnaryOp(op, operand):
                return OPS[type(op)](walk(operand))
    return walk(ast.parse(text, mode="eval"))
def build(source):
    space = {}
    exec(source, space)
    return space["f"]
""",
        """
assert calc("2 + 3 * -4") == -10
assert build("def f(x): return x + 1")(2) == 3
try:
    calc("1 / 2")
except KeyError as e:
    assert e.args[0].__name__ == "Div"
else:
    assert False
""",
        wrong=("operator.mul", "operator.add"),
    ),
    checks(
        "ipaddress, uuid, enum values and other library objects",
        """
import ipaddress, uuid, collections, types, textwrap, statistics
def hosts(net):
    return list(ipaddress.ip_network(net).hosts())
def ident(n):
    return uuid.UUID(int=n)
def space(**names):
    return types.SimpleNamespace(**names)
def chain(a, b):
    return collections.ChainMap(a, b)
def frozen(d):
    return types.MappingProxyType(d)
def mean(items):
    return statistics.mean(items)
""",
        """
import ipaddress, types, uuid
from fractions import Fraction
assert [str(h) for h in hosts("10.0.0.0/30")] == ["10.0.0.1", "10.0.0.2"]
assert hosts("10.0.0.0/30")[0] == ipaddress.ip_address("10.0.0.1")
assert ident(5) == uuid.UUID(int=5) and ident(5).int == 5
assert space(a=1).a == 1 and space(a=1) == types.SimpleNamespace(a=1)
assert chain({"a": 1}, {"a": 2, "b": 3})["b"] == 3 and dict(chain({"a": 1}, {"a": 2}))["a"] == 1
f = frozen({"k": 1})
assert f["k"] == 1 and dict(f) == {"k": 1}
try:
    f["k"] = 2
except TypeError:
    pass
else:
    assert False
assert mean([Fraction(1, 2), Fraction(1, 3)]) == Fraction(5, 12)
""",
        wrong=("uuid.UUID(int=n)", "uuid.UUID(int=n + 1)"),
    ),
    checks(
        "classes that derive from a library's, and are asked for it",
        """
import ast, json, logging, threading
class Encoder(json.JSONEncoder):
    def default(self, value):
        return sorted(value)
class Own(Encoder):
    pass
class Kept(logging.Handler):
    def emit(self, record):
        pass
class Names(ast.NodeVisitor):
    def __init__(self):
        self.found = []
    def visit_Name(self, node):
        self.found.append(node.id)
class Worker(threading.Thread):
    def __init__(self):
        super().__init__()
        self.result = None
    def run(self):
        self.result = 5
""",
        """
import ast, json, threading
from logging import Handler
assert issubclass(Encoder, json.JSONEncoder) and isinstance(Own(), json.JSONEncoder)
assert json.dumps({"a": {2, 1}}, cls=Own) == '{"a": [1, 2]}'
assert [one.__name__ for one in Own.__mro__] == ["Own", "Encoder", "JSONEncoder", "object"]
assert isinstance(Kept(), Handler) and not issubclass(Kept, json.JSONEncoder)
names = Names()
names.visit(ast.parse("a + b"))
assert names.found == ["a", "b"] and isinstance(names, ast.NodeVisitor)
worker = Worker()
assert isinstance(worker, threading.Thread) and worker.result is None
worker.start()
worker.join()
assert worker.result == 5
""",
        wrong=("sorted(value)", "list(value)[:1]"),
    ),
)
