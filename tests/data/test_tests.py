"""The four ways to say what right means."""

import warnings
from typing import Any

import pytest

from planish.data.tests import Assertions, Case, Cases, PytestFile, StdioPairs, Tolerance
from planish.errors import TaskError


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("assert f(1 == 2", r"does not parse: '\(' was never closed in line 1"),
        ("assert f(1)\nreturn 2", "does not parse: 'return' outside function in line 2"),
        ("assert f('\ud800')", "does not parse: .*surrogates not allowed"),
        ("assert f(1)\0", "does not parse: .*null bytes"),
        ("assert f(" + "-" * 20_000 + "1)", "does not parse: it is nested too deeply"),
        ("x = 1", "check nothing: give assert statements"),
        ("", "check nothing"),
    ],
)
def test_assertions_that_could_never_judge_are_refused(code: str, message: str) -> None:
    with pytest.raises(TaskError, match=message):
        Assertions(code)


def test_test_code_warns_of_nothing() -> None:
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        Assertions("assert f('\\d') is 'x'\nassert (1, 2)")
        Case(1, predicate="result is 'x' or '\\d'")
    assert seen == []


@pytest.mark.parametrize("predicate", ["result >", "x = 1", "result) or (True", "-" * 20_000 + "1"])
def test_a_predicate_is_an_expression(predicate: str) -> None:
    with pytest.raises(TaskError, match="is not a Python expression"):
        Case(1, predicate=predicate)


@pytest.mark.parametrize(
    "wrong",
    [
        {"args": 1},
        {"args": 1, "expected": 2, "predicate": "result"},
        {"args": object(), "expected": 1},
        {"args": 1, "expected": [object()]},
        {"args": 1, "expected": 1, "kwargs": {"x": range(3)}},
    ],
)
def test_a_case_holds_plain_values_and_one_way_to_judge(wrong: dict[str, Any]) -> None:
    with pytest.raises(TaskError):
        Case(**wrong)


def test_a_case_that_holds_itself_is_refused() -> None:
    loop: list[Any] = []
    loop.append(loop)
    with pytest.raises(TaskError, match="holds itself, or is nested too deeply"):
        Case(1, [loop])


@pytest.mark.parametrize(
    ("case", "title"),
    [
        (Case((2, 3), 5), "add(2, 3)"),
        (Case([1], 1, kwargs={"key": "x"}), "add([1], key='x')"),
        (Case(1, 1, name="one"), "one"),
        (Case({"b", "a", "c"}, 1), "add({'a', 'b', 'c'})"),
        (Case("x" * 500, 1), "add('" + "x" * 112 + "..."),
        (Case(10**5_000, 1), None),
    ],
)
def test_the_title_of_a_case_is_the_call(case: Case, title: str | None) -> None:
    if title is not None:
        assert case.title("add") == title
    assert len(case.title("add")) <= 120


def test_cases_travel_as_json() -> None:
    cases = Cases.of(
        [
            ((1, (2.5, None)), {"a": {1, 2}, b"\x00": [...]}),
            Case(float("inf"), predicate="result > 1", kwargs={"k": frozenset("a")}),
        ]
    )
    assert Cases.from_json(cases.to_json()) == cases


@pytest.mark.parametrize(
    ("source", "message"),
    [("def test(:", "does not parse"), ("x = 1", "has no test function")],
)
def test_a_pytest_file_has_tests(source: str, message: str) -> None:
    with pytest.raises(TaskError, match=message):
        PytestFile(source)


@pytest.mark.parametrize("wrong", [-1.0, float("inf"), float("nan"), True])
def test_a_tolerance_is_a_finite_number(wrong: float) -> None:
    for make in (
        lambda: Tolerance(absolute=wrong),
        lambda: Tolerance(relative=wrong),
        lambda: Case(1, 1.0, tolerance=wrong),
        lambda: Cases.of([(1, 1.0)], tolerance=wrong),
    ):
        with pytest.raises(TaskError, match=r"^Tolerance\("):
            make()


def test_options_that_mean_nothing_are_refused() -> None:
    with pytest.raises(TaskError, match="a tolerance is for `expected`"):
        Case(1, predicate="result", tolerance=1e-6)
    with pytest.raises(TaskError, match="must be 'exact' or 'any'"):
        Cases.of([(1, 1)], sequences="all")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


TEST = "def test_f(): assert f()"


def test_a_pytest_file_has_further_files() -> None:
    files = {
        "conftest.py": "X = 1",
        "data/in.txt": "(",
        "helpers/__init__.py": "",
        "solution.txt": "",
    }
    tests = PytestFile(TEST, files=files)
    files.clear()
    assert tests.files["conftest.py"] == "X = 1"
    assert PytestFile.from_json(tests.to_json()) == tests
    assert hash(tests) == hash(PytestFile.from_json(tests.to_json()))
    with pytest.raises(TypeError):
        tests.files["new.py"] = ""  # type: ignore[index]  # pyright: ignore[reportIndexIssue]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/etc/x.py", "is absolute"),
        ("../x.py", "leads out of"),
        ("a/../../x.py", "leads out of"),
        ("a//b.py", "not a plain path"),
        ("", "not a plain path"),
        ("x\0.py", "NUL"),
        ("test_solution.py", "another test file"),
        ("solution.py", "the candidate's module"),
        ("solution/__init__.py", "the candidate's module"),
        ("pytest.ini", "configuration"),
        ("test_solution.py/a.txt", "is a file"),
        ("solution.py/a.txt", "is a file"),
        ("test_more.py", "the test file test_more.py does not parse"),
    ],
)
def test_a_further_file_has_a_place_of_its_own(path: str, message: str) -> None:
    with pytest.raises(TaskError, match=message):
        PytestFile(TEST, files={path: "def f(:"})


def test_no_further_file_hides_the_package_of_the_candidate() -> None:
    with pytest.raises(TaskError, match="the candidate's module"):
        PytestFile(TEST, module="pkg.mod", files={"pkg.py": ""})
    with pytest.raises(TaskError, match="is a file"):
        PytestFile(TEST, module="pkg.mod", files={"pkg": ""})
    assert PytestFile(TEST, module="pkg.mod", files={"pkg/__init__.py": ""}).files


@pytest.mark.parametrize("wrong", [{"filename": "../test_x.py"}, {"module": "not a name"}])
def test_a_pytest_file_has_a_plain_name_and_module(wrong: dict[str, Any]) -> None:
    with pytest.raises(TaskError, match=r"leads out of|not the name of a module"):
        PytestFile(TEST, **wrong)


def test_empty_tables_are_refused() -> None:
    with pytest.raises(TaskError, match="at least one"):
        Cases(())
    with pytest.raises(TaskError, match="at least one"):
        StdioPairs(())
