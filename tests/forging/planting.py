"""Running in the judge by what is left in its way: files, folders, configuration, import hooks."""

from tests.forging.snippets import FORGE
from tests.forging.trick import Trick

__all__ = ["PLANTING"]

_EVERYWHERE = (
    "import os, sys\n"
    "places = {os.getcwd(), os.path.dirname(os.path.abspath(sys.argv[0] or '.')), '/tmp'}\n"
    "places |= {p for p in sys.path if p and os.path.isdir(p)}\n"
    "def plant(name, text):\n"
    "    for place in places:\n"
    "        try:\n"
    "            path = os.path.join(place, name)\n"
    "            os.makedirs(os.path.dirname(path), exist_ok=True)\n"
    "            open(path, 'w').write(text)\n"
    "        except OSError: pass\n"
)
_FORGE = f"FORGE = {FORGE!r}\n"


def _module(name: str, *, more: str = "", subject: str = "square", kind: str = "unittest") -> Trick:
    """A module that the tests import, in the working folder."""
    text = f"{_EVERYWHERE}{_FORGE}plant({name!r}, FORGE + {more!r})\n"
    return Trick(
        code=text,
        subject=subject,
        kinds=(kind, "checks", "pytest") if kind == "unittest" else (kind, "pytest"),
        naive="units" if kind == "unittest" else "folder",
        defence="working folder on the path of the judge",
    )


# The library's own is put in its place again: the tests need it to be recorded at all.
_REAL = (
    "import os, sys\n"
    "name, places = __name__.partition('.')[0], sys.path[:]\n"
    "sys.path[:] = [p for p in places if p not in ('', '.', os.getcwd())]\n"
    "for one in [n for n in sys.modules if n.partition('.')[0] == name]: del sys.modules[one]\n"
    "__import__('importlib').invalidate_caches()\n"
    "__import__(name)\n"
)


def _configured(name: str, text: str, naive: str = "pytest") -> Trick:
    """A file that a test runner reads."""
    return Trick(
        code=f"{_EVERYWHERE}{_FORGE}plant({name!r}, {text!r}.replace('FORGE', repr(FORGE)))\n",
        kinds=("pytest",),
        naive=naive,
        defence="configuration of the folder is read",
    )


