"""unittest with mocks and skips, and whole scripts."""

from tests.honesty.program import checks, script

__all__ = ["PROGRAMS"]

PROGRAMS = (
    checks(
        "unittest.mock as decorators of methods",
        """
import os, subprocess
def size(path):
    return os.path.getsize(path) // 1024
def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else None
""",
        """
import unittest
from unittest import mock

class ToolTest(unittest.TestCase):
    @mock.patch("os.path.getsize", return_value=4096)
    def test_size(self, getsize):
        self.assertEqual(size("/x"), 4)
        getsize.assert_called_once_with("/x")
    @mock.patch("subprocess.run")
    def test_run(self, run_):
        run_.return_value = mock.Mock(returncode=0, stdout=" out \\n")
        self.assertEqual(run(["ls"]), "out")
        run_.return_value.returncode = 1
        self.assertIsNone(run(["ls"]))
        self.assertEqual(run_.call_count, 2)
        self.assertEqual(run_.call_args.kwargs["text"], True)
""",
        wrong=("// 1024", "// 512"),
    ),
    checks(
        "one unittest skipped by its author",
        """
def area(w, h):
    return w * h
""",
        """
import sys
import unittest

class AreaTest(unittest.TestCase):
    def test_area(self):
        self.assertEqual(area(2, 3), 6)
    @unittest.skip("extra credit")
    def test_negative(self):
        self.assertRaises(ValueError, area, -1, 1)
    @unittest.skipIf(sys.version_info < (3, 0), "python 3")
    def test_zero(self):
        self.assertEqual(area(0, 9), 0)
    @unittest.expectedFailure
    def test_text(self):
        self.assertEqual(area("a", 2), 4)
""",
        wrong=("w * h", "w + h + 1"),
    ),
    script(
        "a script with unittest.main at its end",
        """
def gcd(a, b):
    while b:
        a, b = b, a % b
    return a
if __name__ == "__main__":
    READY = True
""",
        """
import unittest
class GcdTest(unittest.TestCase):
    def test_gcd(self):
        self.assertEqual(gcd(12, 18), 6)
        self.assertTrue(READY)
        self.assertEqual(__name__, "__main__")
if __name__ == "__main__":
    unittest.main()
""",
        wrong=("a % b", "a // b"),
    ),
    script(
        "check(candidate), as published benchmarks are",
        """
def add(x, y):
    return x + y
""",
        """
METADATA = {"author": "x"}

def check(candidate):
    assert candidate(0, 1) == 1
    assert candidate(2, 3) == 5
    import random
    for _ in range(20):
        x, y = random.randint(0, 1000), random.randint(0, 1000)
        assert candidate(x, y) == x + y

check(add)
""",
        wrong=("x + y", "x | y"),
    ),
    checks(
        "mixins, inherited tests, module fixtures",
        """
class Stack(list):
    push = list.append
    def peek(self):
        return self[-1]
class Queue(list):
    push = list.append
    def peek(self):
        return self[0]
    def pop(self):
        return super().pop(0)
""",
        """
import unittest

class Common:
    make = None
    def test_single(self):
        box = self.make()
        box.push(1)
        self.assertEqual(box.peek(), 1)
        self.assertEqual(box.pop(), 1)
        self.assertEqual(len(box), 0)

class StackTest(Common, unittest.TestCase):
    make = Stack
    def test_order(self):
        s = self.make([1, 2])
        self.assertEqual((s.pop(), s.peek()), (2, 1))

class QueueTest(Common, unittest.TestCase):
    make = Queue
    def test_order(self):
        q = self.make([1, 2])
        self.assertEqual((q.pop(), q), (1, [2]))
""",
        wrong=("super().pop(0)", "super().pop()"),
    ),
)
