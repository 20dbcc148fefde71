"""Tests that are broken: they fail whatever the candidate does.

Each is written as people and models write it; the candidate is right.
"""

from collections.abc import Mapping, Sequence

from tests.feedback.kind_case import SQUARE, TEST_FILE, TESTS, KindCase

from planish.data import PytestFile, StdioPairs, Tests

__all__ = ["BROKEN_TESTS"]


def _broken(tests: str | Tests, code: str = SQUARE, **task: str) -> KindCase:
    return KindCase(kind="test_error", code=code, tests=tests, **task)


def _broken_file(
    source: str, files: Mapping[str, str] | None = None, plugins: Sequence[str] = ()
) -> KindCase:
    return _broken(PytestFile(source, files=files or {}, plugins=tuple(plugins)))


BROKEN_TESTS: Mapping[str, KindCase] = {
    # Broken tests, as Python code.
    "a package of the tests": _broken(f"import nowhere_at_all\n{TESTS}"),
    "a name of a package of the tests": _broken(f"from nowhere_at_all import approx\n{TESTS}"),
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
    "a division by zero before the tests": _broken(f"scale = 1 / 0\n{TESTS}"),
    "a missing key before the tests": _broken(f"table = {{}}\nnine = table['nine']\n{TESTS}"),
    "a file of the tests": _broken(f"rows = open('expected.json').read()\n{TESTS}"),
    "data that do not parse": _broken(f"import json\nrows = json.loads('{{4')\n{TESTS}"),
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
    "a package of a test file": _broken_file(f"import nowhere_at_all\n{TEST_FILE}"),
    "a helper module of a test file": _broken_file(f"from helpers import rows\n{TEST_FILE}"),
    "another name of the module": _broken_file(
        "from calculator import f\ndef test_two():\n    assert f(2) == 4\n"
    ),
    "a relative import": _broken_file(
        "from .solution import f\ndef test_two():\n    assert f(2) == 4\n"
    ),
    "an error in a test file": _broken_file(f"scale = 1 / 0\n{TEST_FILE}"),
    "a name that a test file does not define": _broken_file(f"{TEST_FILE}\nROWS = rows_of(3)\n"),
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
        TEST_FILE, {"conftest.py": "import nowhere_at_all\n"}
    ),
    "a plugin that is not there": _broken_file(TEST_FILE, plugins=["nowhere_at_all"]),
    "parameters that do not fit": _broken_file(
        "import pytest\nfrom solution import f\nSETS = [(1, 2, 3)]\n"
        "@pytest.mark.parametrize('x, y', SETS)\n"
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
}
