"""Static analysis of tests: what they compare, which are skipped, what they read."""

import pytest

from planish.data.tests import Assertions, Case, Cases, PytestFile, Stdio, StdioPairs, Tests
from planish.verification._analysis import (
    assert_at,
    author_marks,
    compares,
    comparison_values,
    pytest_tests,
    tree_of,
)
from planish.verification._names import shared_process_reason

CALLS = [
    *("check(f(1))", "self.fail()", "t.assertEqual(f(1), 2)", "pytest.raises(E)", "verify(f)"),
    *("expect(f(1))", "pytest.warns(E)", "f(1).approx(2)", "Expect(f)"),
]


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


@pytest.mark.parametrize(
    "mark",
    [
        *("skip", "skip()", "unittest.skip('later')", "mark.xfail", "mark.xfail(reason='old')"),
        *("expectedFailure", "skipif(True, reason='')", "skipUnless(platform.system(), '')"),
        *("skipIf(not bool(os.environ), '')", "skipIf(tuple(sys.version_info) < (int(3), 1), '')"),
        *("skipIf(str(None) == 'None' or False, '')", "slow\n@skip"),
    ],
)
def test_what_only_the_host_decides_is_the_authors_mark(mark: str) -> None:
    marks = author_marks(f"@{mark}\nasync def test_a(): pass\n@{mark}\nclass B:\n def c(): 1\n")
    assert set(marks) == {"test_a", "B.c"}


@pytest.mark.parametrize(
    "mark", ["slow", "mark.xfail(f(1))", "skipif(f(1))", "skipif()", "skipIf(n, '')", "(lambda: 1)"]
)
def test_what_the_candidate_may_decide_is_no_mark_of_the_author(mark: str) -> None:
    assert author_marks(f"@{mark}\ndef test_a(): pass\n") == {}


def test_a_mark_of_a_class_is_before_that_of_its_methods() -> None:
    code = "@skip('')\nclass A:\n    @expectedFailure\n    def b(): 1\n    x = 1\ndef c(): 1\n"
    assert author_marks(code) == {"A.b": "skip"}


@pytest.mark.parametrize(
    ("names", "what"),
    [
        ("assertLogs assertNoLogs caplog", "log records"),
        ("assertWarns assertWarnsRegex catch_warnings deprecated_call recwarn warns", "warnings"),
        ("capfd capfdbinary", "what is written to descriptors"),
        ("create_autospec autospec", "signatures of the code's classes"),
        ("weakref", "when objects of the code end"),
        ("extract_tb walk_tb tb_frame tb_next getinnerframes", "frames of the code"),
        ("SimpleNamespace", "objects of a library's own class"),
        ("anyio trio curio", "tasks of an event loop other than asyncio's"),
    ],
)
def test_tests_that_read_state_of_the_process_run_in_the_candidates(names: str, what: str) -> None:
    for name in names.split():
        codes = [
            *(f"{name}()", f"self.{name}(E)", f"def look({name}): pass"),
            *(f"mock(f, {name}=True)", f"from m import {name}"),
        ]
        for code in codes:
            reason = shared_process_reason(Assertions(f"assert f(1)\n{code}"))
            assert f"inspect {what} with {name!r}" in reason


def test_every_python_file_of_the_tests_is_looked_at() -> None:
    files = {"helper.py": "caplog", "b.py": "", "c.txt": "(("}
    tests = PytestFile("import helper\ndef test_a(): pass", files=files)
    assert "log records" in shared_process_reason(tests)
    assert shared_process_reason(PytestFile("def test_a(): pass", files={"b": "caplog"})) == ""
    assert shared_process_reason(Assertions("assert f('caplog') == {'warns': 1}")) == ""
    assert shared_process_reason(Cases((Case(("caplog",), 2),))) == ""
    assert shared_process_reason(None) == ""


