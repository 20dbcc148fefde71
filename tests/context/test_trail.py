"""The trail of a report: what happened in the run, in order."""

from dataclasses import dataclass
from typing import Any

import pytest
from tests.laws.kit import RAISES, TASK, attempt

from planish import BestOf, Execution, Parallel, Report, Retry, Task, Timeout, Verdict, budget, step
from planish.data import Attempt, Record, TrailEntry
from planish.effects import record
from planish.errors import ModelError, WiringError, report_of
from planish.events import listen

pytestmark = pytest.mark.anyio


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkPlan(Record):
    """A record of a user's own."""

    steps: tuple[str, ...]
    names: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis(Record):
    """Another one."""

    text: str


def draw_up(task: Task) -> WorkPlan:
    return WorkPlan(steps=(task.requirement,), names=frozenset({"a"}))


def back(_: WorkPlan) -> Task:
    return TASK


def diagnose(report: Report) -> str:
    record(Diagnosis(text=f"{report.score}"))
    return "look again"


def kinds(report: Report) -> list[str]:
    return [entry.kind for entry in report.trail]


LOOP = step(draw_up) >> back >> Retry(attempt([0, 1, 4]), attempts=3, feedback=diagnose)


async def test_it_has_what_happened_in_order_with_the_attempts_of_the_history() -> None:
    report = await LOOP.run(TASK)
    assert kinds(report) == [
        "work_plan",
        "task",
        "attempt",
        "diagnosis",
        "attempt",
        "diagnosis",
        "attempt",
    ]
    attempts = [entry.record for entry in report.trail if entry.kind == "attempt"]
    assert all(one is other for one, other in zip(attempts, report.history, strict=True))
    assert report.trail[0].path == ("Sequential[0]",)
    assert report.trail[4].path == report.history[1].path
    assert [entry.time for entry in report.trail] == sorted(entry.time for entry in report.trail)
    assert report.trail[3].record == Diagnosis(text="0.0")


async def test_it_is_the_same_when_events_are_listened_to() -> None:
    async with listen(lambda _: None):
        observed = await LOOP.run(TASK)
    assert kinds(observed) == kinds(await LOOP.run(TASK))


async def test_a_step_that_passes_a_record_on_does_not_repeat_it() -> None:
    limited = Timeout(step(draw_up), seconds=5) >> back >> attempt([4])
    assert kinds(await limited.run(TASK)) == ["work_plan", "task", "attempt"]


async def test_attempts_that_the_report_does_not_keep_are_not_in_it() -> None:
    async def first(reports: tuple[Report, ...]) -> Report:
        return reports[0]

    report = await (Parallel(attempt([1]), attempt([2])) >> first).run(TASK)
    assert [entry.record for entry in report.trail] == list(report.history)
    report = await BestOf(attempt([1]), n=3).run(TASK)
    assert {id(entry.record) for entry in report.trail} == {id(one) for one in report.history}


async def test_attempts_of_a_step_of_ones_own_are_in_it() -> None:
    async def judge(execution: Execution) -> Report:
        verdict = Verdict(execution=execution, label="failed", judge="mine")
        return Report(task=TASK, history=(Attempt(index=1, verdict=verdict),))

    graded = attempt([2]).children()[:2]
    report = await Retry(graded[0] >> graded[1] >> judge, attempts=2).run(TASK)
    assert [entry.record for entry in report.trail] == list(report.history)


async def test_a_run_that_is_cut_short_or_raises_has_one() -> None:
    async with budget(model_calls=2):
        report = await LOOP.run(TASK)
    assert kinds(report)[-2:] == ["attempt", "diagnosis"]
    assert report.stop_reason == "budget"
    broken = step(draw_up) >> back >> Retry(attempt([0, RAISES]), attempts=2)
    with pytest.raises(ModelError) as caught:
        await broken.run(TASK)
    found = report_of(caught.value)
    assert found is not None
    assert kinds(found) == ["work_plan", "task", "attempt"]


async def test_it_travels_in_json_and_attempts_are_written_once() -> None:
    report = await LOOP.run(TASK)
    text = report.to_json()
    found = Report.from_json(text)
    assert found == report
    assert kinds(found) == kinds(report)
    assert found.trail[2].record is found.history[0]
    assert found.trail[0].record == {"steps": ["Pass some checks."], "names": ["a"]}
    assert found.trail[1].record == TASK
    assert '"kind":"attempt","record":1,' in text
    with pytest.raises(ValueError, match="attempt 7 of 3"):
        Report.from_json(
            text.replace('"kind":"attempt","record":1,', '"kind":"attempt","record":7,')
        )


class Opaque:
    """What no JSON has a form for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Odd(Record):
    """A record that cannot be converted to JSON."""

    thing: Opaque
    text: str = ""


@pytest.mark.parametrize(
    "odd", [Odd(thing=Opaque(), text="x" * 99_999), WorkPlan(steps=("\ud800",))]
)
def test_no_record_of_ones_own_makes_a_report_that_cannot_be_written(odd: Record) -> None:
    entry = TrailEntry(kind="odd", record=odd)
    report = Report(task=TASK, trail=(entry,))
    text = report.to_json()
    assert Report.from_json(text).trail[0].kind == "odd"
    assert len(text) < 12_000


def test_outside_a_run_nothing_is_recorded() -> None:
    record(Diagnosis(text="nothing"))


def test_what_is_no_record_is_refused() -> None:
    wrong: Any = "a text"
    with pytest.raises(WiringError, match="derives from Record"):
        record(wrong)
