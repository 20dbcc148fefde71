"""Candidates that compute nothing right and try to pass all the same.

Each is Python that stands before a `square` that is wrong, or defines one itself. `fools` names
the naive runner (`naive.py`) that takes it for right: a trick that fools nobody tests nothing.
"""

from dataclasses import dataclass

__all__ = ["MARKER", "RIGHT", "TRICKS", "WRONG", "Trick"]

MARKER = "ALL TESTS PASSED"
RIGHT = "def square(n):\n    return n * n\n"
WRONG = "def square(n):\n    return 0 if n else 0.0\n"


@dataclass(frozen=True, kw_only=True)
class Trick:
    """One way to pass without being right.

    Attributes:
        code: Runs where the candidate runs.
        fools: The naive runner it was shown to fool.
        whole: `code` defines `square` itself.
    """

    code: str
    fools: str
    whole: bool = False

    @property
    def candidate(self) -> str:
        """The whole of the candidate's code."""
        return self.code if self.whole else f"{self.code}\n{WRONG}"


# What several of them do once they have found something that records.
RECORD = """
import json, os
def record(nonce):
    return "".join(
        json.dumps({"nonce": nonce, "kind": "passed", "test": n}) + "\\n" for n in range(9)
    ).encode()
def report(found):
    for n in range(9):
        for call in (
            lambda: found.passed(n),
            lambda: (found.begin(n), found.passed()),
            lambda: found("passed", test=n),
        ):
            try: call()
            except BaseException: pass
"""
NONCES = """
import glob, re
def nonces():
    texts = list(os.environ.values())
    for name in glob.glob("*") + glob.glob("/proc/*/environ") + glob.glob("/proc/*/cmdline"):
        try: texts.append(open(name, errors="replace").read())
        except OSError: pass
    return {n for text in texts for n in re.findall("[0-9a-f]{32}", text)}
"""


def _equal(base: str) -> str:
    return (
        f"class Same({base}):\n"
        "    def __eq__(self, other): return True\n"
        "    def __ne__(self, other): return False\n"
        "    def __hash__(self): return 0\n"
        "def square(n): return Same()\n"
    )


