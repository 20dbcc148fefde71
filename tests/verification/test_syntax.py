"""Failures that are found without running a candidate."""

import sys
import time
import warnings
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planish.data.candidate import Candidate, Problem
from planish.data.execution import Failure
from planish.data.status import Status
from planish.data.task import Task
from planish.data.tests import Cases, PytestFile, Stdio, StdioPairs, Tests
from planish.verification import reject, syntax_failure


def candidate(
    code: str,
    problem: Problem | None = None,
    tests: Tests | str | None = None,
    language: str = "python",
) -> Candidate:
    task = Task("Do it.", tests=tests, entry_point="f", language=language)
    return Candidate(task=task, code=code, problem=problem)


@pytest.mark.parametrize(
    ("code", "name", "line", "offset", "message"),
    [
        ("x = 1\ndef f(:\n", "SyntaxError", 2, 7, "invalid syntax"),
        ("if x:\nprint(1)", "IndentationError", 2, 1, "expected an indented block"),
        ("if x:\n\ty = 1\n        z = 1", "TabError", 3, None, "inconsistent use of tabs"),
        ("x = 1\nreturn x", "SyntaxError", 2, 1, "'return' outside function"),
        ("def f():\n    nonlocal x", "SyntaxError", 2, 5, "no binding for nonlocal 'x' found"),
        ("x = '''abc", "SyntaxError", 1, 5, "unterminated triple-quoted string"),
        ("print(1", "SyntaxError", 1, 6, "'(' was never closed"),
        ("a\nb\0c", "SyntaxError", None, None, "source code string cannot contain null bytes"),
        ("a = 1\nb = '\ud800'", "SyntaxError", 2, 6, "the code has half a surrogate pair"),
        ("x = " + "-" * 50_000 + "1", "SyntaxError", None, None, "the code is nested too deeply"),
        pytest.param(
            *("x" + ".a" * 20_000, "SyntaxError", None, None, "the code is nested too deeply"),
            marks=pytest.mark.skipif(sys.version_info >= (3, 14), reason="it compiles"),
        ),
        ("(" * 1_000, "SyntaxError", 1, None, "too many nested parentheses"),
    ],
)
def test_a_syntax_error_is_told_with_its_place(
    code: str, name: str, line: int | None, offset: int | None, message: str
) -> None:
    failure = syntax_failure(candidate(code))
    assert failure is not None
    assert failure.name == name
    assert failure.message.startswith(message)
    if line is not None:
        assert failure.line == line
        assert f'File "solution.py", line {line}' in failure.traceback
    if offset is not None:
        assert failure.offset == offset
        assert "^" in failure.traceback
    assert f"{name}: {message}" in failure.traceback
    assert len(failure.traceback) < 8_100


def test_the_rendering_shows_the_line_and_a_caret() -> None:
    failure = syntax_failure(candidate("x = 1\nx = = 2\n"))
    assert failure is not None
    assert failure.text == "x = = 2"
    assert failure.traceback == (
        '  File "solution.py", line 2\n    x = = 2\n        ^\nSyntaxError: invalid syntax\n'
    )


def test_a_file_of_the_host_is_not_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "solution.py").write_text("a secret of the host")
    monkeypatch.chdir(tmp_path)
    failure = syntax_failure(candidate("return 1"))
    assert failure is not None
    assert failure.text == "return 1"
    assert "secret" not in failure.traceback


@pytest.mark.parametrize(
    "code",
    [
        "x = 1",
        "",
        "\ufeffx = 1",
        "x = 1\r\ny = 2\r\n",
        "x = '\\d' is 1\nassert (x, 'always')",
        "x = '\U0001f600'",
        "# -*- coding: latin-1 -*-\nx = 'é'",
        "from __future__ import annotations\nx = 1",
    ],
)
def test_code_that_compiles_has_no_failure_and_warns_of_nothing(code: str) -> None:
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        assert syntax_failure(candidate(code)) is None
    assert seen == []


