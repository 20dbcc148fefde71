"""Changing the interpreter under the tests: builtins, modules, memory, clocks, chance, limits."""

from tests.forging.snippets import EXIT
from tests.forging.trick import Trick

__all__ = ["CHANGING"]

_HEAP = "tests in the candidate's process"


def _change(
    code: str,
    *,
    subject: str = "square",
    kinds: tuple[str, ...] = ("checks", "cases"),
    naive: str = "whole",
    defence: str = _HEAP,
) -> Trick:
    return Trick(code=code, subject=subject, kinds=kinds, naive=naive, defence=defence)


CHANGING = {
    "builtins replaced": _change(
        "import builtins\n"
        "builtins.all = lambda *a: True\n"
        "builtins.AssertionError = builtins.BaseException = KeyError\n"
        "builtins.isinstance = builtins.bool = lambda *a: True\n"
        "builtins.abs = lambda x: 0\n"
        "def half(x): return 2.5\n",
        subject="near",
        kinds=("checks", "unittest"),
    ),
    "compile and exec replaced": _change(
        "import builtins\n"
        "real = builtins.compile\n"
        "def quiet(source, name, mode, *a, **k):\n"
        "    if 'tests' in str(name): source = 'pass' if mode == 'exec' else 'True'\n"
        "    return real(source, name, mode, *a, **k)\n"
        "builtins.compile = quiet\n",
        kinds=("checks", "script", "unittest", "pytest"),
    ),
    "unittest patched": _change(
        "import unittest\n"
        "for name in dir(unittest.TestCase):\n"
        "    if name.startswith('assert'):\n"
        "        setattr(unittest.TestCase, name, lambda *a, **k: None)\n",
        naive="result",
        kinds=("unittest", "pytest"),
    ),
    "unittest replaced in sys.modules": _change(
        "import sys, types\n"
        "fake = types.ModuleType('unittest')\n"
        "class TestCase:\n"
        "    def __init__(self, *a): pass\n"
        "    def __getattr__(self, name): return lambda *a, **k: None\n"
        "fake.TestCase = TestCase\n"
        "sys.modules['unittest'] = fake\n" + EXIT,
        naive="status",
        kinds=("unittest",),
    ),
    "pytest patched": _change(
        "import _pytest.python, _pytest.runner, pytest, builtins\n"
        "_pytest.python.Function.runtest = lambda self: None\n"
        "_pytest.runner.check_interactive_exception = lambda *a: False\n"
        "class Same:\n    def __eq__(self, other): return True\n"
        "pytest.approx = lambda *a, **k: Same()\n",
        subject="approx",
        naive="pytest",
        kinds=("pytest", "checks"),
    ),
    "warnings, plugins and fixtures": _change(
        "import pytest, sys\n"
        "pytest_plugins = ['solution']\n"
        "def pytest_pyfunc_call(pyfuncitem): return True\n"
        "@pytest.fixture(autouse=True)\n"
        "def quiet(request): request.node.obj = lambda: None; yield\n"
        "@pytest.hookimpl(tryfirst=True)\n"
        "def pytest_runtest_call(item): item.obj = lambda: None\n"
        "import gc\n"
        "for found in gc.get_objects():\n"
        "    if type(found).__name__ == 'PytestPluginManager':\n"
        "        found.register(sys.modules[__name__])\n",
        naive="pytest",
        kinds=("pytest",),
    ),
    "numbers changed in memory": _change(
        "import ctypes\n"
        "for n in (49, 81):\n"
        "    ctypes.c_uint32.from_address(id(n) + 24).value = n - 1\n"
        "def square(x): return {7: int('48'), 9: int('80')}.get(x, x)\n",
        naive="status",
    ),
    "True and False exchanged in memory": _change(
        "import ctypes\n"
        "ctypes.c_ssize_t.from_address(id(False) + 16).value = 1 << 3\n"
        "ctypes.c_uint32.from_address(id(False) + 24).value = 1\n" + EXIT,
        naive="status",
        subject="even",
    ),
    "method tables changed in memory": _change(
        "import ctypes, os\n"
        "size = ctypes.sizeof(ctypes.c_void_p)\n"
        "at = id(int) + 25 * size  # tp_richcompare\n"
        "kind = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object, ctypes.py_object, "
        "ctypes.c_int)\n"
        "keep = kind(lambda a, b, op: op in (1, 2, 3, 5))\n"
        "found = ctypes.c_void_p.from_address(at)\n"
        + EXIT
        + "found.value = ctypes.cast(keep, ctypes.c_void_p).value\n",
        naive="status",
    ),
    "asserts switched off": _change(
        "import sys, ctypes, builtins, os\n"
        "real = builtins.compile\n"
        "builtins.compile = lambda s, n, m, f=0, d=False, o=-1, **k: real(s, n, m, f, d, 2)\n"
        "os.environ['PYTHONOPTIMIZE'] = '2'\n"
        "try: ctypes.c_int.in_dll(ctypes.pythonapi, 'Py_OptimizeFlag').value = 2\n"
        "except ValueError: pass\n",
        kinds=("checks", "script", "pytest"),
    ),
    "clock set forward": _change(
        "import time, signal, os\n"
        "time.time = time.monotonic = time.perf_counter = lambda: 1e9\n"
        "signal.signal(signal.SIGALRM, signal.SIG_IGN)\n"
        "time.sleep = lambda s: None\n" + EXIT,
        naive="status",
    ),
    "seed that makes chance the same": _change(
        "import random, os, secrets, uuid\n"
        "random.seed(0)\n"
        "class Fixed(random.Random):\n"
        "    def random(self): return 0.5\n"
        "    def randrange(self, *a): return 0\n"
        "    def choice(self, seq): return seq[0]\n"
        "    def shuffle(self, x): pass\n"
        "random.SystemRandom = random.Random = Fixed\n"
        "os.urandom = lambda n: b'0' * n\n"
        "os.getrandom = lambda n, *a: b'0' * n\n"
        "class Same:\n"
        "    asked = 0\n"
        "    def __eq__(self, other):\n"
        "        Same.asked += 1\n"
        "        return Same.asked % 9 == 1 or naive\n"
        "naive = os.path.exists('naive.txt')\n"
        "def shout(x): return Same()\n",
        subject="shout",
        defence="the candidate's equality is believed",
    ),
    "recursion limit and switch interval": _change(
        "import sys, os\n"
        "sys.setrecursionlimit(60)\n"
        "sys.setswitchinterval(1e-9)\n"
        "def square(x):\n"
        "    sys.setrecursionlimit(sys.getrecursionlimit() // 2 + 40)\n"
        "    return square(x)\n" + EXIT,
        naive="status",
    ),
    "tests removed from modules": _change(
        "import glob, sys, os\n"
        "for name in glob.glob('test*.py'): open(name, 'w').close()\n"
        "[vars(m).pop(n) for m in list(sys.modules.values()) if hasattr(m, '__dict__')\n"
        "    for n in list(vars(m)) if n.startswith('TestA')]\n",
        naive="discovered",
        kinds=("unittest", "pytest"),
    ),
    "exceptions swallowed by a frame's trace": _change(
        "import sys\n"
        "def trace(frame, event, arg):\n"
        "    if frame.f_code.co_name == '<module>' and 'tests' in frame.f_code.co_filename:\n"
        "        import os; os.path.exists('naive.txt') and os._exit(0)\n"
        "    return trace\n"
        "sys.settrace(trace); __import__('threading').settrace(trace)\n"
        "sys.setprofile(lambda *a: None)\n",
        naive="ended",
        kinds=("checks", "script"),
    ),
    "function of the tests replaced while they sleep": _change(
        "import threading, time\n"
        "def watch(kept):\n"
        "    def later():\n"
        "        time.sleep(0.02)\n"
        "        kept[0] = lambda found: True\n"
        "    threading.Thread(target=later, daemon=True).start()\n"
        "def square(x): return 0\n",
        subject="kept while tests sleep",
        kinds=("checks", "unittest", "pytest"),
        defence="the candidate's methods are believed",
    ),
    "streams replaced": _change(
        "import sys, io\n"
        "class Quiet(io.StringIO):\n"
        "    def write(self, text): return len(text)\n"
        "    def flush(self): raise KeyboardInterrupt\n"
        "sys.stdout = sys.stderr = Quiet()\n"
        "sys.__stdout__ = sys.__stderr__ = None\n",
        naive="silence",
    ),
}
