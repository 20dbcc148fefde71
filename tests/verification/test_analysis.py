"""Static analysis of tests: whether they compare, and which are skipped."""

import pytest

from planish.data.tests import Assertions, Case, Cases, PytestFile, Stdio, StdioPairs, Tests
from planish.verification._analysis import compares

CALLS = ["check(f(1))", "self.fail()", "t.assertEqual(f(1), 2)", "pytest.raises(E)", "verify(f)"]


@pytest.mark.parametrize("code", ["assert f(1) == 2", "raise E", *CALLS])
def test_an_assert_or_a_call_named_like_one_compares(code: str) -> None:
    source = f"def test_it():\n    {code}\n"
    assert compares(Assertions(source))
    assert compares(PytestFile(source))


@pytest.mark.parametrize("code", ["f(1)", "print(f(1))", "x = f(1).value", "(lambda: 1)()"])
def test_a_mere_call_compares_nothing(code: str) -> None:
    source = f"def test_it():\n    {code}\n"
    assert not compares(Assertions(source))
    assert not compares(PytestFile(source))


@pytest.mark.parametrize(
    "tests", [Cases((Case((1,), 2),)), StdioPairs((Stdio("1", "2"),))], ids=["cases", "pairs"]
)
def test_cases_and_pairs_compare_what_they_hold(tests: Tests) -> None:
    assert compares(tests)


def test_no_tests_compare_nothing() -> None:
    assert not compares(None)
