"""The ledger: what was reached and paid for, so that nothing is lost when a run is cut short."""

import time
from collections.abc import Callable
from typing import Any

import anyio
import pytest
from tests.laws.kit import TASK, attempt, evidence

from planish import Candidate, Report, Task, Verdict, budget, step
from planish.context.ledger import Ledger, ledger_scope
from planish.context.scope import override_context
from planish.data import Attempt, Status, Usage
from planish.errors import BudgetExceededError, report_of
from planish.judges import tests_pass


def candidate(passed: int = 1) -> Candidate:
    return Candidate(task=TASK, code=f"PASSED = {passed}")


def report(*candidates: Candidate, chosen: int | None = None) -> Report:
    verdicts = [tests_pass(evidence(one)) for one in candidates]
    history = tuple(Attempt(index=i, verdict=v) for i, v in enumerate(verdicts, start=1))
    return Report(task=TASK, history=history, selected=chosen)


def salvaged(book: Ledger) -> Report:
    found = book.partial_report("error")
    assert found is not None
    return found


def test_a_value_takes_the_place_of_what_it_holds() -> None:
    book = Ledger()
    one = candidate()
    book.record(one)
    assert salvaged(book).status is Status.INFRA_ERROR
    execution = evidence(one)
    book.record(execution)
    assert salvaged(book).status is Status.PARTIAL_SUCCESS
    verdict: Verdict = tests_pass(execution)
    book.record(Report(task=TASK, history=(Attempt(index=1, verdict=verdict),)))
    assert salvaged(book).verdict == verdict
    assert salvaged(book).attempts == 1


def test_what_it_does_not_hold_stays() -> None:
    book = Ledger()
    one, other, third = candidate(1), candidate(2), candidate(3)
    for value in (one, evidence(other), report(third)):
        book.record(value)
    assert [attempt.code for attempt in salvaged(book).history] == [
        "PASSED = 1",
        "PASSED = 2",
        "PASSED = 3",
    ]
    book.record(report(other, one))
    assert [attempt.code for attempt in salvaged(book).history] == [
        "PASSED = 3",
        "PASSED = 2",
        "PASSED = 1",
    ]


def test_equal_values_are_two_if_they_are_not_the_same() -> None:
    book = Ledger()
    book.record(candidate())
    book.record(candidate())
    assert salvaged(book).attempts == 2


async def again(report: Report) -> str:
    await attempt([3]).run(report.task)
    return report.stop_reason


def broken(report: Report) -> str:
    raise ValueError(report.stop_reason)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("after", "allowed", "error"),
    [(again, 1, BudgetExceededError), (broken, 9, ValueError)],
)
async def test_what_a_run_with_a_budget_of_its_own_reached_is_not_lost(
    after: Callable[[Report], Any], allowed: int, error: type[Exception]
) -> None:
    async def solve(task: Task) -> str:
        await attempt([1]).run(task)
        async with budget(model_calls=allowed):
            found: str = await (attempt([2]) >> after).run(task)
        return found

    with pytest.raises(error) as caught:
        await step(solve).run(TASK)
    report = report_of(caught.value)
    assert report is not None
    assert [one.verdict.score for one in report.history] == [0.25, 0.5]


@pytest.mark.anyio
async def test_what_a_cancelled_run_with_a_budget_of_its_own_reached_is_not_lost() -> None:
    async def solve(task: Task) -> Report:
        with anyio.move_on_after(0.05):
            async with budget(model_calls=9):
                await (attempt([2]) >> endless).run(task)
        raise ValueError("too late")

    with pytest.raises(ValueError, match="too late") as caught:
        await step(solve).run(TASK)
    report = report_of(caught.value)
    assert report is not None
    assert [one.verdict.score for one in report.history] == [0.5]


async def endless(report: Report) -> Report:
    await anyio.sleep_forever()
    return report


def test_the_same_value_twice_is_one() -> None:
    book = Ledger()
    one = report(candidate())
    book.record(one)
    book.record(one)
    assert salvaged(book).attempts == 1


def test_what_is_no_attempt_is_not_noted() -> None:
    book = Ledger()
    for value in (TASK, "text", None, 3, Report(task=TASK)):
        book.record(value)
    assert book.partial_report("error") is None


def test_what_was_picked_stays_picked() -> None:
    book = Ledger()
    book.record(report(candidate(3), candidate(1), chosen=2))
    assert salvaged(book).best == salvaged(book).history[1]


def test_usage_adds_up_in_all_ledgers_around() -> None:
    outer = Ledger()
    inner, other = Ledger(outer), Ledger(outer)
    inner.spend(Usage(input_tokens=3, model_calls=1))
    other.spend(Usage(input_tokens=4, model_calls=1))
    assert inner.usage == Usage(input_tokens=3, model_calls=1)
    assert outer.usage == Usage(input_tokens=7, model_calls=2)
    inner.record(candidate())
    assert salvaged(inner).usage == inner.usage


def test_notes_go_up_only_when_there_is_no_result() -> None:
    outer = Ledger()
    with override_context(ledger=outer):
        with ledger_scope() as book:
            book.record(candidate())
        assert outer.partial_report("error") is None
        try:
            with ledger_scope() as book:
                book.record(candidate())
                raise LookupError
        except LookupError:
            pass
    assert salvaged(outer).attempts == 1


def test_ten_thousand_notes_take_no_time_to_look_through() -> None:
    def seconds(count: int) -> float:
        book = Ledger()
        values = [candidate() for _ in range(count)]
        begin = time.process_time()
        for value in values:
            book.record(value)
        return time.process_time() - begin

    few, many = min(seconds(1_000) for _ in range(3)), min(seconds(10_000) for _ in range(3))
    # Ten times as many take ten times as long; a look through all of them would take a hundred.
    assert many < 40 * few
