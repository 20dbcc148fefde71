"""Small tasks in the manner of programming contests, each with a right and a wrong solution."""

import base64
import json
import pickle
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["FUNCTIONS", "PROGRAMS", "Function", "Program", "packed"]


@dataclass(frozen=True, kw_only=True)
class Program:
    """A task for a program: what it reads and writes."""

    name: str
    question: str
    pairs: Sequence[tuple[str, str]]
    right: str
    wrong: str


@dataclass(frozen=True, kw_only=True)
class Function:
    """A task for a function: its arguments and results."""

    name: str
    question: str
    calls: Sequence[tuple[list[Any], Any]]
    right: str
    wrong: str

    @property
    def starter(self) -> str:
        """The head of a class with the method."""
        return f"class Solution:\n    def {self.name}(self, *args):\n        "

    @property
    def method(self) -> str:
        """The right solution as a method."""
        return _method(self.right, self.name)

    @property
    def wrong_method(self) -> str:
        """The wrong solution as a method."""
        return _method(self.wrong, self.name)


def _method(code: str, name: str) -> str:
    return f"{code}\nclass Solution:\n    def {name}(self, *args):\n        return {name}(*args)\n"


def packed(tests: Any) -> str:
    """Pack tests as private ones are published."""
    return base64.b64encode(zlib.compress(pickle.dumps(json.dumps(tests)))).decode()


PROGRAMS = (
    Program(
        name="sum",
        question="Add up all numbers of the input.",
        pairs=[("1 2 3\n", "6\n"), ("\n", "0\n"), ("10\n-4\n5 5", "16")],
        right="import os\nprint(sum(map(int, os.read(0, os.fstat(0).st_size).split())))\n",
        wrong="print(sum(map(int, input().split())))\n",
    ),
    Program(
        name="largest",
        question="The first line says how many numbers follow. Print the largest.",
        pairs=[("3\n1 9 2\n", "9\n"), ("1\n-5\n", "-5\n"), ("2\n-3 -2\n", "-2\n")],
        right="import sys\n_, *xs = map(int, sys.stdin.buffer.read().split())\nprint(max(xs))\n",
        wrong="n = int(input())\nprint(max(0, *map(int, input().split())))\n",
    ),
    Program(
        name="mean",
        question="Print the mean of the numbers. An error of 1e-5 is allowed.",
        pairs=[("1 2\n", "1.5\n"), ("1 1 2\n", "1.33333333\n"), ("10\n", "10\n")],
        right="xs = [int(x) for x in input().split()]\nprint(f'{sum(xs) / len(xs):.8f}')\n",
        wrong="xs = [int(x) for x in input().split()]\nprint(sum(xs) // len(xs))\n",
    ),
    Program(
        name="reverse",
        question="Print the lines in reverse order.",
        pairs=[("a\nb\n", "b\na\n"), ("x", "x"), ("1\n2\n3", "3\n2\n1")],
        right="import sys\nfor line in reversed(sys.stdin.read().split()): print(line)\n",
        wrong="import sys\nfor line in sorted(sys.stdin.read().split()): print(line)\n",
    ),
    Program(
        name="queries",
        question="T queries follow, each with two numbers. Print each product on a line.",
        pairs=[("2\n2 3\n4 5\n", "6\n20\n"), ("1\n0 9\n", "0\n"), ("1\n-1 7\n", "-7\n")],
        right=(
            "import sys\ninput = sys.stdin.readline\n"
            "for _ in range(int(input())):\n"
            "    a, b = map(int, input().split())\n    print(a * b)\n"
        ),
        wrong="for _ in range(int(input())):\n    print(sum(map(int, input().split())))\n",
    ),
    Program(
        name="words",
        question="Count the different words, upper and lower case being different.",
        pairs=[("a b a\n", "2\n"), ("A a\n", "2\n"), ("x\ny\nx\n", "2\n")],
        right="import sys\nprint(len({word for line in sys.stdin for word in line.split()}))\n",
        wrong="import sys\nprint(len(set(sys.stdin.readline().lower().split())))\n",
    ),
    Program(
        name="balanced",
        question="Print YES if the brackets match, else NO.",
        pairs=[("(())\n", "YES\n"), ("())(\n", "NO\n"), ("(\n", "NO\n")],
        right=(
            "import mmap\nwith mmap.mmap(0, 0, prot=mmap.PROT_READ) as data:\n"
            "    depth, good = 0, True\n"
            "    for char in data[:].decode().strip():\n"
            "        depth += 1 if char == '(' else -1\n        good = good and depth >= 0\n"
            "print('YES' if good and not depth else 'NO')\n"
        ),
        wrong="s = input()\nprint('YES' if s.count('(') == s.count(')') else 'NO')\n",
    ),
    Program(
        name="primes",
        question="Print all primes up to n, one on a line.",
        pairs=[("10\n", "2\n3\n5\n7\n"), ("1\n", ""), ("9\n", "2 3 5 7")],
        right=(
            "n = int(open(0).read())\n"
            "for p in range(2, n + 1):\n    if all(p % d for d in range(2, p)): print(p)\n"
        ),
        wrong="n = int(input())\nprint(2)\nfor p in range(3, n + 1, 2): print(p)\n",
    ),
    Program(
        name="twice",
        question="Read the input twice: print the number of lines, then the longest line.",
        pairs=[("a\nbbb\ncc\n", "3\nbbb\n"), ("x\n", "1\nx\n"), ("ab\nc\n", "2\nab\n")],
        right=(
            "import sys\nprint(len(sys.stdin.readlines()))\nsys.stdin.seek(0)\n"
            "print(max(sys.stdin.read().split(), key=len))\n"
        ),
        wrong="import sys\nlines = sys.stdin.readlines()\nprint(len(lines))\nprint(lines[-1])\n",
    ),
    Program(
        name="big",
        question="Print n factorial.",
        pairs=[("5\n", "120\n"), ("0\n", "1\n"), ("25\n", "15511210043330985984000000\n")],
        right="import math\nprint(math.factorial(int(input())))\n",
        wrong="import math\nprint(math.factorial(int(input())) // 10 * 10)\n",
    ),
)