def test_pytest_collects_functions_and_classes_by_its_default_names() -> None:
    code = """
def test_a(): pass
async def testing(): pass
def helper(): pass
class TestB:
    def test_c(self): pass
    def help(self): pass
    class TestInner:
        def test_d(self): pass
class Base(unittest.TestCase):
    def test_e(self): pass
class Other:
    def test_f(self): pass
def test_a(): pass
"""
    assert list(pytest_tests(tree_of(code))) == [
        *(("test_a", 2), ("testing", 3), ("TestB::test_c", 6)),
        *(("TestB::TestInner::test_d", 9), ("Base::test_e", 11)),
    ]


def test_an_assert_is_found_by_each_of_its_lines_and_by_no_other() -> None:
    code = "x = 1\nassert f(\n    x\n)\n\nf(2)\nassert f(3)\n"
    found = [assert_at(code, line) for line in (None, 0, 1, 2, 3, 4, 5, 6, 7, 8)]
    assert [node and node.lineno for node in found] == [*[None] * 3, 2, 2, 2, None, None, 7, None]


def sides(code: str, operator: str, **values: str) -> tuple[str | None, str | None]:
    return comparison_values(code, {"line": 1, "operator": operator, **values})


@pytest.mark.parametrize(
    ("operator", "symbol", "turned"),
    [
        ("Eq", "", ""),
        ("NotEq", "!= ", "!= "),
        ("Lt", "< ", "> "),
        ("LtE", "<= ", ">= "),
        ("Gt", "> ", "< "),
        ("GtE", ">= ", "<= "),
        ("Is", "", ""),
        ("IsNot", "is not ", "is not "),
        ("In", "in ", "with "),
        ("NotIn", "not in ", "without "),
    ],
)
def test_the_expected_side_is_shown_with_the_comparison_it_failed(
    operator: str, symbol: str, turned: str
) -> None:
    values = {"left": "1", "right": "2"}
    assert sides("assert f(1) == 2", operator, **values) == (f"{symbol}2", "1")
    assert sides("assert 1 == f(2)", operator, **values) == (f"{turned}1", "2")
    assert sides("assertEqual(1, f(2), 'm')", operator, **values) == (f"{turned}1", "2")


def test_the_value_of_a_bare_assert_is_compared_with_a_truth_value() -> None:
    assert sides("assert f(1)", "", left="False") == ("True", "False")
    assert sides("assert f(1)", "", left="True") == (None, "True")
    assert sides("assert not f(1)", "Not", left="True") == ("False", "True")
    assert sides("assert not f(1)", "Not", left="False") == (None, "False")
    assert comparison_values("assert f(1)", None) == (None, None)


CONVERSIONS = (
    "abs bool bytes dict float frozenset int len list max min repr round set sorted str sum tuple"
)


@pytest.mark.parametrize("name", CONVERSIONS.split())
def test_a_conversion_of_the_expected_side_is_no_call_of_the_code(name: str) -> None:
    values = {"left": "1", "right": "2"}
    assert sides(f"assert {name}(x) == f(y)", "Eq", **values) == ("1", "2")
    assert sides(f"assert {name}(f(x)) == {name}(y)", "Eq", **values) == ("2", "1")
    assert sides(f"assert x.{name}(y) == 2", "Eq", **values) == ("2", "1")


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        *(("assert x == y", "right"), ("assert 1 == y", "left"), ("assert 1 == 2", "right")),
        *(("assert f(x) == g(y)", "right"), ("assert x == 2", "right"), ("x = 1 == y", "right")),
    ],
)
def test_a_literal_is_the_expected_side_where_calls_do_not_tell(code: str, expected: str) -> None:
    assert sides(code, "Eq", left="left", right="right")[0] == expected


def test_long_values_are_cut() -> None:
    expected, actual = sides("assert f(1) == x", "Eq", left="1" * 3000, right="2" * 3000)
    assert expected is not None
    assert actual is not None
    assert len(expected) < 2100
    assert len(actual) < 2100
