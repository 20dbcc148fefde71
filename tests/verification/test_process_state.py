"""Tests that look at their own process or run the code several times at once share its process."""

import pytest
from tests.verification.conftest import Run

from planish.data import Assertions, PytestFile, Tests
from planish.data.status import Status
from planish.verification._names import shared_process_reason

COUNTER = """
import asyncio, time
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
count, lock = 0, Lock()
def add():
    global count
    with lock:
        before = count
        time.sleep(0.01)
        count = before + 1
async def wait(_):
    global count
    with lock:
        count += 1
    await asyncio.sleep(0)
def value(): return count
"""
RACE = COUNTER.replace("with lock:", "if True:")
LATE = COUNTER.replace("        count += 1\n", "        before = count\n").replace(
    "sleep(0)\n", "sleep(0)\n    count = before + 1\n"
)
STARTING = "def f():\n    return 1\n"

WRONG = {
    "threads": (
        (
            "import threading\nthreads = [threading.Thread(target=add) for _ in range(8)]\n"
            "for one in threads: one.start()\nfor one in threads: one.join()\nassert value() == 8"
        ),
        *(COUNTER, RACE),
    ),
    "pool": (
        (
            "from concurrent.futures import ThreadPoolExecutor as Pool\nwith Pool(8) as pool:\n"
            "    list(pool.map(lambda _: add(), range(8)))\nassert value() == 8"
        ),
        *(COUNTER, RACE),
    ),
    "tasks": (
        (
            "import asyncio\nasync def go():\n    await asyncio.gather(*map(wait, range(9)))\n"
            "asyncio.run(go())\nassert value() == 9"
        ),
        *(COUNTER, LATE),
    ),
    "threads left": (
        (
            "import threading\nbefore = threading.active_count()\nassert f() == 1\n"
            "assert threading.active_count() == before"
        ),
        STARTING,
        (
            "import threading, time\ndef f():\n"
            "    threading.Thread(target=time.sleep, args=(5,), daemon=True).start()\n"
            "    return 1\n"
        ),
    ),
    "memory": (
        (
            "from tracemalloc import get_traced_memory, start\nstart()\nassert f() == 1\n"
            "assert get_traced_memory()[1] < 1_000_000"
        ),
        STARTING,
        "def f():\n    return len([0] * 1_000_000) // 1_000_000\n",
    ),
    "processor time": (
        (
            "import time\nbefore = time.process_time()\nassert f() == 1\n"
            "assert time.process_time() - before < 0.1"
        ),
        STARTING,
        "def f():\n    return sum(1 for _ in range(10_000_000)) // 10_000_000\n",
    ),
    "recursion": (
        "import sys\nsys.setrecursionlimit(80)\nassert depth(200) == 200",
        "def depth(n):\n    return n\n",
        "def depth(n):\n    return 0 if n == 0 else 1 + depth(n - 1)\n",
    ),
    "random": (
        (
            "import random\nrandom.seed(1)\nexpected = random.random()\nrandom.seed(1)\n"
            "assert f() == 1\nassert random.random() == expected"
        ),
        STARTING,
        "import random\ndef f():\n    return int(random.random()) + 1\n",
    ),
    "streams": (
        "import sys\nbefore = sys.stdout\nassert f() == 1\nassert sys.stdout is before",
        STARTING,
        "import io, sys\ndef f():\n    sys.stdout = io.StringIO()\n    return 1\n",
    ),
    "import path": (
        "import sys\nbefore = list(sys.path)\nassert f() == 1\nassert before == sys.path[:]",
        STARTING,
        "import sys\ndef f():\n    sys.path.append('/x')\n    return 1\n",
    ),
    "a function": (
        "import builtins\nold = builtins.print\nassert f() == 1\nassert builtins.print is old",
        STARTING,
        "import builtins\ndef f():\n    builtins.print = repr\n    return 1\n",
    ),
    "new names": (
        "import builtins\nassert f() == 1\nassert not hasattr(builtins, 'extra')",
        STARTING,
        "import builtins\ndef f():\n    builtins.extra = 1\n    return 1\n",
    ),
    "warnings": (
        "import warnings\nwarnings.filterwarnings('error')\nassert f() == 1",
        STARTING,
        "import warnings\ndef f():\n    warnings.warn('x')\n    return 1\n",
    ),
    "handlers": (
        (
            "import signal\nbefore = signal.getsignal(signal.SIGTERM)\nassert f() == 1\n"
            "assert signal.getsignal(signal.SIGTERM) is before"
        ),
        STARTING,
        "import signal\ndef f():\n    signal.signal(signal.SIGTERM, print)\n    return 1\n",
    ),
    "files open": (
        (
            "import os\nbefore = len(os.listdir('/proc/self/fd'))\nassert f() == 1\n"
            "assert len(os.listdir('/proc/self/fd')) == before"
        ),
        STARTING,
        "import os\ndef f():\n    os.dup(1)\n    return 1\n",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_right_code_passes_and_wrong_code_does_not(run: Run, name: str) -> None:
    tests, right, wrong = WRONG[name]
    result = run(right, tests=Assertions(tests), seconds=20)
    assert result.status is Status.SUCCESS, result.failure
    assert result.separation == "shared_process"
    assert run(wrong, tests=Assertions(tests), seconds=20).status is not Status.SUCCESS


@pytest.mark.parametrize(
    "code",
    [
        "import numpy as np\nwith np.errstate(all='raise'): f()",
        "from numpy.random import get_state\nassert f() == get_state()",
        "from threading import *\nThread(target=f).start()",
        "import concurrent.futures\nconcurrent.futures.ThreadPoolExecutor().map(f, [1])",
        "import asyncio\nloop = asyncio.new_event_loop()\nloop.create_task(f())",
        "import asyncio\nasyncio.get_event_loop().run_in_executor(None, f)",
        "import gc as collector\ncollector.collect()",
        "assert threading.active_count() == f()",  # imported by the code
        "import warnings\nwarnings.filterwarnings(f())",
        (
            "import unittest, sys\nclass T(unittest.TestCase):\n"
            "    def test_a(self):\n        self.assertIs(sys.stdout, f())"
        ),
        "import random\nbefore = random.getstate()\nassert f() == 1",
    ],
)
def test_state_is_found_by_its_path_in_a_module(code: str) -> None:
    for tests in (Assertions(f"assert f(1)\n{code}"), PytestFile(f"{code}\ndef test_a(): f()")):
        assert "they ran there" in shared_process_reason(tests)


@pytest.mark.parametrize(
    "tests",
    [
        Assertions("board.create_task('x')\nassert create_task('a') == gather() == wait(1)"),
        Assertions("import random\nrandom.seed(1)\nassert f(random.random()) == 1"),
        Assertions("import sys, io\nsys.stdout = io.StringIO()\nf()\nout = sys.stdout.getvalue()\n"
                   "sys.stdout = sys.__stdout__\nassert out == 'x'"),
        Assertions("import sys\nsys.path.insert(0, '.')\nsys.argv = ['a']\nassert f() == 1"),
        Assertions("import warnings\nwarnings.filterwarnings('ignore')\nassert f() == 1"),
        Assertions("import time\nstart = time.time()\nf()\nassert time.time() - start < 1"),
        Assertions("import os\nhere = os.getcwd()\nassert f() == here"),
        Assertions("import asyncio\nassert asyncio.run(f()) == 1"),
        Assertions("import asyncio\nassert asyncio.run(asyncio.wait_for(f(), 1)) == 1"),
        Assertions("resource = f()\nassert resource.name == 'a' and profile.age == 3"),
        Assertions("from datetime import timezone\nassert f(timezone.utc) == 1"),
        Assertions("before = Counter.made\nCounter()\nassert Counter.made != before"),
        PytestFile("import solution\ndef test_a():\n    before = solution.total\n"
                   "    solution.f()\n    assert solution.total != before"),
        Assertions("for number, x in enumerate(f()): assert number == x"),
        PytestFile("def test_a(locale, trace): assert locale.name == f(trace.a)"),
        PytestFile("from solution import Thread\ndef test_a(): assert Thread(1).title == 'a'"),
    ],
)  # fmt: skip
def test_other_tests_stay_isolated(tests: Tests) -> None:
    assert shared_process_reason(tests) == ""
