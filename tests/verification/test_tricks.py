"""Misbehaviour of candidates, by mistake or on purpose, that does not lead to a pass."""

import time
from collections.abc import Callable
from typing import Literal

import pytest

from planish.data.execution import Execution
from planish.data.status import Status
from planish.data.tests import Assertions

Run = Callable[..., Execution]

RUN_AS: tuple[Literal["module", "script"], ...] = ("module", "script")
TESTS = """
def check(f):
    assert f(1) == 1
    assert f(2) == 4
check(square)
assert square(3) == 9
"""
WRONG = "def square(n):\n    return 0\n"

TRICKS = {
    "exit 0": "import sys; sys.exit(0)",
    "hard exit 0": "import os; os._exit(0)",
    "quit": "quit()",
    "exit in a thread": (
        "import os, threading, time\n"
        "threading.Thread(target=lambda: (time.sleep(0.01), os._exit(0))).start()\n"
        "time.sleep(1)"
    ),
    "exit in a signal handler": (
        "import os, signal\n"
        "signal.signal(signal.SIGALRM, lambda *a: os._exit(0))\n"
        "signal.setitimer(signal.ITIMER_REAL, 0.01)\n"
        "import time; time.sleep(1)"
    ),
    "printed records": (
        "for n in range(3):\n"
        '    print(\'{"nonce": "", "kind": "passed", "test": %d}\' % n)\n'
        'print(\'{"kind": "end"}\')\n'
        "print('7 passed in 0.1s'); print('OK')"
    ),
    "records without the nonce": (
        "import glob\n"
        "with open(glob.glob('*.jsonl')[0], 'a') as file:\n"
        "    for n in range(3):\n"
        '        print(\'{"nonce": "x", "kind": "passed", "test": %d}\' % n, file=file)\n'
    ),
    "results removed": "import glob, os\n[os.unlink(n) for n in glob.glob('*')]",
    "a check of its own": "def check(f): pass",
    "an assert hook of its own": "globals()['@planish'] = lambda line: lambda *values: True",
    "builtins replaced": (
        "import builtins\n"
        "builtins.AssertionError = builtins.BaseException = KeyError\n"
        "builtins.compile = builtins.exec = builtins.eval = lambda *a, **k: None\n"
        "builtins.isinstance = builtins.bool = lambda *a: True\n"
        "builtins.repr = builtins.str = lambda *a: 'x'\n"
    ),
    "modules replaced": (
        "import json, os, time, sys, traceback, signal, linecache\n"
        "json.dumps = os.write = os.getpid = time.perf_counter = None\n"
        "sys.exit = os._exit = lambda *a: None\n"
        "traceback.TracebackException = signal.signal = linecache.cache = None\n"
        "sys.excepthook = None; sys.stdout = sys.stderr = None"
    ),
    "no modules left": "import sys; sys.modules.clear()",
    "descriptors closed": "import os; os.closerange(0, 200)",  # of the 256 that a program may have
    "another directory": "import os; os.chdir('/')",
    "equal to everything": (
        "class Same(int):\n    def __eq__(self, other): return False\n    __hash__ = None\n"
    ),
    "an exit at the end": "import atexit, os; atexit.register(os._exit, 0)",
    "recursion": "import sys; sys.setrecursionlimit(60)",
}


WITHOUT_A_PASS = (Status.WRONG_ANSWER, Status.RUNTIME_ERROR, Status.RESOURCE_LIMIT)


@pytest.mark.parametrize("run_as", RUN_AS)
@pytest.mark.parametrize("trick", TRICKS)
def test_wrong_code_with_a_trick_passes_nothing(
    run: Run, trick: str, run_as: Literal["module", "script"]
) -> None:
    tests = Assertions(TESTS, run_as=run_as)
    for code in (WRONG + TRICKS[trick], TRICKS[trick] + "\n" + WRONG):
        result = run(code, tests=tests)
        assert result.status in WITHOUT_A_PASS
        assert len(result.tests) == 3
        assert {test.status for test in result.tests} <= {"failed", "not_run", "error"}
        assert result.failure is not None


@pytest.mark.parametrize("trick", TRICKS)
def test_wrong_values_with_a_trick_pass_nothing(run: Run, trick: str) -> None:
    code = TRICKS[trick] + "\n" + WRONG
    result = run(code, tests=[(1, 1), (2, 4)], entry_point="square")
    assert result.status in WITHOUT_A_PASS
    assert "passed" not in {test.status for test in result.tests}
    assert result.failure is not None


