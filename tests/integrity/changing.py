"""Changing what judges, or reading its answers."""

from tests.integrity.trick import Trick

__all__ = ["CHANGING"]

CHANGING = {
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
