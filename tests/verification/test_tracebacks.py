"""Tracebacks of failures: Python's own, without frames of the verifier."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.verification.conftest import GUEST

from planish.data.execution import Execution, Failure
from planish.data.status import Status
from planish.data.tests import Assertions
from planish.feedback import execution_findings
from planish.verification._output import shorten_paths

Run = Callable[..., Execution]

FAILING = {
    "plain": "def f(n):\n    return n / 0\n",
    "no message": "def f(n):\n    raise ValueError\n",
    "of its own": "class Mine(Exception): pass\ndef f(n):\n    raise Mine('x', 1)\n",
    "in the library": "import json\ndef f(n):\n    return json.loads('{')\n",
    "cause": (
        "def g(n):\n    return [][n]\n"
        "def f(n):\n    try:\n        g(n)\n    except IndexError as e:\n"
        "        raise ValueError('bad') from e\n"
    ),
    "context": "def f(n):\n    try:\n        {}[n]\n    except KeyError:\n        1 / 0\n",
    "suppressed": "def f(n):\n    try: {}[n]\n    except KeyError: raise OSError from None\n",
    "notes": "def f(n):\n    e = ValueError('x')\n    e.add_note('a note')\n    raise e\n",
    "group": "def f(n):\n    raise ExceptionGroup('two', [ValueError(1), OSError(2)])\n",
    "recursion": "def f(n):\n    return f(n)\n",
    "syntax": "def f(n):\n    return eval('1 +')\n",
    "several lines": "def f(n):\n    return (\n        n\n        / 0\n    )\n",
    "wide characters": "def f(n):\n    return 'é\U0001f600' + n + 'é'\n",
}


def by_itself(code: str, directory: Path) -> str:
    """What Python prints where candidate and test are files."""
    (directory / "solution.py").write_text(code, encoding="utf-8")
    (directory / "tests.py").write_text("assert f(1) == 1\n", encoding="utf-8")
    main = (
        "names = {'__name__': 'solution'}\n"
        "for file in ('solution.py', 'tests.py'):\n"
        "    exec(compile(open(file).read(), file, 'exec'), names)\n"
    )
    child = subprocess.run(
        [GUEST, "-I", "-c", main], cwd=directory, capture_output=True, check=False
    )
    # The frame of `main`, and, from Python 3.13 on, its source below it.
    frame = r'^(?P<indent>[ |]*)File "<string>", line \d+, in <module>\n(?:(?P=indent)  .*\n)*'
    return re.sub(frame, "", child.stderr.decode(), flags=re.MULTILINE)


def without_marks(traceback: str) -> list[str]:
    lines = [line for line in traceback.splitlines() if line.strip(" ~^|")]
    return [re.sub(r"repeated \d+ more", "repeated", line) for line in lines]


@pytest.mark.parametrize("case", FAILING)
def test_it_is_what_python_prints(run: Run, tmp_path: Path, case: str) -> None:
    failure = wrong(run(FAILING[case], tests="assert f(1) == 1"))
    printed = shorten_paths(by_itself(FAILING[case], tmp_path))
    if case == "several lines":  # Python 3.13 and later print all of them, planish the first
        printed = printed.replace("    / 0\n", "")
    assert without_marks(failure.traceback) == without_marks(printed)
    assert sys.base_prefix not in failure.traceback
    assert failure.line is not None
    assert FAILING[case].splitlines()[failure.line - 1] == failure.text


def wrong(result: Execution) -> Failure:
    assert result.failure is not None
    return result.failure


def test_marks_are_under_what_was_run(run: Run) -> None:
    failure = wrong(run("def f(n):\n    return 'é' + str(n / 0) + 'x'\n", tests="assert f(1) == 1"))
    assert failure.traceback == (
        "Traceback (most recent call last):\n"
        '  File "tests.py", line 1, in <module>\n'
        "    assert f(1) == 1\n"
        "           ^^^^\n"
        '  File "solution.py", line 2, in f\n'
        "    return 'é' + str(n / 0) + 'x'\n"
        "                     ^^^^^\n"
        "ZeroDivisionError: division by zero\n"
    )


def test_a_traceback_the_candidate_prints_shows_its_lines(run: Run) -> None:
    code = (
        "import os, traceback\nos.chdir('/')\ndef f(n):\n    try:\n        return n / 0\n"
        "    except ZeroDivisionError:\n        traceback.print_exc()\n        return 1\n"
        "def g(n):\n    traceback.print_stack()\n    return n\n"
    )
    result = run(code, tests="assert f(1) == 1\nassert g(1) == 1\nimport linecache")
    assert result.status is Status.SUCCESS
    assert 'File "solution.py", line 5, in f\n    return n / 0' in result.stderr
    assert 'File "solution.py", line 10, in g\n    traceback.print_stack()' in result.stderr
    assert "tests.py" not in result.stderr  # they are in another process


def test_sources_can_be_inspected(run: Run) -> None:
    code = "def f(n):\n    # a comment\n    return n\n"
    tests = "import inspect\ndef helper(): pass\nassert '# a comment' in inspect.getsource(f)\n"
    assert run(code, tests=tests).failure is None


@pytest.mark.parametrize("run_as", ["module", "script"])
def test_the_verifier_is_never_shown(run: Run, run_as: str) -> None:
    tests = Assertions(
        "import unittest, asyncio\nassert f(1) == 1\nassert f(2) == asyncio.run(g())\n"
        "class T(unittest.TestCase):\n    def test_a(self): f(1)\n",
        run_as=run_as,  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    )
    code = "async def g():\n    return 1 / 0\ndef f(n):\n    {}[n]\n"
    for result in (
        run(code, tests=tests),
        run(code + "f(1)\n"),
        run(code, tests=[(1, 2)], entry_point="f"),
    ):
        shown = wrong(result).traceback + result.stderr + "".join(t.message for t in result.tests)
        assert "planish" not in shown
        assert wrong(result).line == 4


def test_a_long_traceback_is_bounded(run: Run) -> None:
    code = "def f(n):\n    raise ValueError('x' * 100_000 + str(n))\n"
    failure = wrong(run(code, tests="assert f(1) == 1"))
    assert len(failure.message) < 2_100
    assert failure.message.endswith("x1")
    assert "\n... 98001 characters left out ...\n" in failure.message
    assert len(failure.traceback) < 8_100


def test_names_of_classes_and_reasons_of_skips_are_bounded(run: Run) -> None:
    code = "E = type('E' * 100_000, (Exception,), {})\ndef f(n):\n    raise E(n)\n"
    result = run(code, tests="assert f(1) == 1")
    assert len(wrong(result).name) == len(result.tests[0].exception) < 2_100
    assert "\n... 98000 characters left out ...\n" in wrong(result).name
    equal = "def f(n):\n    return type('E' * 100_000, (), {'__eq__': lambda *a: True})()\n"
    (reason,) = run(equal, tests="assert f(1) == 1").weakened_by[-1:]
    assert len(reason) < 2_100
    skips = "import unittest\ndef f(n):\n    raise unittest.SkipTest('x' * 100_000)\n"
    (test,) = run(skips, tests="assert f(1) == 1").tests
    assert test.status == "not_run"
    assert len(test.message) < 2_100


@pytest.mark.parametrize("name", ["Timeout", "ResourceLimit", "Tampering", "CheckerError"])
def test_an_exception_with_the_name_of_a_stop_is_an_exception(run: Run, name: str) -> None:
    code = f"class {name}(Exception): pass\ndef f(n):\n    raise {name}('SIGKILL')\n"
    result = run(code, tests="assert f(1) == 1")
    assert result.status is Status.RUNTIME_ERROR
    assert [finding.kind for finding in execution_findings(result)] == ["logic"]
    assert "did not return" not in execution_findings(result)[0].message


def test_only_the_compiler_makes_a_syntax_error(run: Run) -> None:
    code = "f = eval(\"lambda n: compile('1 +', 'solution.py', 'exec')\")\n"
    for tests in ("assert f(1) == 1", "x = f(1)\ndef test_a():\n    assert x"):
        result = run(code, tests=tests)
        assert result.status is Status.RUNTIME_ERROR
        assert (wrong(result).name, wrong(result).line) == ("SyntaxError", None)


def test_a_long_line_is_bounded(run: Run) -> None:
    code = f"def f(n):\n    return {'1 + ' * 5_000}[][n]\n".replace("1 + ", "", 1)
    failure = wrong(run(code, tests="assert f(1) == 1"))
    assert len(failure.text) < 2_100
    assert len(failure.traceback) < 8_100


EVIL = [
    "def __getattribute__(self, name): raise OSError(name)",
    "__traceback__ = __context__ = __cause__ = property(lambda self: 1 / 0)",
    "args = property(lambda self: 1 / 0)",
    "__module__ = property(lambda self: 1 / 0)",
    "__notes__ = 7",
    "__slots__ = ()",
]


@pytest.mark.parametrize("body", EVIL)
def test_an_exception_with_odd_attributes_is_told(run: Run, body: str) -> None:
    code = f"class Evil(Exception):\n    {body}\ndef f(n):\n    raise Evil\n"
    result = run(code, tests="assert f(1) == 1\nassert True, check")
    assert [test.status for test in result.tests] == ["error", "no_evidence"]
    assert wrong(result).name == "Evil"
    assert wrong(result).line == 4
    assert "Evil" in wrong(result).traceback