FUNCTIONS = (
    Function(
        name="twoSum",
        question="Return the indices of two numbers that add up to the target, in order.",
        calls=[([[2, 7, 11], 9], [0, 1]), ([[3, 2, 4], 6], [1, 2]), ([[3, 3], 6], [0, 1])],
        right=(
            "def twoSum(nums, target):\n    seen = {}\n    for i, n in enumerate(nums):\n"
            "        if target - n in seen: return seen[target - n], i\n        seen[n] = i\n"
        ),
        wrong=(
            "def twoSum(nums, target):\n    return [nums.index(n) for n in nums"
            " if target - n in nums]\n"
        ),
    ),
    Function(
        name="isEven",
        question="Return whether n is even.",
        calls=[([2], True), ([3], False), ([0], True)],
        right="def isEven(n):\n    return n % 2 == 0\n",
        wrong="def isEven(n):\n    return True\n",
    ),
    Function(
        name="pairs",
        question="Return all pairs of neighbours.",
        calls=[([[1, 2, 3]], [[1, 2], [2, 3]]), ([[1]], []), ([[]], [])],
        right="def pairs(xs):\n    return list(zip(xs, xs[1:]))\n",
        wrong="def pairs(xs):\n    return list(zip(xs, xs))\n",
    ),
    Function(
        name="shout",
        question="Return the text in upper case with an exclamation mark.",
        calls=[(["hey"], "HEY!"), ([""], "!"), (["a b"], "A B!")],
        right="def shout(text):\n    return text.upper() + '!'\n",
        wrong="def shout(text):\n    return text.title() + '!'\n",
    ),
    Function(
        name="flatten",
        question="Flatten a list of lists of any depth.",
        calls=[([[1, [2, [3]]]], [1, 2, 3]), ([[]], []), ([[[[]]]], [])],
        right=(
            "def flatten(xs):\n    out = []\n    for x in xs:\n"
            "        out += flatten(x) if isinstance(x, list) else [x]\n    return out\n"
        ),
        wrong="def flatten(xs):\n    return [x for x in xs if not isinstance(x, list)]\n",
    ),
    Function(
        name="half",
        question="Return half of n.",
        calls=[([3], 1.5), ([4], 2.0), ([-1], -0.5)],
        right="def half(n):\n    return n / 2\n",
        wrong="def half(n):\n    return n // 2\n",
    ),
    Function(
        name="count",
        question="Count how often each word comes.",
        calls=[([["a", "b", "a"]], {"a": 2, "b": 1}), ([[]], {}), ([["x"]], {"x": 1})],
        right="from collections import Counter\ndef count(words):\n    return Counter(words)\n",
        wrong="def count(words):\n    return dict.fromkeys(words, 1)\n",
    ),
    Function(
        name="clamp",
        question="Return n, but at least low and at most high.",
        calls=[([5, 1, 3], 3), ([0, 1, 3], 1), ([2, 1, 3], 2)],
        right="def clamp(n, low, high):\n    return max(low, min(n, high))\n",
        wrong="def clamp(n, low, high):\n    return min(n, high)\n",
    ),
    Function(
        name="first",
        question="Return the first text that begins with the prefix, or null.",
        calls=[([["ab", "cd"], "c"], "cd"), ([["ab"], "x"], None), ([[], ""], None)],
        right=(
            "def first(texts, prefix):\n"
            "    return next((t for t in texts if t.startswith(prefix)), None)\n"
        ),
        wrong="def first(texts, prefix):\n    return texts[0]\n",
    ),
    Function(
        name="rotate",
        question="Rotate a matrix clockwise.",
        calls=[([[[1, 2], [3, 4]]], [[3, 1], [4, 2]]), ([[[1]]], [[1]]), ([[[1, 2]]], [[1], [2]])],
        right="def rotate(rows):\n    return [list(row) for row in zip(*rows[::-1])]\n",
        wrong="def rotate(rows):\n    return [list(row) for row in zip(*rows)]\n",
    ),
)