@pytest.mark.parametrize(
    "code",
    [
        "x = 1\n" * 2_000_000,
        "def f():\n return 1\n" * 50_000,
        "class A:\n" + " def f(self): return 1\n" * 40_000,
        "x = '" + "a" * 900_000,
        "x = " + "9" * 900_000,
        "." * 1_000_000,
    ],
    ids=["10 MB", "functions", "methods", "open string", "digits", "dots"],
)
def test_large_code_does_not_hang_the_host(code: str) -> None:
    started = time.process_time()
    failure = syntax_failure(candidate(code))
    assert time.process_time() - started < 20
    if len(code) > 1_000_000:
        assert failure is not None
        assert failure.name == "CodeTooLarge"
        assert "1000000" in failure.message
    if failure is not None:
        assert len(failure.text) < 2_100
        assert len(failure.traceback) < 8_100


@pytest.mark.parametrize(
    ("problem", "name"),
    [("empty_reply", "EmptyReply"), ("no_code", "NoCode"), ("truncated", "TruncatedReply")],
)
def test_a_reply_without_code_is_a_failure_in_any_language(problem: Problem, name: str) -> None:
    for language in ("python", "ruby"):
        failure = syntax_failure(candidate("", problem, language=language))
        assert failure is not None
        assert failure.name == name
        assert ":" in failure.message


def test_code_in_other_languages_is_not_looked_at() -> None:
    assert syntax_failure(candidate("let x = ;", language="javascript")) is None


@pytest.mark.parametrize(
    ("tests", "names"),
    [
        ("assert f(1) == 1\nassert f(2) == 2", ["assert f(1) == 1", "assert f(2) == 2"]),
        (Cases.of([(1, 2), (3, 4)]), ["f(1)", "f(3)"]),
        (StdioPairs((Stdio("", ""),)), ["pair 1"]),
        (
            PytestFile(
                "import solution\ndef test_a(): pass\nclass TestB:\n def test_c(self): pass"
            ),
            ["test_a", "TestB::test_c"],
        ),
        (None, []),
    ],
)
def test_none_of_the_tests_of_code_that_cannot_run_has_run(
    tests: Tests | str | None, names: list[str]
) -> None:
    one = candidate("def f(:", tests=tests)
    failure = syntax_failure(one)
    assert failure is not None
    result = reject(one, failure)
    assert result.status is Status.SYNTAX_ERROR
    assert result.failure is failure
    assert [(test.name, test.status) for test in result.tests] == [(n, "not_run") for n in names]
    assert (result.runs, result.duration, result.sandbox) == (0, 0.0, None)
    assert result.score == (0.0 if names else None)


@settings(deadline=None)
@given(st.text(max_size=200))
def test_it_never_raises(code: str) -> None:
    syntax_failure(candidate(code))


@settings(deadline=None)
@given(st.text(alphabet="()[]{}:=,'\"\\ \n\tfxdeiclassreturnifor01\0\ud800", max_size=100))
def test_it_never_raises_for_what_looks_like_code(code: str) -> None:
    syntax_failure(candidate(code))


def failure_of(code: str) -> Failure | None:
    return syntax_failure(Candidate(task=Task("Do it."), code=code))


@pytest.mark.parametrize("long", ["", "#" * 50_000 + "\n"])
@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("a = 1\ndef f(a, a): pass\nb = 2", "def f(a, a): pass"),
        ("a = 1\nnonlocal x\nb = 2", "nonlocal x"),
        ("a = 1\nb = (\n", "b = ("),
    ],
)
def test_the_line_of_an_error_is_shown_whatever_finds_it(code: str, line: str, long: str) -> None:
    failure = failure_of(long + code)
    assert failure is not None
    assert failure.text == line
    assert failure.line == (2 if not long else 3)


def test_code_of_a_million_characters_is_read_and_no_longer_code() -> None:
    assert failure_of("#" * 1_000_000) is None
    failure = failure_of("#" * 1_000_001)
    assert failure is not None
    assert failure.message == "the code has 1000001 characters: write at most 1000000"
