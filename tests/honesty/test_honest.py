"""Right programs pass and wrong ones do not, as in plain Python and in every sandbox."""

import pytest
from tests.honesty.collection import OPEN, RIGHT, WRONG
from tests.honesty.judging import PLACES, judged, runs_in
from tests.honesty.oracle import passes
from tests.honesty.program import Honest

from planish import Verdict


def _needed(program: Honest) -> None:
    for package in program.needs:
        pytest.importorskip(package)


def _spread(programs: dict[str, Honest], *, every: int = 1) -> list[object]:
    """Each program at one place, in turn."""
    found: list[object] = []
    for index, name in enumerate(list(programs)[::every]):
        turn = index % len(PLACES)
        places = [*PLACES[turn:], *PLACES[:turn]]
        place = next(place for place in places if runs_in(place, programs[name]))
        found.append(_at(place, name, programs[name]))
    return found


def _at(place: str, name: str, program: Honest) -> object:
    reason = OPEN.get(name) if program.right else None
    marks = [pytest.mark.xfail(reason=reason, strict=True)] if reason else []
    return pytest.param(place, name, id=f"{place}-{name}", marks=marks)


def _why(verdict: Verdict) -> str:
    failed = [test for test in verdict.execution.tests if test.status != "passed"]
    return "\n".join([repr(verdict.execution.failure), *map(repr, failed)])


def _agrees(place: str, program: Honest) -> None:
    _needed(program)
    (verdict,) = judged(place, program)
    if program.right:
        assert verdict.label == "passed", _why(verdict)
    else:
        assert verdict.label == "failed", _why(verdict)


@pytest.mark.parametrize(("place", "name"), _spread(RIGHT))
def test_a_right_program_passes(place: str, name: str) -> None:
    _agrees(place, RIGHT[name])


@pytest.mark.parametrize(("place", "name"), _spread(WRONG, every=3))
def test_a_wrong_program_fails(place: str, name: str) -> None:
    _agrees(place, WRONG[name])


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", RIGHT)
def test_plain_python_passes_it(name: str) -> None:
    _needed(RIGHT[name])
    right, printed = passes(RIGHT[name])
    assert right, printed


@pytest.mark.long
@pytest.mark.parametrize("name", WRONG)
def test_plain_python_fails_the_wrong_one(name: str) -> None:
    _needed(WRONG[name])
    right, printed = passes(WRONG[name])
    assert not right, printed


@pytest.mark.long
@pytest.mark.parametrize("place", PLACES)
def test_all_agree_everywhere(place: str) -> None:
    programs = [p for name, p in RIGHT.items() if name not in OPEN] + list(WRONG.values())
    programs = [program for program in programs if runs_in(place, program)]
    verdicts = judged(place, *programs)
    wanted = {program.name: "passed" if program.right else "failed" for program in programs}
    found = dict(zip(wanted, (verdict.label for verdict in verdicts), strict=True))
    assert found == wanted


def test_the_suite_is_as_large_as_it_should_be() -> None:
    assert len(RIGHT) >= 150
    assert len(WRONG) >= 150
