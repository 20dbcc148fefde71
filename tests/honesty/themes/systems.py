"""Jobs, formats, processes and databases."""

from tests.honesty.program import checks, pytest_file

__all__ = ["PROGRAMS"]

PROGRAMS = (
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
    checks(
        "the working directory changed by the code, looked at by the tests",
        """
import os
from contextlib import contextmanager
@contextmanager
def inside(path):
    before = os.getcwd()
    os.chdir(path)
    try:
        yield path
    finally:
        os.chdir(before)
def go(path):
    os.chdir(path)
""",
        """
import os, tempfile
before = os.getcwd()
with tempfile.TemporaryDirectory() as folder:
    folder = os.path.realpath(folder)
    with inside(folder) as path:
        assert os.getcwd() == path
        open("x.txt", "w").close()
    assert os.getcwd() == before and os.listdir(folder) == ["x.txt"]
    go(folder)
    assert os.path.exists("x.txt") and os.getcwd() == folder
    os.chdir(before)
assert os.getcwd() == before
""",
        wrong=("    finally:\n        os.chdir(before)", "    finally:\n        pass"),
    ),
    checks(
        "modules in packages that code and tests import by one name",
        """
import concurrent.futures as cf
import xml.etree.ElementTree as ET
from types import MappingProxyType
def build(items):
    root = ET.Element("root", {"n": str(len(items))})
    for key, value in items.items():
        ET.SubElement(root, key).text = str(value)
    return root
def squares(numbers):
    with cf.ThreadPoolExecutor(2) as pool:
        return list(pool.map(lambda n: n * n, numbers))
def fixed(items):
    return MappingProxyType(dict(items))
""",
        """
import concurrent.futures as cf
import types
import xml.etree.ElementTree as ET
assert ET.tostring(build({"a": 1})) == b'<root n="1"><a>1</a></root>'
assert [child.tag for child in build({"a": 1, "b": 2})] == ["a", "b"]
assert squares([1, 2]) == [1, 4] and issubclass(cf.ThreadPoolExecutor, cf.Executor)
assert isinstance(fixed({}), types.MappingProxyType) and dict(fixed({"a": 1})) == {"a": 1}
""",
        wrong=("str(len(items))", "str(len(items) + 1)"),
    ),
    checks(
        "threads of the code that call the tests while these sleep or wait",
        """
import threading
def debounce(wait):
    def decorate(f):
        timer = None
        def called(*args):
            nonlocal timer
            if timer:
                timer.cancel()
            timer = threading.Timer(wait, f, args)
            timer.start()
        return called
    return decorate
class Every:
    def __init__(self, seconds, f):
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.run, args=(seconds, f), daemon=True)
        self.thread.start()
    def run(self, seconds, f):
        while not self.ended.wait(seconds):
            f()
    def stop(self):
        self.ended.set()
        self.thread.join()
""",
        """
import queue, threading, time
def test_append():
    calls = []
    late = debounce(0.02)(calls.append)
    for i in range(5): late(i)
    time.sleep(0.3)
    assert calls == [4]
def test_event():
    tick, calls = threading.Event(), []
    def f(): calls.append(1); tick.set()
    every = Every(0.01, f)
    assert tick.wait(5)
    every.stop()
    before = len(calls)
    time.sleep(0.05)
    assert len(calls) == before >= 1
def test_queue():
    found = queue.Queue()
    def f(x): found.put(x + 1)
    debounce(0.01)(f)(5)
    assert found.get(timeout=5) == 6
""",
        wrong=("timer.cancel()", "pass"),
    ),
)
