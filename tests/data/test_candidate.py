"""What a candidate's digest depends on."""

import pytest

from planish import Candidate, Task
from planish.data import Feedback

TASK = Task("Anything.")


def digest(code: str) -> str:
    return Candidate(task=TASK, code=code).digest


def test_equal_code_has_an_equal_digest() -> None:
    code = 'x = "a "\n'
    assert digest(code) == digest(str(code))
    assert len(digest(code)) == 16


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ('x = """a \nb"""', 'x = """a\nb"""'),
        ('x = """\n"""', 'x = """\r\n"""'),
        ('x = """a\x0cb"""', 'x = """a\nb"""'),
        ("x = 1", "x = 1\n"),
        ("x = '\ud800'", "x = '\udfff'"),
        ("x = '\ud800'", "x = '?'"),
    ],
)
def test_different_code_has_a_different_digest(one: str, other: str) -> None:
    assert digest(one) != digest(other)


def test_all_else_does_not_count() -> None:
    other = Candidate(task=Task("Another."), code="x = 1", problem="truncated")
    assert other.digest == digest("x = 1")


def test_its_attempt_is_that_of_its_task() -> None:
    again = TASK.with_feedback(Feedback(text="wrong", attempt=1))
    assert Candidate(task=TASK, code="").attempt == 1
    assert Candidate(task=again, code="").attempt == 2
