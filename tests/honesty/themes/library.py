"""Values of the standard library that programs take and give."""

from tests.honesty.program import checks, pytest_file

__all__ = ["PROGRAMS"]

PROGRAMS = (
    checks(
        "regular expressions and Match objects",
        """
import re
DATE = re.compile(r"(?P<y>\\d{4})-(?P<m>\\d\\d)")
def find(text):
    return DATE.search(text)
def all_of(text):
    return list(DATE.finditer(text))
def mask(text, function):
    return DATE.sub(function, text)
""",
        """
import re
m = find("on 2024-05 and")
assert m and m.group("y") == "2024" and m["m"] == "05" and m.span() == (3, 10) and m.start() == 3
assert m.groupdict() == {"y": "2024", "m": "05"} and m.groups() == ("2024", "05")
assert isinstance(m, re.Match) and find("none") is None
assert [x.group() for x in all_of("2024-01 2025-02")] == ["2024-01", "2025-02"]
assert DATE.pattern.startswith("(?P<y>") and isinstance(DATE, re.Pattern) and DATE.match("2024-01")
assert mask("2024-05!", lambda m: m["m"] + "/" + m["y"]) == "05/2024!"
assert DATE.findall("2024-01") == [("2024", "01")] and bool(DATE.fullmatch("2024-011")) is False
""",
        wrong=("DATE.search(text)", "DATE.match(text)"),
    ),
    checks(
        "pathlib",
        """
from pathlib import Path, PurePosixPath
def rename(path, suffix):
    return Path(path).with_suffix(suffix)
def split(path):
    return path.parent, path.stem, path.parts
def pure(text):
    return PurePosixPath(text) / "x"
""",
        """
from pathlib import Path, PurePosixPath
assert rename("/a/b.txt", ".md") == Path("/a/b.md") and str(rename("c.x", "")) == "c"
assert split(Path("/a/b.txt")) == (Path("/a"), "b", ("/", "a", "b.txt"))
assert pure("/q") == PurePosixPath("/q/x") and isinstance(rename("a", ".b"), Path)
assert sorted([rename("b", ".z"), rename("a", ".z")])[0].name == "a.z"
assert rename("a", ".b") in {Path("a.b")} and rename("a", ".b") / "c" == Path("a.b/c")
""",
        wrong=("with_suffix(suffix)", 'with_suffix(suffix + "x")'),
    ),
    checks(
        "StringIO and BytesIO of either side",
        """
import io
def write(stream, *lines):
    for line in lines:
        stream.write(line + "\\n")
def upper(stream):
    return io.StringIO(stream.read().upper())
def pack(data):
    out = io.BytesIO()
    out.write(len(data).to_bytes(2, "big"))
    out.write(data)
    out.seek(0)
    return out
def lines(stream):
    return [line.rstrip() for line in stream]
""",
        """
import io
s = io.StringIO()
write(s, "a", "b")
assert s.getvalue() == "a\\nb\\n"
u = upper(io.StringIO("xyz"))
assert u.read() == "XYZ" and u.read() == "" and u.getvalue() == "XYZ"
p = pack(b"abc")
assert p.read(2) == b"\\x00\\x03" and p.read() == b"abc" and p.getvalue()[2:] == b"abc"
assert lines(io.StringIO("p\\nq")) == ["p", "q"]
assert list(upper(io.StringIO("a\\nb"))) == ["A\\n", "B"]
assert isinstance(u, io.StringIO) and isinstance(p, io.BytesIO)
""",
        wrong=('"big"', '"little"'),
    ),
    checks(
        "dates, times, zones",
        """
from datetime import date, datetime, time, timedelta, timezone
from zoneinfo import ZoneInfo
def next_friday(day):
    return day + timedelta((4 - day.weekday()) % 7 or 7)
def utc(moment):
    return moment.astimezone(timezone.utc)
def berlin(*parts):
    return datetime(*parts, tzinfo=ZoneInfo("Europe/Berlin"))
def age(born, today):
    return today.year - born.year - ((today.month, today.day) < (born.month, born.day))
""",
        """
from datetime import date, datetime, time, timedelta, timezone
assert next_friday(date(2024, 5, 3)) == date(2024, 5, 10) and next_friday(date(2024, 5, 1)).day == 3
m = datetime(2024, 1, 1, 12, tzinfo=timezone(timedelta(hours=2)))
assert utc(m) == datetime(2024, 1, 1, 10, tzinfo=timezone.utc) and utc(m).tzinfo is timezone.utc
assert berlin(2024, 7, 1).utcoffset() == timedelta(hours=2)
assert str(berlin(2024, 1, 1).tzinfo) == "Europe/Berlin"
assert age(date(2000, 5, 5), date(2024, 5, 4)) == 23
assert isinstance(next_friday(datetime(2024, 5, 1, 3)), datetime)
assert berlin(2024, 1, 1) - berlin(2023, 12, 31) == timedelta(1)
assert utc(m).isoformat() == "2024-01-01T10:00:00+00:00"
""",
        wrong=("% 7 or 7", "% 7"),
    ),
    checks(
        "struct, bytes, hashes, base64, zlib",
        """
import struct, hashlib, base64, zlib
def pack(*n):
    return struct.pack(f">{len(n)}H", *n)
def unpack(data):
    return struct.unpack(f">{len(data) // 2}H", data)
def digest(text):
    return hashlib.sha256(text.encode())
def squeeze(data):
    return base64.b64encode(zlib.compress(data))
HEADER = struct.Struct("<IH")
""",
        """
import base64, hashlib, zlib
assert pack(1, 256) == b"\\x00\\x01\\x01\\x00" and unpack(pack(5, 6)) == (5, 6)
assert digest("a").hexdigest() == hashlib.sha256(b"a").hexdigest() and digest("a").digest_size == 32
assert zlib.decompress(base64.b64decode(squeeze(b"x" * 100))) == b"x" * 100
assert HEADER.size == 6 and HEADER.unpack(HEADER.pack(1, 2)) == (1, 2)
h = digest("a"); h.update(b"b")
assert h.hexdigest() == digest("ab").hexdigest()
""",
        wrong=('f">{len(n)}H"', 'f"<{len(n)}H"'),
    ),
    checks(
        "contextvars",
        """
import contextvars, asyncio
user = contextvars.ContextVar("user", default="nobody")
def who():
    return user.get()
def run_as(name, function):
    def inner():
        user.set(name)
        return function()
    return contextvars.copy_context().run(inner)
async def async_who(name):
    user.set(name)
    await asyncio.sleep(0)
    return user.get()
""",
        """
import asyncio
assert who() == "nobody"
token = user.set("ann")
assert who() == "ann"
user.reset(token)
assert who() == "nobody" and user.name == "user"
assert run_as("bob", who) == "bob" and who() == "nobody"
async def main():
    return await asyncio.gather(async_who("a"), async_who("b"))
assert asyncio.run(main()) == ["a", "b"]
""",
        wrong=("user.set(name)\n        return", "user.set(name + name)\n        return"),
    ),
    checks(
        "threads, queues, thread-local data, executors",
        """
import threading, queue
from concurrent.futures import ThreadPoolExecutor
local = threading.local()
def squares(items):
    with ThreadPoolExecutor(3) as pool:
        return list(pool.map(lambda x: x * x, items))
def produce(n):
    q = queue.Queue()
    t = threading.Thread(target=lambda: [q.put(i) for i in range(n)])
    t.start(); t.join()
    return q
def call_in_thread(function):
    out = []
    t = threading.Thread(target=lambda: out.append(function()))
    t.start(); t.join(30)
    return out
class Once:
    def __init__(self):
        self.event = threading.Event()
    def fire(self):
        self.event.set()
""",
        """
import threading
assert squares(range(5)) == [0, 1, 4, 9, 16]
q = produce(3)
assert q.get() == 0 and q.qsize() == 2 and [q.get_nowait(), q.get_nowait()] == [1, 2] and q.empty()
o = Once()
t = threading.Thread(target=o.fire)
t.start()
assert o.event.wait(30) and o.event.is_set()
t.join()
local.x = 5
assert local.x == 5 and call_in_thread(lambda: 7) == [7]
lock = threading.Lock()
with lock:
    assert squares([2]) == [4]
""",
        wrong=("x * x", "x + x"),
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
    pytest_file(
        "the operating system: subprocesses, argv, exit codes",
        """
import argparse, os, subprocess, sys
def parser():
    p = argparse.ArgumentParser(prog="tool")
    p.add_argument("name")
    p.add_argument("-n", "--count", type=int, default=1)
    return p
def main(argv=None):
    args = parser().parse_args(argv)
    print(args.name * args.count)
    return 0 if args.count else 2
def child(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout
""",
        """
import sys
import pytest
from solution import child, main, parser

def test_main(capsys):
    assert main(["ab", "-n", "2"]) == 0
    assert capsys.readouterr().out == "abab\\n"

def test_namespace():
    args = parser().parse_args(["x"])
    assert args.name == "x" and args.count == 1 and vars(args) == {"name": "x", "count": 1}

def test_argv(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["tool", "q", "--count", "3"])
    assert main() == 0 and capsys.readouterr().out.strip() == "qqq"

def test_usage(capsys):
    with pytest.raises(SystemExit) as info:
        main([])
    assert info.value.code == 2 and "usage: tool" in capsys.readouterr().err

def test_child():
    assert child("print(6 * 7)") == "42\\n"
""",
        wrong=("args.name * args.count", "args.name + str(args.count)"),
    ),
    checks(
        "sqlite, tempfile, configparser",
        """
import sqlite3, configparser, tempfile, os
class Db:
    def __init__(self):
        self.connection = sqlite3.connect(":memory:")
        self.connection.execute("create table t (k text primary key, v int)")
    def put(self, k, v):
        with self.connection:
            self.connection.execute("insert into t values (?, ?)", (k, v))
    def rows(self):
        return self.connection.execute("select k, v from t order by k").fetchall()
def config(text):
    parser = configparser.ConfigParser()
    parser.read_string(text)
    return parser
""",
        """
import sqlite3
d = Db()
d.put("b", 2); d.put("a", 1)
assert d.rows() == [("a", 1), ("b", 2)]
try:
    d.put("a", 5)
except sqlite3.IntegrityError as e:
    assert "UNIQUE" in str(e)
else:
    assert False
cursor = d.connection.execute("select count(*) from t")
assert cursor.fetchone() == (2,)
c = config("[s]\\na = 1\\n")
assert c["s"]["a"] == "1" and c.getint("s", "a") == 1 and c.sections() == ["s"]
""",
        wrong=("order by k", "order by v desc"),
    ),
    checks(
        "type objects and classes as values",
        """
from collections import namedtuple
def make(name, **fields):
    return type(name, (), fields)
def kinds(*items):
    return {type(i) for i in items}
def tuple_type(*names):
    return namedtuple("Row", names)
def by_name(name):
    return {"int": int, "list": list, "error": ValueError}[name]
""",
        """
P = make("P", x=1, go=lambda self: self.x + 1)
assert P.__name__ == "P" and P().go() == 2 and isinstance(P(), P) and type(P()) is P
assert kinds(1, "a", 2) == {int, str} and by_name("int") is int
Row = tuple_type("a", "b")
assert Row(1, 2) == (1, 2) and Row(b=1, a=2).a == 2 and Row._fields == ("a", "b")
try:
    raise by_name("error")("x")
except ValueError as e:
    assert str(e) == "x"
assert by_name("list")("ab") == ["a", "b"] and issubclass(bool, by_name("int"))
""",
        wrong=("type(i) for", "type(i).__name__ for"),
    ),
    checks(
        "structural pattern matching on both sides",
        """
from dataclasses import dataclass
@dataclass
class Circle:
    r: float
@dataclass
class Rect:
    w: float
    h: float
def area(shape):
    match shape:
        case Circle(r):
            return 3 * r * r
        case Rect(w=w, h=h) if w == h:
            return ("square", w * h)
        case Rect(w, h):
            return w * h
        case {"kind": "point", **rest}:
            return len(rest)
        case [first, *others]:
            return area(first) + len(others)
        case str() | int():
            return 0
        case _:
            raise TypeError(shape)
def shapes():
    return [Circle(1), Rect(1, 2)]
""",
        """
assert area(Circle(2)) == 12 and area(Rect(2, 3)) == 6 and area(Rect(2, 2)) == ("square", 4)
assert area({"kind": "point", "x": 1}) == 1 and area([Rect(1, 2), 5]) == 3 and area("x") == 0
match shapes():
    case [Circle(r=1), Rect(w, h)]:
        assert (w, h) == (1, 2)
    case other:
        assert False, other
match {"s": shapes()[0]}:
    case {"s": Circle(r)}:
        assert r == 1
    case _:
        assert False
""",
        wrong=("3 * r * r", "2 * r * r"),
    ),
    checks(
        "operator precedence of tests: walrus, comprehension scopes, star expressions",
        """
def items():
    return [1, 2, 3]
def kw(**options):
    return options
def star(*args, last=None):
    return args, last
""",
        """
assert (n := len(items())) == 3 and n == 3
assert [y for x in items() if (y := x * 2) > 2] == [4, 6]
first, *rest = items()
assert rest == [2, 3] and [*items(), 4][-1] == 4
assert kw(**{"a": 1}, b=2) == {"a": 1, "b": 2}
assert star(*items(), last=4) == ((1, 2, 3), 4)
assert {**kw(x=1), "y": 2} == {"x": 1, "y": 2} and print(*[], end="") is None
assert all(x in items() for x in (1, 2)) and any(x == 3 for x in items())
assert lambda: False
""",
        wrong=("return args, last", "return args, None"),
    ),
)
