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
