"""unittest with mocks and skips, and whole scripts."""

from tests.honesty.program import checks, pytest_file, script

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
    checks(
        "modules that are not installed, replaced in sys.modules",
        """
def upload(data):
    import boto3
    return boto3.client("s3").put_object(Body=data)
def price(n):
    import stripe_client
    from acme.tools import OFFSET
    try:
        return stripe_client.lookup(n) * 2 + OFFSET
    except stripe_client.Refused as error:
        return str(error)
def reader():
    try:
        import json
    except ImportError:
        return "none"
    return "json"
""",
        """
import sys, types
from unittest.mock import MagicMock, patch
fake = MagicMock()
fake.client.return_value.put_object.return_value = "ok"
with patch.dict(sys.modules, {"boto3": fake}):
    assert upload(b"x") == "ok"
fake.client.assert_called_once_with("s3")
try:
    upload(b"x")
except ModuleNotFoundError as error:
    assert error.name == "boto3"
else:
    raise AssertionError("boto3 is there")
client = types.ModuleType("stripe_client")
class Refused(Exception): pass
def lookup(n):
    if n < 0:
        raise Refused("no")
    return n + 1
client.lookup, client.Refused = lookup, Refused
tools = types.ModuleType("acme.tools")
tools.OFFSET = 1
sys.modules.update({"stripe_client": client, "acme": MagicMock(), "acme.tools": tools})
assert price(3) == 9 and price(-1) == "no"
with patch.dict("sys.modules", {"json": None}):
    assert reader() == "none"
assert reader() == "json"
""",
        wrong=('client("s3")', 'client("s4")'),
    ),
    pytest_file(
        "modules that are not installed, replaced before the code is imported",
        """
from cloud.storage import Client
def names(prefix):
    return [one for one in Client().names() if one.startswith(prefix)]
""",
        """
import sys
from unittest.mock import MagicMock
sys.modules["cloud"] = MagicMock()
sys.modules["cloud.storage"] = storage = MagicMock()
from solution import names
storage.Client.return_value.names.return_value = ["ab", "b"]
def test_names():
    assert names("a") == ["ab"]
""",
        wrong=("if one.startswith(prefix)", ""),
    ),
    pytest_file(
        "the code imported anew in another environment",
        """
import os
MODE = os.environ.get("MODE", "dev")
def mode():
    return MODE
""",
        """
import sys
def test_first():
    import solution
    assert solution.mode() == "dev"
def test_again(monkeypatch):
    monkeypatch.setenv("MODE", "prod")
    monkeypatch.delitem(sys.modules, "solution", raising=False)
    import solution
    assert solution.mode() == "prod"
""",
        wrong=('"dev"', '"test"'),
    ),
)
