"""Tasks: what is refused, and the attempt that a task is for."""

from dataclasses import FrozenInstanceError, replace
from typing import Any

import pytest

from planish import Task
from planish.data import Assertions, Case, Cases, Feedback, Issue, PytestFile, Stdio, StdioPairs
from planish.data.feedback import PreviousAttempt
from planish.data.status import Status
from planish.errors import MisuseError, TaskError


@pytest.mark.parametrize(
    ("tests", "kind"),
    [
        (None, type(None)),
        ("assert f() == 1", Assertions),
        (["assert f() == 1", "assert f() == 2"], Assertions),
        ([((1,), 2), ((2,), 3)], Cases),
        ([(1, 2)], Cases),
        ([Case((1,), 2)], Cases),
        ([Case((1,), 2), (3, 4)], Cases),
        (Cases.of([(1, 2)]), Cases),
        (PytestFile("import solution\ndef test_one():\n    assert 1"), PytestFile),
        (StdioPairs((Stdio("1", "2"),)), StdioPairs),
    ],
)
def test_tests_are_understood(tests: Any, kind: type) -> None:
    assert type(Task("Do it.", entry_point="f", tests=tests).tests) is kind


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"requirement": ""}, "requirement is empty"),
        ({"requirement": " \n"}, "requirement is empty"),
        ({"tests": []}, "tests are empty"),
        ({"tests": ()}, "tests are empty"),
        ({"tests": ""}, "check nothing"),
        ({"tests": "x = 1"}, "check nothing"),
        ({"tests": "assert f("}, "does not parse"),
        ({"preamble": "import math\ndef ("}, "the preamble does not parse: "),
        ({"tests": [(1, 2)]}, "entry_point='name'"),
        ({"tests": ["assert f()", (1, 2)], "entry_point": "f"}, "mix assertion code and cases"),
        ({"tests": "assert f()", "language": "rust"}, "judge a 'rust' candidate with StdioPairs"),
        ({"context": "one text"}, "Task(context='one text'): give a list of texts"),
        ({"constraints": "a" * 41}, f"Task(constraints='{'a' * 40}'): give a list"),
    ],
)
def test_what_could_never_be_judged_is_refused(fields: dict[str, Any], says: str) -> None:
    arguments: dict[str, Any] = {"requirement": "Do it.", **fields}
    with pytest.raises(TaskError) as caught:
        Task(**arguments)
    assert says in str(caught.value)
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, MisuseError)


def test_another_language_may_be_judged_by_what_it_prints() -> None:
    pairs = StdioPairs((Stdio("1", "2"),))
    assert Task("Do it.", language="rust", tests=pairs).language == "rust"
    assert Task("Do it.", language="rust", preamble="use std::io;").tests is None


def test_it_cannot_be_changed() -> None:
    task = Task("Do it.", context=["a"], constraints=["b"])
    name = "requirement"
    with pytest.raises(FrozenInstanceError):
        setattr(task, name, "Do that.")
    assert isinstance(task.context, tuple)
    assert isinstance(task.constraints, tuple)
    assert replace(task, requirement="Do that.") != task
    assert hash(task) == hash(Task("Do it.", context=["a"], constraints=["b"]))


PREVIOUS = (PreviousAttempt(attempt=1, digest="d", status=Status.TIMEOUT, score=None),)


def test_feedback_says_which_attempt_is_next() -> None:
    task = Task("Do it.")
    assert task.attempt == 1
    second = task.with_feedback(Feedback(attempt=1, score=0.5, previous_attempts=PREVIOUS))
    assert second.attempt == 2
    assert task.feedback is None
    assert second.with_feedback(Feedback(attempt=2)).attempt == 3


def test_words_are_added_to_the_feedback_there_is() -> None:
    known = Feedback(
        attempt=3, score=0.5, previous_attempts=PREVIOUS, previous_code="x", stdout="y"
    )
    task = Task("Do it.").with_feedback(known).with_feedback("mind the gap")
    assert task.feedback == replace(known, text="mind the gap")
    assert Task("Do it.").with_feedback("mind the gap").feedback == Feedback(text="mind the gap")


def test_feedback_that_does_not_say_its_attempt_is_about_the_one_known() -> None:
    task = Task("Do it.").with_feedback(Feedback(attempt=3, previous_attempts=PREVIOUS))
    own = task.with_feedback(Feedback(text="own", issues=(Issue(issue="i"),)))
    assert own.feedback == Feedback(
        text="own", issues=(Issue(issue="i"),), attempt=3, previous_attempts=PREVIOUS
    )
    assert own.attempt == 4


def test_each_of_several_candidates_has_its_number() -> None:
    task = Task("Do it.")
    outer = [task.for_candidate(index, 3) for index in range(3)]
    inner = [one.for_candidate(index, 2) for one in outer for index in range(2)]
    assert [one.candidate for one in outer] == [0, 1, 2]
    assert [one.candidate for one in inner] == [0, 1, 2, 3, 4, 5]


def test_feedback_renders_all_it_holds_but_the_code() -> None:
    feedback = Feedback(
        text="own words",
        attempt=2,
        status=Status.PARTIAL_SUCCESS,
        score=0.5,
        issues=(
            Issue(issue="it is wrong", fix="mend it", test="t", expected="1", actual="2"),
            Issue(issue="slow"),
        ),
        error="KeyError: 3",
        traceback="line 1\nline 2",
        stdout="printed",
        previous_code="SECRET",
    )
    assert feedback.render() == (
        "own words\n\n"
        "Attempt 2 ended with partial_success, 50% of the tests passed.\n\n"
        "Error: KeyError: 3\n\n"
        "- t: it is wrong\n  expected: 1\n  actual:   2\n  fix: mend it\n- slow\n\n"
        "Traceback (last part):\n```\nline 1\nline 2\n```\n\n"
        "It printed:\n```\nprinted\n```"
    )
    assert Feedback().render() == ""


def test_feedback_without_a_score_or_a_status_says_nothing_of_it() -> None:
    ended = Feedback(attempt=2, status=Status.TIMEOUT)
    assert ended.render() == "Attempt 2 ended with timeout."
    assert Feedback(attempt=2, score=0.5).render() == ""


@pytest.mark.parametrize(
    ("entry", "name"),
    [("f", "f"), ("Solution.f", "Solution"), ("Solution().f", "Solution"), ("é.f", "é")],
)
def test_the_required_name_of_a_method_is_its_class(entry: str, name: str) -> None:
    assert Task("Do it.", entry_point=entry, tests=[(1, 1)]).required_name == name


@pytest.mark.parametrize(
    "entry", ["", ".", "f()", "a.f()", "a..f", "1a", "f(1).g", "a b", "lambda: 1", "a.b()()"]
)
def test_an_entry_point_of_cases_can_be_called(entry: str) -> None:
    with pytest.raises(TaskError, match="entry_point"):
        Task("Do it.", entry_point=entry, tests=[(1, 1)])


def test_an_entry_point_of_another_language_is_left_as_it_is() -> None:
    task = Task("Do it.", entry_point="a::b().c", language="rust")
    assert task.required_name == "a::b().c"
