"""Failures of the tests that the code would swallow: the evidence is weaker."""

import pytest
from tests.verification.conftest import Run
from tests.verification.test_evidence import reasons

CATCHER = "the code gave a class of exceptions that catches failed assertions"
FAILURE = "the code was called with a failed assertion of the tests"

RIGHT = "def run(n): return n * n\n"
WRONG = "def run(n): return 0\n"
SWALLOWED = {
    "suppress": "import contextlib\nwith contextlib.suppress(Wrong):\n    assert run(3) == 9",
    "several": "import contextlib\nwith contextlib.suppress(*WRONG):\n    assert run(3) == 9",
    "except": "try:\n    assert run(3) == 9\nexcept Wrong:\n    pass",
    "by the module": (
        "import solution\ntry:\n    assert run(3) == 9\nexcept solution.Wrong:\n    pass"
    ),
    "raises": "import pytest\nwith pytest.raises(Wrong):\n    assert run(3) == 9\n    run(-1)",
}


@pytest.mark.parametrize("name", SWALLOWED)
@pytest.mark.parametrize("kind", ["AssertionError", "Exception", "BaseException", "ValueError"])
def test_a_class_of_exceptions_with_which_tests_swallow_their_failure(
    run: Run, name: str, kind: str
) -> None:
    code = f"Wrong = {kind}\nWRONG = [Wrong, (KeyError, Wrong)]\nWRONG = WRONG[:1]\n"
    wrong = run(WRONG + code, tests=SWALLOWED[name])
    passed = {test.status for test in wrong.tests} == {"passed"}
    assert passed is (kind != "ValueError")
    assert (CATCHER in wrong.weakened_by) is passed


GIVEN = {
    "deep in containers": (
        "try:\n    assert run(3) == 9\nexcept ERRORS['a']['b']['c']:\n    pass",
        "ERRORS = {{'a': {{'b': {{'c': {}}}}}}}\n",
    ),
    "among many": (
        "try:\n    assert run(3) == 9\nexcept ERRORS:\n    pass",
        "ERRORS = (KeyError,) * 101 + ({},)\n",
    ),
    "put into a list later": (
        "errors = ERRORS\ntry:\n    assert run(3) == 9\nexcept errors[0]:\n    pass",
        "ERRORS = [KeyError]\ndef run(n):\n    ERRORS[0] = {}\n    return 0\n",
    ),
    "to a function of the tests": (
        (
            "known = []\nset_up(known.append)\n"
            "try:\n    assert run(3) == 9\nexcept known[0]:\n    pass"
        ),
        "def set_up(put): put({})\n",
    ),
    "by an exception": (
        (
            "try:\n    set_up()\nexcept KeyError as error:\n    kind = error.args[0]\n"
            "try:\n    assert run(3) == 9\nexcept kind:\n    pass"
        ),
        "def set_up(): raise KeyError({})\n",
    ),
}
"""Tests, and how the code gives them a class."""


@pytest.mark.parametrize("name", GIVEN)
def test_such_a_class_is_noticed_wherever_it_comes(run: Run, name: str) -> None:
    tests, code = GIVEN[name]
    wrong = run(WRONG + code.format("AssertionError"), tests=tests)
    assert {test.status for test in wrong.tests} == {"passed"}
    assert CATCHER in wrong.weakened_by
    other = run(WRONG + code.format("ValueError"), tests=tests)
    assert {test.status for test in other.tests} == {"failed"}


def test_classes_that_describe_something_are_not_given(run: Run) -> None:
    code = (
        "class Wrong(Exception):\n    cause: Exception\n"
        "def run(n: int, *errors: Exception):\n"
        "    if n < 0: raise Exception('negative')\n    return n * n\n"
        "def within(context):\n    with context: raise AssertionError(3)\n"
    )
    tests = (
        "import contextlib, inspect, pytest\nassert len(inspect.signature(run).parameters) == 2\n"
        "import typing\nassert typing.get_type_hints(run)['n'] is int\n"
        "with pytest.raises(Wrong):\n    raise Wrong\n"
        "with pytest.raises(Exception, match='negative'):\n    run(-1)\n"
        "class Quiet:\n    def __enter__(self): return self\n"
        "    def __exit__(self, kind, error, trace):\n        self.kind = kind\n"
        "        return True\n"
        "quiet = Quiet()\nwithin(quiet)\nassert quiet.kind is AssertionError and run(3) == 9"
    )
    right = run(code, tests=tests)
    assert {test.status for test in right.tests} == {"passed"}, right
    assert CATCHER not in reasons(right)


def test_an_error_of_the_codes_own_is_no_such_class(run: Run) -> None:
    code = (
        "class Wrong(Exception): pass\nclass Untrue(AssertionError): pass\n"
        "def run(n):\n    if n < 0: raise Wrong(n)\n    return n * n\n"
    )
    tests = (
        "import pytest\nwith pytest.raises(Wrong):\n    run(-1)\n"
        "assert issubclass(Untrue, AssertionError) and run(3) == 9"
    )
    right = run(code, tests=tests)
    assert {test.status for test in right.tests} == {"passed"}
    assert reasons(right) == set()


EXITS = {
    "a function": "def leave(kind, error, trace): return True",
    "a generator": ("def leave():\n    try: yield\n    except AssertionError: pass"),
}
STACK = "import contextlib\nwith contextlib.{}:\n    {}assert run(3) == 9"


@pytest.mark.parametrize("name", EXITS)
def test_a_function_of_the_code_that_swallows_a_failure(run: Run, name: str) -> None:
    tests = STACK.format("ExitStack() as stack", "stack.push(leave)\n    ")
    if name == "a generator":
        tests = STACK.format("contextmanager(leave)()", "")
    wrong = run(f"{WRONG}{EXITS[name]}\n", tests=tests)
    assert {test.status for test in wrong.tests} == {"passed"}
    assert FAILURE in wrong.weakened_by
    right = run(f"{RIGHT}{EXITS[name]}\n", tests=tests)
    assert {test.status for test in right.tests} == {"passed"}
    assert reasons(right) == set()
