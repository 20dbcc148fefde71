"""The ledger records results and usage, also of runs that are cut short."""

import subprocess
import sys
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


def report(*candidates: Candidate, selected: int | None = None) -> Report:
    verdicts = [tests_pass(evidence(one)) for one in candidates]
    history = tuple(Attempt(index=i, verdict=v) for i, v in enumerate(verdicts, start=1))
    return Report(task=TASK, history=history, selected=selected)


def partial_report(ledger: Ledger) -> Report:
    report = ledger.partial_report("error")
    assert report is not None
    return report


def test_a_value_replaces_entries_of_the_same_candidate() -> None:
    ledger = Ledger()
    one = candidate()
    ledger.record(one)
    assert partial_report(ledger).status is Status.INFRA_ERROR
    execution = evidence(one)
    ledger.record(execution)
    assert partial_report(ledger).status is Status.PARTIAL_SUCCESS
    verdict: Verdict = tests_pass(execution)
    ledger.record(Report(task=TASK, history=(Attempt(index=1, verdict=verdict),)))
    assert partial_report(ledger).verdict == verdict
    assert partial_report(ledger).attempts == 1


def test_entries_of_other_candidates_stay() -> None:
    ledger = Ledger()
    one, other, third = candidate(1), candidate(2), candidate(3)
    for value in (one, evidence(other), report(third)):
        ledger.record(value)
    assert [attempt.code for attempt in partial_report(ledger).history] == [
        "PASSED = 1",
        "PASSED = 2",
        "PASSED = 3",
    ]
    ledger.record(report(other, one))
    assert [attempt.code for attempt in partial_report(ledger).history] == [
        "PASSED = 3",
        "PASSED = 2",
        "PASSED = 1",
    ]


def test_equal_values_are_separate_entries() -> None:
    ledger = Ledger()
    ledger.record(candidate())
    ledger.record(candidate())
    assert partial_report(ledger).attempts == 2


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
        with anyio.CancelScope() as cancelled:

            async def cancel(report: Report) -> Report:
                cancelled.cancel()
                await anyio.sleep_forever()
                return report

            async with budget(model_calls=9):
                await (attempt([2]) >> cancel).run(task)
        raise ValueError("too late")

    with pytest.raises(ValueError, match="too late") as caught:
        await step(solve).run(TASK)
    report = report_of(caught.value)
    assert report is not None
    assert [one.verdict.score for one in report.history] == [0.5]


INTERRUPTED = """
import signal, sys
import anyio
from planish import CodeExecution, CodeGenerator, Race, Retry, Task, Validator
from planish.data import Reply
from planish.errors import report_of
from planish_integrations.unsafe import UnsafeLocalSandbox

class Interrupts:
    name = provider = "own"
    calls = 0

    async def reply(self, request, on_text=None):
        self.calls += 1
        if self.calls == 2:
            signal.raise_signal(signal.SIGINT)
            await anyio.sleep_forever()
        return Reply(text="```python\\nx = 1\\n```")

async def main():
    check = CodeExecution(UnsafeLocalSandbox()) >> Validator()
    task = Task("?", tests="assert x == 2")
    await Retry(CodeGenerator(Interrupts()) >> check, attempts=9).run(task)

try:
    try:
        raise ValueError("of another run")
    except ValueError as other:
        other.planish_report = "the report of another run"
        anyio.run(main, backend=sys.argv[1])
except BaseException as error:
    report = report_of(error)
    print(type(error).__name__, report.attempts, report.stop_reason, report.best.status)
try:
    try:
        raise other_error
    except NameError as other:
        other.planish_report = "the report of another run"
        raise KeyboardInterrupt
except KeyboardInterrupt as error:
    print(report_of(error))
"""


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_what_a_run_reached_that_ctrl_c_ended_is_not_lost(backend: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, backend], capture_output=True, text=True, check=True
    )
    assert done.stdout == "KeyboardInterrupt 1 cancelled wrong_answer\nNone\n"


def test_one_value_recorded_twice_is_one_entry() -> None:
    ledger = Ledger()
    one = report(candidate())
    ledger.record(one)
    ledger.record(one)
    assert partial_report(ledger).attempts == 1


def test_other_values_are_not_recorded() -> None:
    ledger = Ledger()
    for value in (TASK, "text", None, 3, Report(task=TASK)):
        ledger.record(value)
    assert ledger.partial_report("error") is None


def test_the_selected_attempt_stays_selected() -> None:
    ledger = Ledger()
    ledger.record(report(candidate(3), candidate(1), selected=2))
    assert partial_report(ledger).best == partial_report(ledger).history[1]


def test_usage_is_added_to_all_enclosing_ledgers() -> None:
    outer = Ledger()
    inner, other = Ledger(outer), Ledger(outer)
    inner.spend(Usage(input_tokens=3, model_calls=1))
    other.spend(Usage(input_tokens=4, model_calls=1))
    assert inner.usage == Usage(input_tokens=3, model_calls=1)
    assert outer.usage == Usage(input_tokens=7, model_calls=2)
    inner.record(candidate())
    assert partial_report(inner).usage == inner.usage


def test_entries_are_merged_into_the_parent_after_an_error_only() -> None:
    outer = Ledger()
    with override_context(ledger=outer):
        with ledger_scope() as ledger:
            ledger.record(candidate())
        assert outer.partial_report("error") is None
        try:
            with ledger_scope() as ledger:
                ledger.record(candidate())
                raise LookupError
        except LookupError:
            pass
    assert partial_report(outer).attempts == 1


def test_the_time_to_record_does_not_depend_on_the_number_of_entries() -> None:
    def seconds(count: int) -> float:
        ledger = Ledger()
        values = [candidate() for _ in range(count)]
        begin = time.process_time()
        for value in values:
            ledger.record(value)
        return time.process_time() - begin

    few, many = min(seconds(1_000) for _ in range(3)), min(seconds(10_000) for _ in range(3))
    # Ten times as many entries take ten times as long; a search of all would take a hundred times.
    assert many < 40 * few
