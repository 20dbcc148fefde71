"""What a candidate's digest depends on."""

import pytest

from planish import Candidate, Task
from planish.data import Feedback, Issue

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


def test_files_and_their_paths_count_their_order_does_not() -> None:
    def of(files: dict[str, str], path: str | None = None) -> str:
        return Candidate(task=TASK, code="x = 1", files=files, path=path).digest

    assert of({}) == of({}, "main.py") == digest("x = 1")
    assert of({"a": "1", "b": "2"}) == of({"b": "2", "a": "1"})
    different = [
        of({}),
        of({"a": "1"}),
        of({"a": "2"}),
        of({"b": "1"}),
        of({"a": "1"}, "main.py"),
        of({"a": "1", "b": ""}),
        of({"a": "1b"}),
    ]
    assert len(set(different)) == len(different)


def test_a_refusal_has_reasons() -> None:
    candidate = Candidate(task=TASK, code="x = 1").refuse("one", Issue(issue="two", fix="do"))
    assert candidate.problem == "refused"
    assert [one.issue for one in candidate.refuse("three").refusals] == ["one", "two", "three"]
    assert Candidate.from_json(candidate.to_json()) == candidate
    with pytest.raises(ValueError, match="at least one"):
        Candidate(task=TASK, code="x = 1").refuse()
