"""Programs that fail for want of something, and programs that look alike and are wrong.

Each is written as people and models write it, and has one right kind.
"""

from collections.abc import Mapping

from tests.feedback.kind_case import SQUARE, TEST_FILE, TESTS, KindCase

from planish.data import Cases, PytestFile, StdioPairs, Tests

__all__ = ["ENVIRONMENT", "ISOLATED"]


def _lacks(code: str, tests: str | Tests | None = TESTS, **task: str) -> KindCase:
    return KindCase(kind="environment", code=code, tests=tests, **task)


def _in_f(*lines: str, imports: str = "") -> str:
    body = "".join(f"    {line}\n" for line in lines)
    return f"{imports}\n\ndef f(x):\n{body}    return x * x\n"


def _wrong(code: str, tests: str | Tests = TESTS, **task: str) -> KindCase:
    return KindCase(kind="logic", code=code, tests=tests, **task)


_PAIRS = StdioPairs([("2\n", "4\n")])

ENVIRONMENT: Mapping[str, KindCase] = {
    # What the environment lacks: packages.
    "a package that is not installed": _lacks(f"import nowhere_at_all\n{SQUARE}"),
    "a name of such a package": _lacks(f"from nowhere_at_all.tools import power\n{SQUARE}"),
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
        f"import nowhere_at_all\n{SQUARE}", PytestFile(TEST_FILE)
    ),
    "a package, and cases": _lacks(
        f"import nowhere_at_all\n{SQUARE}", Cases.of([(2, 4)]), entry_point="f"
    ),
    "a package, and pairs": _lacks("import nowhere_at_all\nprint(int(input()) ** 2)", _PAIRS),
    "a package, and no tests": _lacks("import nowhere_at_all\nprint(4)", None),
    "an import error that is raised again": _lacks(
        "try:\n    import nowhere_at_all\n"
        "except ImportError as error:\n    raise RuntimeError('needs nowhere') from error\n"
        + SQUARE
    ),
    "a package that is to be installed by the program": _lacks(
        "import subprocess, sys\n"
        "subprocess.check_call([sys.executable, '-m', 'pip', 'install', 'nowhere-at-all'])\n"
        + SQUARE
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
