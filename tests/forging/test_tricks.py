"""No trick passes for isolated evidence; each deceives a checker that is built naively."""

from typing import Literal

import anyio
import pytest
from tests.forging.checkers import CHECKERS
from tests.forging.judged import Outcome, judge
from tests.forging.naive import deceived
from tests.forging.open_ends import OPEN
from tests.forging.places import TIERS, sandbox_of
from tests.forging.subjects import SUBJECTS
from tests.forging.tricks import CLASSES, TRICKS

NAMES = sorted(TRICKS)
LOOPS: tuple[Literal["asyncio", "trio"], ...] = ("asyncio", "trio")
WEAK = {"executed"}
"""Here the tests themselves run what the candidate gave."""
WITH_PYTEST = {
    *(
        "conftest.py",
        "test file replaced",
        "pytest.skip in a call",
        "quit of a debugger",
        "plugin named in the environment",
    ),
}
"""Of the tricks that need pytest, which starts slowly, those that are always tried."""
NEVER_RIGHT = {"apart", "evaluated"}
"""Checkers that take records of the candidate's or texts only: no program is right for them."""
_long = pytest.mark.long
_open = pytest.mark.xfail(reason="not yet stopped", strict=True)
JUDGED = [
    pytest.param(
        name,
        marks=[
            *([_open] if name in OPEN else []),
            *([_long] if trick.kinds == ("pytest",) and name not in WITH_PYTEST else []),
        ],
    )
    for name, trick in sorted(TRICKS.items())
]
DECEIVING = [
    pytest.param(name, marks=[_long] if trick.naive == "pytest" and name not in WITH_PYTEST else [])
    for name, trick in sorted(TRICKS.items())
]
ROWS = [
    pytest.param(
        name, kind, marks=[_long] if kind == "pytest" and name not in ("square", "approx") else []
    )
    for name, about in SUBJECTS.items()
    for kind in about.tests
]


def judged(number: int, place: str, subject: str, kind: str, code: str) -> Outcome:
    async def go() -> Outcome:
        async with sandbox_of(place, kind) as sandbox:
            seconds = 30.0 if kind == "pytest" else 5.0
            return await judge(sandbox, SUBJECTS[subject], kind, code, seconds=seconds)

    return anyio.run(go, backend=LOOPS[number % 2])


def test_there_are_many_and_each_has_a_name_of_its_own() -> None:
    assert len(TRICKS) >= 120
    assert len(TRICKS) == sum(map(len, CLASSES.values()))
    assert len({(trick.candidate, trick.subject, trick.kinds) for trick in TRICKS.values()}) == len(
        TRICKS
    )


@pytest.mark.parametrize("name", JUDGED)
def test_no_trick_passes(name: str) -> None:
    number, trick = NAMES.index(name), TRICKS[name]
    kinds = [kind for kind in trick.kinds if kind != "pytest"] or ["pytest"]
    kind = kinds[number % len(kinds)]
    place = TIERS[number % len(TIERS)]
    outcome = judged(number, place, trick.subject, kind, trick.candidate)
    assert not outcome.forged, outcome.why
    assert not (outcome.entered and outcome.separation == "isolated"), outcome.why


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", DECEIVING)
def test_every_trick_deceives_a_naive_checker(name: str) -> None:
    trick = TRICKS[name]

    async def go() -> bool:
        async with sandbox_of("landlock", trick.naive) as sandbox:
            return await deceived(sandbox, trick.naive, trick.about, trick.candidate)

    assert anyio.run(go)


@pytest.mark.parametrize("checker", sorted(CHECKERS.keys() - NEVER_RIGHT))
def test_a_naive_checker_knows_right_from_wrong(checker: str) -> None:
    subject = SUBJECTS["printed" if checker == "output" else "square"]

    async def go() -> tuple[bool, bool]:
        async with sandbox_of("landlock", checker) as sandbox:
            right = await deceived(sandbox, checker, subject, subject.right)
            return right, await deceived(sandbox, checker, subject, subject.wrong)

    assert anyio.run(go) == (True, False)


@pytest.mark.parametrize(("subject", "kind"), ROWS)
def test_right_code_passes_and_wrong_code_does_not(subject: str, kind: str) -> None:
    about = SUBJECTS[subject]
    number = len(subject) + len(kind)
    place = TIERS[number % len(TIERS)]
    right = judged(number, place, subject, kind, about.right)
    wrong = judged(number, place, subject, kind, about.wrong)
    assert right.label == "passed", right.why
    assert (right.separation == "isolated") is (subject not in WEAK), right.separation
    assert wrong.label == "failed", wrong.why
    assert wrong.passed == 0, wrong.why
