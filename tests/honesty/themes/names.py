"""Sorting keys, names and imports."""

from tests.honesty.program import checks, pytest_file

__all__ = ["PROGRAMS"]

PROGRAMS = (
    checks(
        "attributes that the module computes",
        """
def __getattr__(name):
    if name.startswith("twice_"):
        return 2 * int(name.removeprefix("twice_"))
    raise AttributeError(name)
""",
        """
import solution
from solution import twice_4
assert solution.twice_21 == 42 and twice_4 == 8
assert not hasattr(solution, "other")
""",
        wrong=("2 * int", "3 * int"),
    ),
    checks(
        "type hints of classes",
        """
from __future__ import annotations
from dataclasses import dataclass

@dataclass
class Tree:
    value: int
    left: Tree | None = None
    names: list[str] | None = None
""",
        """
import typing
hints = typing.get_type_hints(Tree)
assert hints["value"] is int and hints["left"] == (Tree | None)
assert hints["names"] == (list[str] | None)
assert Tree(1, Tree(2)).left.value == 2
""",
        wrong=("value: int", "value: float"),
    ),
    checks(
        "default arguments kept between calls",
        """
def remember(x, seen=[]):
    seen.append(x)
    return seen

def later(n):
    return [lambda i=i: i * 10 for i in range(n)]
""",
        """
assert remember(1) == [1]
assert remember(2) == [1, 2] and remember(3) is remember.__defaults__[0]
assert [f() for f in later(3)] == [0, 10, 20] and later(2)[1](7) == 70
assert remember(9, []) == [9]
""",
        wrong=("seen=[]):", "seen=()):\n    seen = list(seen)"),
    ),
    checks(
        "sorting with key functions of the candidate",
        """
import functools

def natural(text):
    return (len(text), text)

def backwards(a, b):
    return (b > a) - (b < a)

KEY = functools.cmp_to_key(backwards)

def ranked(items, key=natural):
    return sorted(items, key=key)
""",
        """
import itertools, heapq
assert sorted(["bb", "a", "ccc", "aa"], key=natural) == ["a", "aa", "bb", "ccc"]
assert sorted([1, 3, 2], key=KEY) == [3, 2, 1]
assert max(["x", "yy"], key=natural) == "yy"
assert ranked(["bb", "a"]) == ["a", "bb"] and ranked([2, 1], key=lambda x: -x) == [2, 1]
groups = {k: list(g) for k, g in itertools.groupby(["aa", "bb", "c"], key=lambda s: natural(s)[0])}
assert groups == {2: ["aa", "bb"], 1: ["c"]}
assert heapq.nsmallest(1, ["bb", "a"], key=natural) == ["a"]
items = ["b", "a"]
items.sort(key=natural)
assert items == ["a", "b"] and list(filter(natural, items))
assert list(map(natural, "a")) == [(1, "a")]
""",
        wrong=("(len(text), text)", "(text, len(text))"),
    ),
    checks(
        "a candidate's own sum and max",
        """
def sum(items):
    total = 0
    for item in items:
        total += item if item > 0 else 0
    return total

def max(a, b=None):
    return ("max", a)
""",
        """
import math
assert sum([1, -5, 2]) == 3
assert max([1, 2]) == ("max", [1, 2])
assert math.floor(2.5) == 2
""",
        wrong=("if item > 0 else 0", "if item > 1 else 0"),
    ),
    checks(
        "a candidate's own sum, with a helper import of the tests",
        """
def amicable(limit):
    found = set()
    for n in range(2, limit):
        m = sum(d for d in range(1, n) if n % d == 0)
        if m > n and sum(d for d in range(1, m) if m % d == 0) == n:
            found |= {n, m}
    return sorted(found)

def sum(items):
    total = 0
    for item in items:
        total += item
    return total
""",
        """
from random import randint
assert amicable(300) == [220, 284]
assert sum([1, 2]) == 3
assert sum(iter([randint(1, 1)])) == 1
""",
        wrong=("n % d == 0", "n % d == 1"),
    ),
    pytest_file(
        "imports of the candidate in several ways",
        """
VERSION = "1.0"
__all__ = ["add", "VERSION"]
def add(a, b):
    return a + b
def _hidden():
    return 42
class Thing:
    pass
""",
        """
import importlib, sys
import solution
import solution as other
from solution import *
from solution import _hidden, Thing as T

def test_all_ways():
    assert solution is other and solution.add is add and VERSION == solution.VERSION
    assert importlib.import_module("solution") is solution and sys.modules["solution"] is solution
    assert _hidden() == 42 and solution.__name__ == "solution" and T is solution.Thing
    assert T.__module__ == "solution" and add.__module__ == "solution"

def test_inside():
    from solution import add as plus
    assert plus(1, 2) == 3
    assert "_hidden" in dir(solution) and hasattr(solution, "Thing")
    assert not hasattr(solution, "missing") and getattr(solution, "add")(1, 1) == 2

def test_missing():
    try:
        from solution import missing
    except ImportError as e:
        assert "missing" in str(e)
    else:
        assert False
""",
        wrong=("return a + b", "return a - b"),
    ),
    checks(
        "import of the candidate within assertions",
        """
def add(a, b):
    return a + b
RATE = 3
""",
        """
import solution
from solution import add as plus
assert plus(1, 2) == 3 and solution.RATE == 3 and solution.add is add
def test_inside():
    from solution import RATE as rate
    import importlib
    assert rate == 3 and importlib.import_module("solution").add(2, 2) == 4
""",
        wrong=("return a + b", "return a * b + 1"),
    ),
    checks(
        "functions as values: tables, identity, recursion by name",
        """
def add(a, b): return a + b
def sub(a, b): return a - b
OPS = {"+": add, "-": sub}

def evaluate(tokens):
    stack = []
    for t in tokens:
        if t in OPS:
            b, a = stack.pop(), stack.pop()
            stack.append(OPS[t](a, b))
        else:
            stack.append(t)
    return stack[0]
""",
        """
assert OPS["+"] is add and evaluate([1, 2, "+", 3, "-"]) == 0
OPS["*"] = lambda a, b: a * b
assert evaluate([4, 5, "*"]) == 20
assert sorted(OPS) == ["*", "+", "-"] and {add: 1}[OPS["+"]] == 1
""",
        wrong=("stack.append(t)", "stack.append(t + 1)"),
    ),
    checks(
        "unicode names and text",
        """
def größe(straße):
    return len(straße)
π = 3
class Été:
    naïve = "ï"
def emoji():
    return "👍🏽\\u200d\\ud800"
""",
        """
assert größe("weiß") == 4 and π == 3 and Été().naïve == "ï"
assert emoji() == "👍🏽\\u200d\\ud800" and len(emoji()) == 4
assert größe.__name__ == "größe"
""",
        wrong=("len(straße)", "len(straße.encode())"),
    ),
    pytest_file(
        "values of the module of the code, as its dictionary shows them",
        """
import math

LIMIT = 3

def area(radius):
    return math.pi * radius**2

class Shape:
    pass
""",
        """
import types
import solution

def test_values():
    assert solution.area in vars(solution).values()
    assert solution.Shape in list(vars(solution).values())
    functions = {n for n, v in vars(solution).items() if isinstance(v, types.FunctionType)}
    assert functions == {"area"}

def test_copy():
    assert dict(vars(solution))["LIMIT"] == 3
    assert {n: v for n, v in solution.__dict__.items() if n.isupper()} == {"LIMIT": 3}
""",
        wrong=("LIMIT = 3", "LIMIT = 4"),
    ),
)
