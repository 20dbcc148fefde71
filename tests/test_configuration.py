"""Stop rules, judges and feedback policies are values: they print, compare and pickle."""

import pickle
from collections.abc import Callable
from typing import Any

import pytest

from planish import Execution, Validator
from planish.configuration import Configured
from planish.feedback import restart_after
from planish.judges import all_of, any_of, tests_pass, weighted
from planish.stop import (
    Progress,
    confidence,
    deadline,
    max_attempts,
    max_usage,
    repeated_candidate,
    repeated_review,
    stagnation,
    success,
    when,
)


def is_late(progress: Progress) -> bool:
    return progress.seconds > 1


def is_short(execution: Execution) -> bool:
    return len(execution.candidate.code) < 100


VALUES: dict[str, Callable[[], Configured]] = {
    "success()": success,
    "stagnation()": stagnation,
    "stagnation(4)": lambda: stagnation(4),
    "confidence(0.5)": lambda: confidence(0.5),
    "repeated_candidate()": repeated_candidate,
    "repeated_review()": repeated_review,
    "max_attempts(3)": lambda: max_attempts(3),
    "deadline(seconds=2.5)": lambda: deadline(seconds=2.5),
    "max_usage(tokens=9, usd=0.5)": lambda: max_usage(usd=0.5, tokens=9),
    "when('late', is_late)": lambda: when("late", is_late),
    "max_attempts(3) | success()": lambda: max_attempts(3) | success(),
    "max_attempts(3) & success()": lambda: max_attempts(3) & success(),
    "restart_after(2)": lambda: restart_after(2),
    "all_of(tests_pass, is_short)": lambda: all_of(tests_pass, is_short),
    "any_of(tests_pass, is_short)": lambda: any_of(tests_pass, is_short),
    "any_of(tests_pass, is_short, outvote_tests=True)": lambda: any_of(
        tests_pass, is_short, outvote_tests=True
    ),
    "weighted({tests_pass: 0.7, is_short: 0.3}, threshold=0.5)": lambda: weighted(
        {tests_pass: 0.7, is_short: 0.3}, threshold=0.5
    ),
    "Validator(all_of(tests_pass, any_of(is_short)))": lambda: Validator(
        all_of(tests_pass, any_of(is_short))
    ),
}


@pytest.mark.parametrize("written", VALUES)
def test_it_prints_as_it_is_written_and_equals_its_like(written: str) -> None:
    value = VALUES[written]()
    assert repr(value) == written
    assert repr(eval(written)) == written  # noqa: S307 - our own
    assert hash(value) == hash(VALUES[written]())
    assert [other for other, build in VALUES.items() if build() == value] == [written]


@pytest.mark.parametrize("written", VALUES)
def test_it_can_be_pickled(written: str) -> None:
    value: Any = VALUES[written]()
    assert pickle.loads(pickle.dumps(value)) == value  # noqa: S301 - our own


def test_a_default_is_not_compared() -> None:
    assert stagnation() == stagnation(3) == stagnation(rounds=3)
    assert any_of(is_short) == any_of(is_short, outvote_tests=False)


def test_no_argument_is_accepted_without_a_constructor() -> None:
    wrong: Any = success
    with pytest.raises(TypeError, match=r"success\(\) takes no arguments"):
        wrong(3)
