"""Programs and tests that fail for want of something, or because the tests are broken.

Each is written as people and models write it, and has one right kind.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from planish import Task
from planish.data import Cases, FailureKind, PytestFile, StdioPairs, Tests

__all__ = ["CASES", "ISOLATED", "KindCase"]

_SQUARE = "def f(x):\n    return x * x\n"
_TESTS = "assert f(2) == 4\nassert f(3) == 9"
_FILE = "from solution import f\n\ndef test_two():\n    assert f(2) == 4\n"


@dataclass(frozen=True, kw_only=True)
class KindCase:
    """A task, a candidate that fails, and what its failure is about.

    Attributes:
        kind: The right kind.
        code: The candidate.
        tests: The tests.
        requirement: The task's requirement.
        entry_point: The task's entry point.
    """

    kind: FailureKind
    code: str = _SQUARE
    tests: str | Tests | None = _TESTS
    requirement: str = "Square a number."
    entry_point: str | None = None

    @property
    def task(self) -> Task:
        return Task(self.requirement, tests=self.tests, entry_point=self.entry_point)


def _lacks(code: str, tests: str | Tests | None = _TESTS, **task: str) -> KindCase:
    return KindCase(kind="environment", code=code, tests=tests, **task)


def _in_f(*lines: str, imports: str = "") -> str:
    body = "".join(f"    {line}\n" for line in lines)
    return f"{imports}\n\ndef f(x):\n{body}    return x * x\n"


def _broken(tests: str | Tests, code: str = _SQUARE, **task: str) -> KindCase:
    return KindCase(kind="test_error", code=code, tests=tests, **task)


def _broken_file(
    source: str, files: Mapping[str, str] | None = None, plugins: Sequence[str] = ()
) -> KindCase:
    return _broken(PytestFile(source, files=files or {}, plugins=tuple(plugins)))


def _wrong(code: str, tests: str | Tests = _TESTS, **task: str) -> KindCase:
    return KindCase(kind="logic", code=code, tests=tests, **task)


_PAIRS = StdioPairs([("2\n", "4\n")])

CASES: Mapping[str, KindCase] = {
    # What the environment lacks: packages.
    "a package that is not installed": _lacks(f"import nowhere_at_all\n{_SQUARE}"),
    "a name of such a package": _lacks(f"from nowhere_at_all.tools import power\n{_SQUARE}"),
    "an import in a function": _lacks(_in_f("import nowhere_at_all")),
    "an import of a name, with an alias": _lacks(
        _in_f("return na.square(x)", imports="import nowhere_at_all as na")
    ),
    "an import by name": _lacks(
        _in_f("importlib.import_module('nowhere_at_all')", imports="import importlib")
    ),
    "the version of a package": _lacks(
        _in_f("metadata.version('nowhere-at-all')", imports="from importlib import metadata")
    ),
    "a package, and tests for pytest": _lacks(
        f"import nowhere_at_all\n{_SQUARE}", PytestFile(_FILE)
    ),
    "a package, and cases": _lacks(
        f"import nowhere_at_all\n{_SQUARE}", Cases.of([(2, 4)]), entry_point="f"
    ),
    "a package, and pairs": _lacks("import nowhere_at_all\nprint(int(input()) ** 2)", _PAIRS),
    "a package, and no tests": _lacks("import nowhere_at_all\nprint(4)", None),
    "an import error that is raised again": _lacks(
        "try:\n    import nowhere_at_all\n"
        "except ImportError as error:\n    raise RuntimeError('needs nowhere') from error\n"
        + _SQUARE
    ),
    "a package that is to be installed by the program": _lacks(
        "import subprocess, sys\n"
        "subprocess.check_call([sys.executable, '-m', 'pip', 'install', 'nowhere-at-all'])\n"
        + _SQUARE
    ),
    # Libraries and programs of the system.
    "a library of the system": _lacks(
        _in_f("ctypes.CDLL('libnowhere.so.6')", imports="import ctypes")
    ),
    "an extension module whose library is missing": _lacks(
        _in_f(
            "raise ImportError('libGL.so.1: cannot open shared object file: "
            "No such file or directory')"
        )
    ),
    "a program": _lacks(
        _in_f("subprocess.run(['ffmpeg-nowhere', '-h'])", imports="import subprocess")
    ),
    "a program that must succeed": _lacks(
        _in_f("subprocess.check_output(['nowhere-at-all', str(x)])", imports="import subprocess")
    ),
    "a program in a shell": _lacks(
        _in_f(
            "subprocess.run('nowhere-at-all --version', shell=True, check=True)",
            imports="import subprocess",
        )
    ),
    "a program that replaces this one": _lacks(
        _in_f("os.execvp('nowhere-at-all', ['nowhere-at-all'])", imports="import os")
    ),
    "a locale": _lacks(
        _in_f("locale.setlocale(locale.LC_ALL, 'tlh_QO.UTF-8')", imports="import locale")
    ),
    "a variable of the environment": _lacks(
        _in_f("key = os.environ['SERVICE_API_KEY']", imports="import os")
    ),
    # The network.
    "a connection": _lacks(
        _in_f("socket.create_connection(('192.0.2.1', 80), timeout=2)", imports="import socket")
    ),
    "a name of a host": _lacks(
        _in_f("socket.getaddrinfo('example.org', 80)", imports="import socket")
    ),
    "a page": _lacks(
        _in_f(
            "urllib.request.urlopen('http://example.org', timeout=2)",
            imports="import urllib.request",
        )
    ),
    "a request over HTTPS": _lacks(
        _in_f(
            "http.client.HTTPSConnection('example.org', timeout=2).request('GET', '/')",
            imports="import http.client",
        )
    ),
    "a connection of asyncio": _lacks(
        _in_f("asyncio.run(asyncio.open_connection('example.org', 80))", imports="import asyncio")
    ),
    "an address without a name": _lacks(
        _in_f(
            "urllib.request.urlopen('http://192.0.2.1', timeout=2)", imports="import urllib.request"
        )
    ),
    "a page, and pairs": _lacks(
        "import urllib.request\nurllib.request.urlopen('http://example.org', timeout=2)", _PAIRS
    ),
    # Files and rights.
    "a file that the task names": _lacks(
        _in_f("open('numbers.csv').read()"),
        requirement="Square a number. The numbers are in `numbers.csv`.",
    ),
    "a file that the task names, by its path": _lacks(
        _in_f("Path('data/numbers.csv').read_text()", imports="from pathlib import Path"),
        requirement="Square a number; read data/numbers.csv for the table.",
    ),
    "a file that the task names, and pairs": _lacks(
        "print(open('numbers.csv').read())", _PAIRS, requirement="Sum numbers.csv"
    ),
    "a folder of the system": _lacks(_in_f("os.mkdir('/usr/nowhere')", imports="import os")),
    "a file of the system that is written": _lacks(_in_f("open('/etc/nowhere', 'w')")),
    "a device": _lacks(_in_f("open('/dev/ttyUSB7', 'rb')")),
    "another user": _lacks(_in_f("os.setuid(12345)", imports="import os")),
    "a port that is reserved": _lacks(
        _in_f("socket.socket().bind(('0.0.0.0', 80))", imports="import socket")
    ),
    # Broken tests, as Python code.
    "a package of the tests": _broken(f"import nowhere_at_all\n{_TESTS}"),
    "a name of a package of the tests": _broken(f"from nowhere_at_all import approx\n{_TESTS}"),
    "a package in a test function": _broken(
        "def test_f():\n    import nowhere_at_all\n    assert f(2) == 4"
    ),
    "a name that the tests do not define": _broken("assert f(2) == EXPECTED", entry_point="f"),
    "a helper that the tests do not define": _broken(
        "assert f(2) == 4\nassert is_close(f(3), 9)", entry_point="f"
    ),
    "a function that the task never mentioned": _broken("assert cube(2) == 8", entry_point="f"),
    "a name that no module has": _broken(
        "import math\nassert f(2) == math.squared(2)", entry_point="f"
    ),
    "a division by zero before the tests": _broken(f"scale = 1 / 0\n{_TESTS}"),
    "a missing key before the tests": _broken(f"table = {{}}\nnine = table['nine']\n{_TESTS}"),
    "a file of the tests": _broken(f"rows = open('expected.json').read()\n{_TESTS}"),
    "data that do not parse": _broken(f"import json\nrows = json.loads('{{4')\n{_TESTS}"),
    "a check that divides by zero": _broken("def test_f():\n    n = 1 / 0\n    assert f(n) == 4"),
    "a set-up of unittest": _broken(
        "import unittest\nclass T(unittest.TestCase):\n    def setUp(self):\n"
        "        self.rows = open('rows.json')\n    def test_f(self):\n"
        "        self.assertEqual(f(2), 4)"
    ),
    "an attribute of a test case": _broken(
        "import unittest\nclass T(unittest.TestCase):\n    def test_f(self):\n"
        "        self.assertEquals(f(2), self.expected)"
    ),
    # Broken tests, as a file for pytest.
    "a package of a test file": _broken_file(f"import nowhere_at_all\n{_FILE}"),
    "a helper module of a test file": _broken_file(f"from helpers import rows\n{_FILE}"),
    "another name of the module": _broken_file(
        "from calculator import f\ndef test_two():\n    assert f(2) == 4\n"
    ),
    "a relative import": _broken_file(
        "from .solution import f\ndef test_two():\n    assert f(2) == 4\n"
    ),
    "an error in a test file": _broken_file(f"scale = 1 / 0\n{_FILE}"),
    "a name that a test file does not define": _broken_file(f"{_FILE}\nROWS = rows_of(3)\n"),
    "a fixture that is not there": _broken_file(
        "from solution import f\ndef test_two(table):\n    assert f(2) == 4\n"
    ),
    "a fixture of a plugin": _broken_file(
        "from solution import f\ndef test_two(mocker):\n    assert f(2) == 4\n"
    ),
    "a fixture that raises": _broken_file(
        "import pytest\nfrom solution import f\n@pytest.fixture\ndef table():\n"
        "    return {}['two']\n"
        "def test_two(table):\n    assert f(2) == table\n"
    ),
    "a fixture that reads a file": _broken_file(
        "import pytest\nfrom solution import f\n@pytest.fixture\ndef rows():\n"
        "    with open('rows.csv') as file:\n        return file.read()\n"
        "def test_two(rows):\n    assert f(2) == 4\n"
    ),
    "a fixture of a conftest that raises": _broken_file(
        "from solution import f\ndef test_two(table):\n    assert f(2) == 4\n",
        {
            "conftest.py": "import pytest\n@pytest.fixture\ndef table():\n"
            "    raise OSError('no table')\n"
        },
    ),
    "a conftest that cannot be imported": _broken_file(
        _FILE, {"conftest.py": "import nowhere_at_all\n"}
    ),
    "a plugin that is not there": _broken_file(_FILE, plugins=["nowhere_at_all"]),
    "parameters that do not fit": _broken_file(
        "import pytest\nfrom solution import f\n@pytest.mark.parametrize('x, y', [(1, 2, 3)])\n"
        "def test_two(x, y):\n    assert f(x) == y\n"
    ),
    "a parameter that no test has": _broken_file(
        "import pytest\nfrom solution import f\n@pytest.mark.parametrize('z', [1])\n"
        "def test_two():\n    assert f(2) == 4\n"
    ),
    "a set-up of a class": _broken_file(
        "from solution import f\nclass TestF:\n    def setup_method(self):\n"
        "        self.rows = [][0]\n    def test_two(self):\n        assert f(2) == 4\n"
    ),
    "a set-up of a class of unittest": _broken_file(
        "import unittest\nfrom solution import f\nclass T(unittest.TestCase):\n    @classmethod\n"
        "    def setUpClass(cls):\n        cls.rows = int('two')\n    def test_two(self):\n"
        "        self.assertEqual(f(2), 4)\n"
    ),
    "a set-up of the module": _broken_file(
        "from solution import f\ndef setup_module():\n    raise RuntimeError('no server')\n"
        "def test_two():\n    assert f(2) == 4\n"
    ),
    # Broken checkers of outputs.
    "a checker that raises": _broken(
        StdioPairs(
            [("2\n", "4\n")],
            checker="def check(stdin, expected, actual):\n    return {}[stdin]\n",
        ),
        "print(int(input()) ** 2)",
    ),
    "a checker that needs a package": _broken(
        StdioPairs(
            [("2\n", "4\n")],
            checker="import nowhere_at_all\ndef check(stdin, expected, actual):\n    return True\n",
        ),
        "print(int(input()) ** 2)",
    ),
    "a checker that refuses what is expected": _broken(
        StdioPairs(
            [("2\n", "4\n")],
            checker="def check(stdin, expected, actual):\n    return actual.strip() == '16'\n",
        ),
        "print(int(input()) ** 2)",
    ),
    # What looks alike, and is the code's.
    "a file of the code's own invention": _wrong(_in_f("open('config.yaml').read()")),
    "a name that an installed module has not": _wrong(_in_f("from math import square")),
    "a missing key": _wrong(_in_f("return {}['SERVICE_API_KEY']")),
    "a result that the tests cannot use": _wrong(
        "def f(x):\n    return None", "assert f(2) + 1 == 5"
    ),
    "a result without a part": _wrong("def f(x):\n    return []", "assert f(2)[0] == 4"),
    "a command that fails": _wrong(
        _in_f("subprocess.run(['false'], check=True)", imports="import subprocess")
    ),
    "an error that the tests hand to the code": _wrong(
        "def f(g):\n    return g()", "def g():\n    return 4\nassert f(g) == 5"
    ),
    "a value of the code that a fixture uses": _wrong(
        "def f(x):\n    return {}\n",
        PytestFile(
            "import pytest\nfrom solution import f\n@pytest.fixture\ndef two():\n"
            "    return f(2)['value']\ndef test_two(two):\n    assert two == 4\n"
        ),
    ),
    "a value of the code before the tests": _wrong(
        "def f(x):\n    return {}\n", "two = f(2)['value']\nassert two == 4"
    ),
    "no end of lines": _wrong("x = int(input())\ny = int(input())\nprint(x * y)", _PAIRS),
}

ISOLATED = frozenset(
    {
        *("a connection", "a name of a host", "a page", "a request over HTTPS"),
        *("a connection of asyncio", "an address without a name", "a page, and pairs"),
        *("a folder of the system", "a file of the system that is written", "another user"),
        "a port that is reserved",
        "a package that is to be installed by the program",
    }
)
"""Cases that need a sandbox with isolation: without it they would reach out of it."""
