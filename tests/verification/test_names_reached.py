"""Names of the candidate's that tests reach without writing them down as names."""

import pytest
from tests.verification.conftest import Run

from planish.data.status import Status
from planish.data.tests import Assertions

CODE = "value = 7\ndef twice(n):\n    return 2 * n\n"


@pytest.mark.parametrize(
    "check",
    [
        *('assert eval("twice(value)") == 14', 'exec("found = twice(value)")\nassert found == 14'),
        *('assert globals()["tw" + "ice"](7) == 14', 'assert vars()["tw" + "ice"](7) == 14'),
        *('assert locals()["tw" + "ice"](7) == 14', 'assert {"twice", "value"} <= set(dir())'),
        'import __main__\nassert getattr(__main__, "tw" + "ice")(7) == 14',
        'import sys\nassert sys.modules["__ma" + "in__"].twice(7) == 14',
    ],
)
def test_all_names_are_there_where_tests_look_for_names(run: Run, check: str) -> None:
    result = run(CODE, tests=Assertions(check, run_as="script"))
    assert result.failure is None
    assert result.status is Status.SUCCESS


def test_a_name_in_a_text_with_dots_is_there(run: Run) -> None:
    code = "def helper():\n    return 1\ndef total():\n    return helper() + 1\n"
    check = """
from unittest import mock
with mock.patch("__main__.helper", lambda: 5):
    assert total() == 6
assert total() == 2
"""
    result = run(code, tests=Assertions(check, run_as="script"))
    assert result.failure is None


def test_python_has_its_own_names_where_the_tests_test_another(run: Run) -> None:
    code = "def sorted(items):\n    return []\ndef first(items):\n    return min(items)\n"
    right = run(code, tests="assert first(sorted([2, 1])) == 1", entry_point="first")
    assert right.failure is None
    own = run(code, tests="assert sorted([2, 1]) == []", entry_point="sorted")
    assert own.failure is None
