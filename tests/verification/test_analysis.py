"""Static analysis of tests: whether they compare, and which are skipped."""

import pytest

from planish.data.tests import Assertions, Case, Cases, PytestFile, Stdio, StdioPairs, Tests
from planish.verification._analysis import author_marks, compares

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


@pytest.mark.parametrize(
    ("mark", "read"),
    [
        ("pytest.mark.skip", "skip"),
        ("pytest.mark.skip('later')", "skip"),
        ("pytest.mark.xfail(reason='known')", "xfail"),
        ("[pytest.mark.slow, pytest.mark.skip]", "skip"),
        ("(pytest.mark.skipif(sys.platform != '', reason='here'),)", "skip"),
        ("pytest.mark.skipif(f(1) == 2, reason='the candidate decides')", None),
        ("pytest.mark.slow", None),
    ],
)
def test_a_mark_of_the_module_is_the_mark_of_every_test(mark: str, read: str | None) -> None:
    tests = "def test_a(): pass\nclass TestB:\n    def test_c(self): pass\n"
    names = ("test_a", "TestB.test_c")
    assert author_marks(f"pytestmark = {mark}\n{tests}") == (
        dict.fromkeys(names, read) if read else {}
    )
    assert author_marks(f"other_name = {mark}\n{tests}") == {}