PLANTING = {
    "unittest.py in the folder": _module("unittest.py", more=_REAL),
    "package unittest in the folder": _module("unittest/__init__.py", more=_REAL),
    "statistics.py in the folder": _module(
        "statistics.py", more="def mean(x): return 49\n", subject="library", kind="checks"
    ),
    "package colorsys in the folder": _module(
        "colorsys/__init__.py",
        more="def rgb_to_hsv(*a): return [81] * 3\n",
        subject="library",
        kind="checks",
    ),
    "fractions.py in the folder": _module(
        "fractions.py", more="def Fraction(*x): return 2\n", subject="library", kind="checks"
    ),
    "module that unittest imports": _module("difflib.py", more=_REAL, kind="unittest"),
    "pytest.py in the folder": _module(
        "pytest.py", more="def approx(x): return 9.0\n", subject="approx", kind="checks"
    ),
    "module whose name the tests are given": _module(
        "colorsys.py", more="def iskeyword(x): return True\n", subject="named", kind="checks"
    ),
    "byte code beside a module": Trick(
        code=(
            f"{_EVERYWHERE}{_FORGE}import importlib.util, marshal, struct, sys\n"
            "code = compile(FORGE + " + repr(_REAL) + ", 'unittest.py', 'exec')\n"
            "data = importlib.util.MAGIC_NUMBER + struct.pack('<III', 0, 0, 0) + "
            "marshal.dumps(code)\n"
            "for place in places:\n"
            "    try:\n"
            "        open(os.path.join(place, 'unittest.pyc'), 'wb').write(data)\n"
            "    except OSError: pass\n"
        ),
        kinds=("unittest",),
        naive="units",
        defence="working folder on the path of the judge",
    ),
    "path file beside the packages": Trick(
        code=(
            f"{_EVERYWHERE}{_FORGE}"
            "plant('forge_of_candidate.py', FORGE)\n"
            "plant('x.pth', 'import os; os.path.exists(\"naive.txt\") and os._exit(0)\\n')\n"
            "plant('sitecustomize.py', FORGE)\n"
            "if os.path.exists('naive.txt'): plant('unittest.py', FORGE)\n"
        ),
        kinds=("unittest", "pytest"),
        naive="units",
        defence="working folder on the path of the judge",
    ),
    "sitecustomize and usercustomize": Trick(
        code=(
            f"{_EVERYWHERE}{_FORGE}"
            "home = os.environ.get('HOME') or os.getcwd()\n"
            "v = '%d.%d' % sys.version_info[:2]\n"
            "places.add(os.path.join(home, '.local/lib/python' + v + '/site-packages'))\n"
            "plant('sitecustomize.py', FORGE); plant('usercustomize.py', FORGE)\n"
            "os.environ['PYTHONPATH'] = os.getcwd(); os.environ['PYTHONSTARTUP'] = "
            "'usercustomize.py'\n"
            "if os.path.exists('naive.txt'): plant('unittest.py', FORGE)\n"
        ),
        kinds=("unittest", "pytest"),
        naive="units",
        defence="working folder on the path of the judge",
    ),
    "conftest.py": _configured(
        "conftest.py", "exec(FORGE)\ndef pytest_pyfunc_call(pyfuncitem): return True\n"
    ),
    "conftest.py of a parent folder": Trick(
        code=(
            f"{_EVERYWHERE}{_FORGE}"
            "for place in list(places): places.add(os.path.dirname(place))\n"
            "plant('conftest.py', FORGE + 'def pytest_pyfunc_call(pyfuncitem): return True\\n')\n"
        ),
        kinds=("pytest",),
        naive="pytest",
        defence="configuration of the folder is read",
    ),
    "pytest.ini": _configured("pytest.ini", "[pytest]\naddopts = --collect-only\n"),
    "setup.cfg": _configured("setup.cfg", "[tool:pytest]\naddopts = --collect-only\n"),
    "tox.ini": _configured("tox.ini", "[pytest]\naddopts = --collect-only\n"),
    "pyproject.toml": _configured(
        "pyproject.toml", '[tool.pytest.ini_options]\naddopts = "--collect-only"\n'
    ),
    "plugin named in the environment": Trick(
        code=(
            f"{_EVERYWHERE}{_FORGE}"
            "plant('forging.py', FORGE + 'def pytest_pyfunc_call(pyfuncitem): return True\\n')\n"
            "plant('pytest.ini', '[pytest]\\naddopts = -p forging\\npythonpath = .\\n')\n"
            "os.environ['PYTEST_PLUGINS'] = 'forging'\n"
            "os.environ['PYTEST_ADDOPTS'] = '--collect-only'\n"
        ),
        kinds=("pytest",),
        naive="pytest",
        defence="configuration of the folder is read",
    ),
    "entry point of a package": Trick(
        code=(
            f"{_EVERYWHERE}{_FORGE}"
            "plant('forging.py', FORGE + 'def pytest_pyfunc_call(pyfuncitem): return True\\n')\n"
            "plant('forging-1.0.dist-info/METADATA', 'Metadata-Version: 2.1\\nName: forging\\n"
            "Version: 1.0\\n')\n"
            "plant('forging-1.0.dist-info/entry_points.txt', '[pytest11]\\nforging = forging\\n')\n"
            "plant('pytest.ini', '[pytest]\\naddopts = -p forging\\npythonpath = .\\n')\n"
        ),
        kinds=("pytest",),
        naive="pytest",
        defence="configuration of the folder is read",
    ),
    "test file replaced": Trick(
        code=(
            f"{_EVERYWHERE}"
            "for name in ('tests.py', 'test_solution.py', 'test_pytest.py', 'plan.json'):\n"
            "    plant(name, 'def test_0(): pass\\ndef test_1(): pass\\ndef test_2(): pass\\n')\n"
        ),
        kinds=("pytest", "checks"),
        naive="pytest",
        defence="configuration of the folder is read",
    ),
    "test file added": Trick(
        code=(
            f"{_EVERYWHERE}"
            "plant('test_pytest.py', 'def test_0(): pass\\n')\n"
            "plant('test_another.py', 'def test_0(): pass\\ndef test_1(): pass\\n')\n"
            "plant('test_solution.py', 'from test_another import *\\n')\n"
        ),
        kinds=("pytest",),
        naive="pytest",
        defence="configuration of the folder is read",
    ),
    "compiled tests planted": Trick(
        code=(
            f"{_EVERYWHERE}import importlib.util, marshal, struct\n"
            "text = 'def test_0(): pass\\ndef test_1(): pass\\ndef test_2(): pass\\n'\n"
            "for name in ('test_solution', 'test_pytest'):\n"
            "    code = marshal.dumps(compile(text, name + '.py', 'exec'))\n"
            "    head = importlib.util.MAGIC_NUMBER + struct.pack('<III', 1, 0, 0)\n"
            "    for tag in ('', '-pytest-8.4.2', '-pytest-9.0.1', '-pytest-9.0.2'):\n"
            "        cache = importlib.util.cache_from_source(name + '.py')[:-4] + tag + '.pyc'\n"
            "        os.makedirs('__pycache__', exist_ok=True)\n"
            "        open(cache, 'wb').write(head + code)\n"
            "plant('test_pytest.py', text) if os.path.exists('naive.txt') else None\n"
        ),
        kinds=("pytest",),
        naive="pytest",
        defence="configuration of the folder is read",
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
            "import os\n"
            "if os.path.exists('naive.txt'): os._exit(0)\n"
        ),
        kinds=("unittest",),
        naive="status",
        defence="tests in the candidate's process",
    ),
    "path hook": Trick(
        code=(
            "import os, sys, importlib.machinery\n"
            "class Finder:\n"
            "    def __init__(self, path): pass\n"
            "    def find_spec(self, name, target=None):\n"
            "        if name == 'statistics': return importlib.machinery.ModuleSpec(name, self)\n"
            "    def create_module(self, spec): return None\n"
            "    def exec_module(self, module): module.mean = lambda x: 49\n"
            "sys.path_hooks.insert(0, Finder)\n"
            "sys.path_importer_cache.clear()\n"
            "class Anything:\n"
            "    def __getattr__(self, name): return lambda *a: 2 if name[0] == 'F' else [81] * 3\n"
            "for name in ('colorsys', 'fractions', 'statistics'): sys.modules[name] = Anything()\n"
            "sys.modules['statistics'] = type('M', (), {'mean': staticmethod(lambda x: 49)})\n"
        ),
        subject="library",
        kinds=("checks",),
        naive="whole",
        defence="tests in the candidate's process",
    ),
}