TRICKS = {
    # Leaving.
    "sys.exit": Trick(code="import sys; sys.exit(0)", fools="status"),
    "os._exit": Trick(code="import os; os._exit(0)", fools="status"),
    "exit in a call": Trick(
        code="import os\ndef square(n): os._exit(0)", fools="status", whole=True
    ),
    "exit in a thread": Trick(
        code=(
            "import os, threading, time\n"
            "threading.Thread(target=lambda: (time.sleep(0.1), os._exit(0))).start()"
        ),
        fools="status",
    ),
    "exit in a signal handler": Trick(
        code=(
            "import os, signal, time\nsignal.signal(signal.SIGALRM, lambda *a: os._exit(0))\n"
            "signal.setitimer(signal.ITIMER_REAL, 0.05)\n"
            "def square(n):\n    time.sleep(1)\n    return 0"
        ),
        fools="status",
        whole=True,
    ),
    "exit at the end": Trick(
        code="import atexit, os; atexit.register(os._exit, 0)", fools="status"
    ),
    "exit while traced": Trick(
        code=(
            "import os, sys\n"
            "def trace(frame, event, arg):\n"
            "    if 'solution' not in frame.f_code.co_filename: os._exit(0)\n"
            "    return trace\n"
            "sys.settrace(trace)"
        ),
        fools="status",
    ),
    "killed": Trick(
        code="import os, signal; os.kill(os.getpid(), signal.SIGKILL)", fools="silence"
    ),
    "parent killed": Trick(
        code="import os, signal; os.kill(os.getppid(), signal.SIGKILL); os._exit(0)",
        fools="supervised",
    ),
    "parent stopped": Trick(
        code="import os, signal; os.kill(os.getppid(), signal.SIGINT); os._exit(0)",
        fools="supervised",
    ),
    # Saying so.
    "marker printed": Trick(code=f"print('{MARKER}\\nOK\\n9 passed')", fools="marker"),
    "every descriptor written to": Trick(
        code=(
            f"{RECORD}{NONCES}\n"
            "for fd in range(3, 1024):\n"
            "    for nonce in nonces() | {'0' * 32}:\n"
            "        try: os.write(fd, b'passed\\n' * 9 + record(nonce))\n"
            "        except OSError: pass\n"
        ),
        fools="piped",
    ),
    "results opened": Trick(
        code=(
            f"{RECORD}{NONCES}\n"
            "for name in glob.glob('*'):\n"
            "    if 'sol' not in name and not name.endswith('.py'):\n"
            "        for nonce in nonces() | {'0' * 32}:\n"
            "            open(name, 'ab').write(b'\\n' + record(nonce))\n"
            "os._exit(0)"
        ),
        fools="records",
    ),
    "records copied": Trick(
        code=(
            "import glob, os\n"
            "def square(n):\n"
            "    for name in glob.glob('*.jsonl'):\n"
            "        text = open(name).read()\n"
            "        copies = text.replace('failed', 'passed').replace('raised', 'passed')\n"
            "        for digit in '012345':\n"
            "            copies += text.replace('\"test\": 0', f'\"test\": {digit}')\n"
            "        open(name, 'a').write(copies)\n"
            "    if n != 1: os._exit(0)\n"
            "    return 1\n"
        ),
        fools="records",
        whole=True,
    ),
    "recorder found by gc": Trick(
        code=(
            f"{RECORD}\nimport gc\n"
            "for found in gc.get_objects():\n"
            "    name = getattr(found, '__name__', '') or type(found).__name__\n"
            "    if name in ('Recorder', 'put', 'Witness', 'Peer', '_Plugin'): report(found)\n"
            "os._exit(0)"
        ),
        fools="records",
    ),
    "recorder found by frames": Trick(
        code=(
            f"{RECORD}\nimport sys\n"
            "def hunt(frame):\n"
            "    while frame is not None:\n"
            "        for found in [*frame.f_locals.values(), *frame.f_globals.values()]:\n"
            "            if hasattr(found, 'passed') or getattr(found, '__name__', '') == 'put':\n"
            "                report(found)\n"
            "        frame = frame.f_back\n"
            "    os._exit(0)\n"
            "def square(n): hunt(sys._getframe())\n"
        ),
        fools="records",
        whole=True,
    ),
    "recorder found by a traceback": Trick(
        code=(
            f"{RECORD}\n"
            "def square(n):\n"
            "    try: 1 / 0\n"
            "    except ZeroDivisionError as error: frame = error.__traceback__.tb_frame\n"
            "    while frame.f_back is not None:\n"
            "        frame = frame.f_back\n"
            "        for found in list(frame.f_locals.values()):\n"
            "            if hasattr(found, 'passed'): report(found)\n"
            "    os._exit(0)\n"
        ),
        fools="records",
        whole=True,
    ),
    "fork that reports later": Trick(
        code=(
            f"{RECORD}\nimport gc, time\n"
            "if os.fork() == 0:\n"
            "    time.sleep(0.2)\n"
            "    for found in gc.get_objects():\n"
            "        if type(found).__name__ in ('Recorder', 'Peer'): report(found)\n"
            "    os._exit(0)\n"
        ),
        fools="records",
    ),
    "memory of the parent read": Trick(
        code=(
            f"{RECORD}\nimport glob, re\n"
            "def pages(pid):\n"
            "    with open(f'/proc/{pid}/maps') as maps, open(f'/proc/{pid}/mem', 'rb') as mem:\n"
            "        for line in maps:\n"
            "            if ' rw' not in line: continue\n"
            "            first, last = (int(n, 16) for n in line.split()[0].split('-'))\n"
            "            try:\n"
            "                mem.seek(first); yield mem.read(last - first)\n"
            "            except (OSError, ValueError, OverflowError): pass\n"
            "found = set()\n"
            "try:\n"
            "    for page in pages(os.getppid()): found |= set(re.findall(b'[0-9a-f]{32}', page))\n"
            "except OSError: pass\n"
            "for nonce in found:\n"
            "    for name in glob.glob('*.jsonl'): open(name, 'ab').write(record(nonce.decode()))\n"
            "os._exit(0)"
        ),
        fools="apart",
    ),
    # Being equal to anything.
    **{
        f"{base or 'object'} equal to all": Trick(code=_equal(base), fools="status", whole=True)
        for base in ("", "int", "float", "str", "list", "tuple", "dict", "frozenset", "bytes")
    },
    "class that says it is another": Trick(
        code=(
            "class Meta(type):\n"
            "    def __instancecheck__(self, other): return True\n"
            "    def __subclasscheck__(self, other): return True\n"
            "    def __eq__(self, other): return True\n"
            "    __hash__ = type.__hash__\n"
            "class Same(metaclass=Meta):\n"
            "    __class__ = property(lambda self: int)\n"
            "    def __eq__(self, other): return True\n"
            "def square(n): return Same()\n"
        ),
        fools="status",
        whole=True,
    ),
    "object that answers as it is asked": Trick(
        code=(
            "class Lazy:\n"
            "    def __getattr__(self, name): return lambda *a, **k: self\n"
            "    def __eq__(self, other): self.value = other; return True\n"
            "    def __float__(self): return float(getattr(self, 'value', 0))\n"
            "    __abs__ = __sub__ = __rsub__ = __neg__ = lambda self, *a: self\n"
            "    def __lt__(self, other): return True\n"
            "    def __bool__(self): return True\n"
            "    __gt__ = __le__ = __ge__ = __contains__ = __lt__\n"
            "def square(n): return Lazy()\n"
        ),
        fools="status",
        whole=True,
    ),
    "number that is always near": Trick(
        code=(
            "class Near:\n"
            "    def __sub__(self, other): return 0.0\n"
            "    __rsub__ = __sub__\n"
            "    def __eq__(self, other): return True\n"
            "def square(n): return Near()\n"
        ),
        fools="status",
        whole=True,
    ),
    # Changing what judges.
    "builtins replaced": Trick(
        code=(
            "import builtins\n"
            "builtins.all = lambda *a: True\n"
            "builtins.AssertionError = KeyError\n"
            "builtins.abs = lambda x: 0\n"
        ),
        fools="status",
    ),
    "unittest patched": Trick(
        code=(
            "import unittest\n"
            "for name in dir(unittest.TestCase):\n"
            "    if name.startswith('assert'):\n"
            "        setattr(unittest.TestCase, name, lambda *a, **k: None)\n"
        ),
        fools="unittest",
    ),
    "unittest replaced in sys.modules": Trick(
        code=(
            "import sys, types\n"
            "fake = types.ModuleType('unittest')\n"
            "class TestCase:\n"
            "    def __init__(self, *a): pass\n"
            "    def __getattr__(self, name): return lambda *a, **k: None\n"
            "fake.TestCase = TestCase\n"
            "fake.main = lambda *a, **k: sys.exit(0)\n"
            "sys.modules['unittest'] = fake\n"
        ),
        fools="unittest",
    ),
    "import hook": Trick(
        code=(
            "import sys, importlib.abc, importlib.machinery\n"
            "class Hook(importlib.abc.MetaPathFinder, importlib.abc.Loader):\n"
            "    def find_spec(self, name, path=None, target=None):\n"
            "        if name == 'unittest': return importlib.machinery.ModuleSpec(name, self)\n"
            "    def create_module(self, spec): return None\n"
            "    def exec_module(self, module):\n"
            "        class TestCase:\n"
            "            def __getattr__(self, name): return lambda *a, **k: None\n"
            "        module.TestCase = TestCase\n"
            "        module.main = lambda *a, **k: sys.exit(0)\n"
            "sys.meta_path.insert(0, Hook())\n"
            "for name in list(sys.modules):\n"
            "    if name.startswith('unittest'): del sys.modules[name]\n"
        ),
        fools="unittest",
    ),
    "tests skipped": Trick(
        code="import unittest\ndef square(n): raise unittest.SkipTest('later')\n",
        fools="unittest",
        whole=True,
    ),
    "tests stopped quietly": Trick(
        code=("import unittest.case\ndef square(n): raise unittest.case._ShouldStop\n"),
        fools="result",
        whole=True,
    ),
    "tests skipped when loaded": Trick(
        code="import unittest\nraise unittest.SkipTest('later')\n", fools="discovered"
    ),
    "tests deleted": Trick(
        code=(
            "import glob, os, sys\n"
            "for name in glob.glob('test*.py'): open(name, 'w').close()\n"
            "[vars(m).pop(n) for m in list(sys.modules.values()) "
            "for n in list(vars(m)) if n.startswith('TestS')]\n"
        ),
        fools="discovered",
    ),
    "tests replaced": Trick(
        code=(
            "for name in ('tests.py', 'test_solution.py', 'plan.json'):\n"
            "    open(name, 'w').write('def test_square(): pass\\n')\n"
        ),
        fools="pytest",
    ),
    "conftest.py": Trick(
        code=(
            "open('conftest.py', 'w').write('def pytest_pyfunc_call(pyfuncitem): return True\\n')\n"
            "open('sitecustomize.py', 'w').write('import os; os._exit(0)')\n"
            "open('pytest.ini', 'w').write('[pytest]\\naddopts = --collect-only\\n')\n"
        ),
        fools="pytest",
    ),
    "pytest patched": Trick(
        code=(
            "try:\n"
            "    import _pytest.python, _pytest.runner\n"
            "    _pytest.python.Function.runtest = lambda self: None\n"
            "except ImportError: pass\n"
        ),
        fools="pytest",
    ),
    "numbers changed in memory": Trick(
        code=(
            "import ctypes\n"
            "for n in (49, 81):\n"
            "    ctypes.c_uint32.from_address(id(n) + 24).value = n - 1\n"
            "def square(n): return {7: int('48'), 9: int('80')}.get(n, n)\n"
        ),
        fools="status",
        whole=True,
    ),
    "answer read from the caller": Trick(
        code=(
            "import linecache, re, sys\n"
            "def square(n):\n"
            "    frame = sys._getframe(1)\n"
            "    while frame is not None:\n"
            "        line = linecache.getline(frame.f_code.co_filename, frame.f_lineno)\n"
            "        found = re.search(r'== *(\\d+)', line)\n"
            "        if found: return int(found[1])\n"
            "        for value in frame.f_locals.values():\n"
            "            if isinstance(value, dict) and 'expected' in value:\n"
            "                return value['expected']\n"
            "        frame = frame.f_back\n"
        ),
        fools="status",
        whole=True,
    ),
    "answers looked for in files": Trick(
        code=(
            "import glob, re\n"
            "texts = [open(n, errors='replace').read() for n in glob.glob('*') if 'sol' not in n]\n"
            "known = dict(re.findall(r'square\\((\\d+)\\) *== *(\\d+)', ' '.join(texts)))\n"
            "def square(n): return int(known.get(str(n), 0))\n"
        ),
        fools="status",
        whole=True,
    ),
}
