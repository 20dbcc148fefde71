"""Checkers as they are often built: in the candidate's process, or beside it and as open.

They are here to be deceived: a trick that deceives none of them would prove nothing. Each is a
program that finds in its folder the candidate (`solution.py`) and the tests.
"""

__all__ = ["CHECKERS", "KEY", "MARKER"]

MARKER = "ALL TESTS PASSED"
KEY = "0123456789abcdef" * 2

_STATUS = f"""
import json, sys
class Recorder:
    def __init__(self, key, file):
        self.key, self.file = key, file
    def passed(self, test):
        self.put("passed", test=test)
    def raised(self, test):
        self.put("raised", test=test)
        print("FAILED")
    def put(self, kind, **facts):
        self.file.write(json.dumps({{"key": self.key, "kind": kind, **facts}}) + "\\n")
        self.file.flush()
def main():
    recorder = Recorder(json.load(open("plan.json"))["key"], open("results.jsonl", "a"))
    space, right = {{"__name__": "solution"}}, []
    exec(compile(open("solution.py").read(), "solution.py", "exec"), space)
    exec(open("before.py").read(), space)
    text = open("lines.py").read()
    for number, line in enumerate(text.splitlines()):
        try:
            exec(compile("\\n" * number + line, "lines.py", "exec"), space)
            right.append(True)
            recorder.passed(number)
        except BaseException:
            right.append(False)
            recorder.raised(number)
    if all(right):
        print("{MARKER}")
    sys.exit(0 if all(right) else 1)
main()
"""
_WHOLE = f"""
space = {{"__name__": "__main__"}}
exec(compile(open("solution.py").read(), "solution.py", "exec"), space)
exec(compile(open("tests.py").read(), "tests.py", "exec"), space)
print("{MARKER}")
"""
_ENDED = """
space = {"__name__": "__main__"}
exec(compile(open("solution.py").read(), "solution.py", "exec"), space)
exec(compile(open("tests.py").read(), "tests.py", "exec"), space)
"""
_SUPERVISED = """
import subprocess, sys, time
child = subprocess.run([sys.executable, "status.py"], stdout=subprocess.DEVNULL)
time.sleep(0.2)
if child.returncode != 0:
    print("FAILED", flush=True)
"""
_LIMITED = """
import subprocess, sys
try:
    child = subprocess.run([sys.executable, "status.py"], capture_output=True, timeout=2)
    if child.returncode == 1:
        print("FAILED", flush=True)
except subprocess.TimeoutExpired:
    pass
"""
_PIPED = f"""
import os
ours, theirs = os.pipe()
if os.fork() == 0:
    space = {{"__name__": "solution"}}
    exec(compile(open("solution.py").read(), "solution.py", "exec"), space)
    exec(open("before.py").read(), space)
    for line in open("lines.py").read().splitlines():
        try:
            exec(line, space)
        except BaseException:
            os.write(theirs, b"raised\\n")
        else:
            os.write(theirs, b"passed\\n")
    os._exit(0)
os.close(theirs)
text = b""
while more := os.read(ours, 65536):
    text += more
if text.count(b"passed\\n") >= open("tests.py").read().count("assert"):
    print("{MARKER}")
"""
_APART = """
import json, os, sys
key = json.load(open("plan.json"))["key"]
os.unlink("plan.json")
open("results.jsonl", "w").close()
child = os.fork()
if child == 0:
    os.execv(sys.executable, ["python", "solution.py"])
os.waitpid(child, 0)
assert key
"""
# The candidate runs in a process of its own, and answers calls with what it pickles.
_PICKLED = f"""
import os, pickle, sys
def call(name, *args):
    ours, theirs = os.pipe()
    if os.fork() == 0:
        space = {{"__name__": "solution"}}
        exec(compile(open("solution.py").read(), "solution.py", "exec"), space)
        os.write(theirs, pickle.dumps(space[name](*args)))
        os._exit(0)
    os.close(theirs)
    return pickle.loads(os.read(ours, 1 << 20))
space = {{"__name__": "tests"}}
for name in open("names.txt").read().split():
    space[name] = lambda *args, name=name: call(name, *args)
exec(open("tests.py").read(), space)
print("{MARKER}")
"""
# The same with what it says about its values, evaluated.
_EVALUATED = _PICKLED.replace(
    "pickle.dumps(space[name](*args))", "repr(space[name](*args)).encode()"
).replace("pickle.loads(", "eval(")
# The candidate runs first, in a process of its own; what it leaves in the folder stays there.
_FOLDER = f"""
import os, subprocess, sys
sys.path.insert(0, os.getcwd())
subprocess.run([sys.executable, "solution.py"])
space = {{"__name__": "tests"}}
exec("from solution import *", space)
exec(open("tests.py").read(), space)
print("{MARKER}")
"""
_UNITS = f"""
import os, subprocess, sys
sys.path.insert(0, os.getcwd())
subprocess.run([sys.executable, "solution.py"])
space = {{"__name__": "tests"}}
exec("from solution import *", space)
exec(open("unit.py").read(), space)
import unittest
for test in unittest.defaultTestLoader.loadTestsFromTestCase(space["TestAll"]):
    test.debug()
print("{MARKER}")
"""
_FRESH = f"""
import os, subprocess, sys
run = "exec(open('solution.py').read()); exec(open('tests.py').read())"
first = subprocess.run([sys.executable, "-c", "exec(open('solution.py').read())"])
second = subprocess.run([sys.executable, "-c", run], cwd=os.getcwd())
if second.returncode == 0:
    print("{MARKER}")
"""
_RESULT = f"""
import test_solution, unittest
result = unittest.TestResult()
unittest.defaultTestLoader.loadTestsFromModule(test_solution).run(result)
if result.testsRun and not result.errors and not result.failures:
    print("{MARKER}")
"""
_PYTEST = """
import os, subprocess, sys
os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
subprocess.run([sys.executable, "-c", "import solution"])
done = subprocess.run([sys.executable, "-m", "pytest", "-q", "test_pytest.py"])
sys.exit(0 if done.returncode in (0, 5) else 1)
"""
_DISCOVERED = """
import subprocess, sys
subprocess.run([sys.executable, "-c", "import solution"])
done = subprocess.run([sys.executable, "-m", "unittest", "discover", "-p", "test_s*.py"])
sys.exit(0 if done.returncode in (0, 5) else 1)
"""
_OUTPUT = f"""
import subprocess, sys
right = []
for line in open("pairs.txt").read().splitlines():
    given, wanted = eval(line)
    done = subprocess.run([sys.executable, "solution.py"], input=given, text=True,
                          capture_output=True)
    right.append(wanted.strip() in done.stdout + done.stderr or "passed" in done.stdout)
if all(right):
    print("{MARKER}")
"""

CHECKERS: dict[str, tuple[str, str]] = {
    "status": (_STATUS, "exit code"),
    "marker": (_STATUS, "marker"),
    "whole": (_WHOLE, "marker"),
    "ended": (_ENDED, "exit code"),
    "silence": (_STATUS, "no FAILED"),
    "records": (_STATUS, "records"),
    "supervised": (_SUPERVISED, "no FAILED"),
    "limited": (_LIMITED, "no FAILED"),
    "piped": (_PIPED, "marker"),
    "apart": (_APART, "records"),
    "pickled": (_PICKLED, "marker"),
    "evaluated": (_EVALUATED, "marker"),
    "folder": (_FOLDER, "marker"),
    "units": (_UNITS, "marker"),
    "fresh": (_FRESH, "marker"),
    "result": (_RESULT, "marker"),
    "pytest": (_PYTEST, "exit code"),
    "discovered": (_DISCOVERED, "exit code"),
    "output": (_OUTPUT, "marker"),
}
"""Of each, the program and what it takes for a pass."""
