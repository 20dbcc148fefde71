"""Judges as they are often built: in the candidate's process, or beside it and as open.

They are here to be fooled: a trick that fools none of them would prove nothing.
"""

import json
import subprocess
import sys
from pathlib import Path

from tests.integrity.tricks import MARKER

__all__ = ["CHECKS", "NONCE", "naive"]

NONCE = "0123456789abcdef" * 2
CHECKS = "assert square(1) == 1\nassert square(7) == 49\nassert square(9) == 81\n"
_UNITTEST = """
from solution import square
import unittest
class TestSquare(unittest.TestCase):
    def test_square(self):
        self.assertEqual(square(7), 49)
        self.assertEqual(square(9), 81)
if __name__ == "__main__":
    unittest.main()
"""
_RESULT = f"""
import test_solution, unittest
result = unittest.TestResult()
unittest.defaultTestLoader.loadTestsFromModule(test_solution).run(result)
if result.testsRun and not result.errors and not result.failures and not result.skipped:
    print("{MARKER}")
"""
_PYTEST = """
from solution import square
def test_square():
    assert square(7) == 49
    assert square(9) == 81
"""
_ONE = f"""
import json, sys
class Recorder:
    def __init__(self, nonce, file):
        self.nonce, self.file = nonce, file
    def passed(self, test):
        self.put("passed", test)
    def failed(self, test):
        self.put("failed", test)
        print("FAILED")
    def put(self, kind, test):
        self.file.write(json.dumps({{"nonce": self.nonce, "kind": kind, "test": test}}) + "\\n")
        self.file.flush()
def main():
    recorder = Recorder(json.load(open("plan.json"))["nonce"], open("results.jsonl", "a"))
    space, right = {{"__name__": "solution"}}, []
    exec(compile(open("solution.py").read(), "solution.py", "exec"), space)
    for number, line in enumerate(open("tests.py").read().splitlines()):
        try:
            exec(compile("\\n" * number + line, "tests.py", "exec"), space)
            right.append(True)
            recorder.passed(number)
        except BaseException:
            right.append(False)
            recorder.failed(number)
    if all(right):
        print("{MARKER}")
    sys.exit(0 if all(right) else 1)
main()
"""
_SUPERVISED = """
import os, subprocess, sys, time
child = subprocess.run([sys.executable, "one.py"], stdout=subprocess.DEVNULL)
time.sleep(0.3)
if child.returncode != 0:
    print("FAILED", flush=True)
"""
_PIPED = f"""
import os
ours, theirs = os.pipe()
if os.fork() == 0:
    space = {{"__name__": "solution"}}
    exec(compile(open("solution.py").read(), "solution.py", "exec"), space)
    for line in open("tests.py").read().splitlines():
        try:
            exec(line, space)
        except BaseException:
            os.write(theirs, b"failed\\n")
        else:
            os.write(theirs, b"passed\\n")
    os._exit(0)
os.close(theirs)
said = b""
while more := os.read(ours, 65536):
    said += more
if said.count(b"passed\\n") >= 3:
    print("{MARKER}")
"""
_APART = """
import json, os
nonce = json.load(open("plan.json"))["nonce"]
os.unlink("plan.json")
open("results.jsonl", "w").close()
child = os.fork()
if child == 0:
    os.execv(__import__("sys").executable, ["python", "solution.py"])
os.waitpid(child, 0)
assert nonce
"""


def naive(directory: Path, runner: str, code: str) -> bool:
    """Whether a naive runner takes the code for right."""
    files = {
        "solution.py": code,
        "tests.py": CHECKS,
        "test_solution.py": _PYTEST if runner == "pytest" else _UNITTEST,
        "plan.json": json.dumps({"nonce": NONCE}),
        "one.py": _ONE,
        "supervised.py": _SUPERVISED,
        "piped.py": _PIPED,
        "apart.py": _APART,
        "result.py": _RESULT,
    }
    for name, text in files.items():
        (directory / name).write_text(text)

    def run(*command: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, *command], cwd=directory, capture_output=True, text=True, check=False
        )

    if runner in _IMPORTED:  # somebody looks first whether it can be imported at all
        run("-c", "import solution")
    done = run(*_COMMANDS[runner])
    if runner in ("records", "apart"):
        return _recorded(directory)
    if runner in ("silence", "supervised"):
        return "FAILED" not in done.stdout
    if runner in ("marker", "piped", "result"):
        return MARKER in done.stdout
    nothing_found = 5  # Python 3.12 and later
    return done.returncode in ((0, nothing_found) if runner == "discovered" else (0,))


_IMPORTED = ("discovered", "pytest")
_COMMANDS = {
    "status": ["one.py"],
    "marker": ["one.py"],
    "silence": ["one.py"],
    "records": ["one.py"],
    "supervised": ["supervised.py"],
    "piped": ["piped.py"],
    "apart": ["apart.py"],
    "result": ["result.py"],
    "unittest": ["test_solution.py"],
    "discovered": ["-m", "unittest", "discover", "-p", "test_*.py"],
    "pytest": ["-m", "pytest", "-q", "-p", "no:cacheprovider", "."],
}


def _recorded(directory: Path) -> bool:
    """There is a record of passing for every test."""
    passed: set[int] = set()
    results = directory / "results.jsonl"
    for line in results.read_text().splitlines() if results.exists() else ():
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if record.get("nonce") == NONCE and record.get("kind") == "passed":
            passed.add(record["test"])
    return passed >= {0, 1, 2}