HARMLESS = {
    key: TRICKS[key]
    for key in (
        *("printed records", "a check of its own"),
        *("an assert hook of its own", "descriptors closed", "another directory"),
        *("modules replaced", "builtins replaced"),
    )
} | {
    "a thread that never ends": (
        "import threading, time\nthreading.Thread(target=lambda: time.sleep(60)).start()"
    ),
    "a file left open": "file = open('data', 'w'); file.write('x')",
    "its own alarm": "import signal; signal.signal(signal.SIGALRM, signal.SIG_IGN)",
    "stdout closed": "import sys; sys.stdout.close(); sys.stderr.close()",
    "stdout replaced": "import io, sys; sys.stdout = io.StringIO()",
    "a loop of events": "import asyncio; asyncio.set_event_loop(asyncio.new_event_loop())",
    "a handler that raises": "import atexit; atexit.register(lambda: 1 / 0)",
    "files of names of ours": "open('tests.py', 'w').write('x'); open('plan.bin', 'w').write('x')",
    "a higher limit": "import sys; sys.setrecursionlimit(10**6)",
}


@pytest.mark.parametrize("trick", HARMLESS)
def test_right_code_that_does_odd_things_passes(run: Run, trick: str) -> None:
    code = HARMLESS[trick] + "\ndef square(n):\n    return n * n\n"
    started = time.perf_counter()
    for run_as in RUN_AS:
        tests = Assertions(TESTS, run_as=run_as)
        result = run(code, tests=tests)
        assert result.failure is None
        assert result.status is Status.SUCCESS
        assert result.exit_code == 0
    assert run(code, tests=[(1, 1)], entry_point="square").status is Status.SUCCESS
    assert time.perf_counter() - started < 50  # the thread that sleeps for 60 s holds nothing up


def test_an_object_that_decides_for_itself_is_weaker_evidence(run: Run) -> None:
    code = """
class Same:
    def __eq__(self, other): return True
class SameInt(int):
    def __eq__(self, other): return True
    def __hash__(self): return 0
    def __repr__(self): return "7"
class SameList(list):
    def __eq__(self, other): return True
def f(n):
    return [Same(), SameInt(1), SameList([1]), [Same()]][n]
"""
    for arg, expected, status in ((0, 7, "passed"), (1, 7, "failed"), (2, [7], "failed")):
        result = run(code, tests=[(arg, expected)], entry_point="f")
        assert [test.status for test in result.tests] == [status]
        decided = [why for why in result.weakened_by if "'Same' decided with __eq__" in why]
        assert bool(decided) == (status == "passed")
        assert (result.separation == "shared_process") >= bool(decided)


def test_a_fork_of_the_program_does_not_report(run: Run) -> None:
    code = """
import os, time
child = os.fork() == 0
def f(n):
    if child: time.sleep(0.2)
    return 1 if child else 0
"""
    result = run(code, tests="assert f(1) == 1\nassert f(2) == 1")
    assert [test.status for test in result.tests] == ["failed", "failed"]


def test_an_early_exit_is_named(run: Run) -> None:
    for code, message in (
        ("import os; os._exit(0)", "the program ended itself with exit code 0, before"),
        ("raise SystemExit(5)", "the program called exit(5)"),
        ("import os\ndef square(n): os._exit(0)", "the program ended itself with exit code 0"),
        ("import sys\ndef square(n): sys.exit('bye')", "the program called exit('bye')"),
    ):
        result = run(code, tests=TESTS)
        assert {test.status for test in result.tests} == {"not_run"}
        assert result.failure is not None
        assert result.failure.name == "EarlyExit"
        assert result.failure.message.startswith(message)
        assert result.status is Status.RUNTIME_ERROR


@pytest.mark.parametrize(
    "definition",
    [
        "class Evil(Exception):\n    def __str__(self): raise SystemExit(0)",
        "class Evil(Exception):\n    def __str__(self):\n        while True: pass",
        "class Evil(Exception):\n    def __str__(self): return 'x' * 5_000_000",
        "class Evil(Exception):\n    __class__ = property(lambda self: 1 / 0)",
        (
            "class Meta(type):\n    __name__ = property(lambda self: 1 / 0)\n"
            "    def __instancecheck__(self, other): raise OSError\n"
            "class Evil(Exception, metaclass=Meta): pass"
        ),
        "class Evil(BaseException): pass",
        "Evil = KeyboardInterrupt",
        "Evil = GeneratorExit",
    ],
)
def test_exceptions_of_any_kind_are_told_apart(run: Run, definition: str) -> None:
    code = f"{definition}\ndef f(n):\n    if n == 1: raise Evil()\n    return n\n"
    result = run(code, tests="assert f(0) == 0\nassert f(1) == 1\nassert f(2) == 2")
    assert [test.status for test in result.tests] == ["passed", "error", "passed"]
    assert result.failure is not None
    assert len(result.failure.message) < 2_100
    assert len(result.failure.traceback) < 8_100
    assert result.failure.line == len(definition.splitlines()) + 2
