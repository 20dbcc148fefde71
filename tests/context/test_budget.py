"""Budgets are checked before a call, settled after it, and shared by all that runs at once."""

from collections.abc import Callable
from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws.kit import (
    LAW,
    RAISES,
    TASK,
    Tally,
    answer,
    attempt,
    both_loops,
    grade,
    player,
    run_out,
)

from planish import (
    BestOf,
    CodeExecution,
    CodeGenerator,
    Map,
    Report,
    Retry,
    Validator,
    budget,
    step,
)
from planish.context.budget import Budget
from planish.data import Completed, Message, Program, Reply, Request, Usage
from planish.effects import ask, execute, use_clock
from planish.errors import BudgetExceededError, ModelError
from planish.testing import FakeClock
from planish.testing.scripted import ScriptedModel, ScriptedSandbox

PROGRAM = Program(main="main.py", files={"main.py": b""})
REQUEST = Request(messages=(Message("user", "x" * 400),))


def priced(count: int, *, tokens: int = 100, usd: float = 0.0) -> ScriptedModel:
    usage = Usage(input_tokens=tokens, usd=usd, model_calls=1)
    return ScriptedModel([Reply(text=answer(1, str(n)), usage=usage) for n in range(count)])


def asking(model: ScriptedModel) -> Retry[Any, Any]:
    return Retry(CodeGenerator(model) >> step(grade) >> Validator(), attempts=50)


@LAW
@given(st.integers(0, 6), st.integers(1, 8), st.integers(1, 8))
def test_calls_at_once_never_exceed_the_budget(allowed: int, n: int, concurrency: int) -> None:
    async def run() -> None:
        tally = Tally()
        each = BestOf(attempt([1], tally=tally, seconds=0.0001), n=n, concurrency=concurrency)
        batch = Map(Retry(each, attempts=2), concurrency=3)
        async with budget(model_calls=allowed) as allowance:
            await batch.run([TASK] * 3)
        assert len(tally.requests) == allowance.spent.model_calls == min(allowed, 6 * n)
        assert allowance.remaining == {"model_calls": allowed - allowance.spent.model_calls}

    both_loops(run)


@pytest.mark.anyio
async def test_it_refuses_before_a_request_is_sent() -> None:
    model = priced(5)
    async with budget(model_calls=1):
        await ask(model, REQUEST)
        with pytest.raises(BudgetExceededError) as caught:
            await ask(model, REQUEST)
    assert len(model.requests) == 1
    assert (caught.value.limit, caught.value.allowed, caught.value.spent) == ("model_calls", 1, 1)
    assert "raise it with budget(model_calls=...)" in str(caught.value)


CASES: dict[str, tuple[dict[str, Any], Callable[[], Retry[Any, Any]], int]] = {
    # 100 tokens a call, as estimated from the first one.
    "tokens": ({"tokens": 350}, lambda: asking(priced(50)), 3),
    "usd": ({"usd": 0.50}, lambda: asking(priced(50, usd=0.20)), 2),
    "model_calls": ({"model_calls": 4}, lambda: asking(priced(50)), 4),
    "tokens, none": ({"tokens": 0}, lambda: asking(priced(50)), 0),
    "usd, none": ({"usd": 0.0}, lambda: asking(priced(50, usd=0.20)), 0),
    "model_calls, none": ({"model_calls": 0}, lambda: asking(priced(50)), 0),
    "seconds, none": ({"seconds": 0.0}, lambda: asking(priced(50)), 0),
}


@pytest.mark.anyio
@pytest.mark.parametrize("case", CASES)
async def test_what_is_used_up_ends_the_loop_with_the_best_so_far(case: str) -> None:
    limit, loop, calls = CASES[case]
    async with budget(**limit) as allowance:
        report = await loop().run(TASK)
    assert report.stop_reason == "budget"
    assert report.attempts == calls
    assert report.usage == allowance.spent
    assert report.usage.model_calls == calls
    assert report.score == (0.25 if calls else None)


@pytest.mark.anyio
async def test_sandbox_seconds_used_up_end_the_loop() -> None:
    sandbox = ScriptedSandbox([Completed(exit_code=0, duration=2.0)] * 9)
    model = ScriptedModel([f"```python\nx = {n}\n```" for n in range(9)])
    loop = Retry(CodeGenerator(model) >> CodeExecution(sandbox) >> Validator(), attempts=9)
    async with budget(sandbox_seconds=5.0) as allowance:
        report = await loop.run(TASK)
    assert report.stop_reason == "budget"
    assert allowance.spent.sandbox_runs == 2
    assert report.attempts == 3  # the last was written, and could not be run
    assert report.history[2].execution.failure is not None
    assert "cut short" in report.history[2].execution.failure.message


@pytest.mark.anyio
async def test_seconds_used_up_cancel_what_runs() -> None:
    tally = Tally()

    async def hang_third(number: int) -> None:
        if number == 3:
            await run_out(number)

    tally.meanwhile = hang_third
    async with use_clock(FakeClock()), budget(seconds=60):
        report = await Retry(attempt([1, 2], tally=tally), attempts=99).run(TASK)
    assert report.stop_reason == "budget"
    assert report.attempts == 2
    assert tally.active == 0

    with anyio.fail_after(5):
        async with budget(seconds=0.05):
            report = await attempt([1], tally=tally, seconds=60).run(TASK)
    assert report.stop_reason == "budget"
    assert tally.active == 0


@pytest.mark.anyio
async def test_seconds_are_left_until_the_deadline_and_none_after_it() -> None:
    model = priced(2)
    async with budget(seconds=50) as allowance:
        assert 40 < allowance.remaining["seconds"] <= 50
        await ask(model, REQUEST)
        assert allowance.deadline is not None
        allowance.deadline -= 30
        assert 10 < allowance.remaining["seconds"] <= 20
        allowance.deadline -= 30
        assert allowance.remaining == {"seconds": 0.0}
        with pytest.raises(BudgetExceededError) as caught:
            await ask(model, REQUEST)
        assert (caught.value.limit, caught.value.allowed) == ("seconds", 50)
        assert 60 <= caught.value.spent < 70
        with pytest.raises(BudgetExceededError, match="seconds"):
            await execute(ScriptedSandbox([Completed(exit_code=0)]), PROGRAM)
    assert len(model.requests) == 1


@pytest.mark.anyio
async def test_the_first_call_is_let_through_and_uses_it_up() -> None:
    model = priced(5, tokens=1000)
    async with budget(tokens=10) as allowance:
        await ask(model, REQUEST)
        with pytest.raises(BudgetExceededError):
            await ask(model, REQUEST)
    assert allowance.spent.tokens == 1000
    assert allowance.remaining == {"tokens": 0.0}


@pytest.mark.anyio
async def test_what_a_call_in_flight_may_use_is_reserved() -> None:
    tally = Tally()
    remaining: list[float] = []
    async with budget(tokens=1000, model_calls=5) as allowance:
        tally.at = lambda _: remaining.extend(allowance.remaining.values())
        await player([1], tally=tally).run(TASK)
        assert 0 < remaining[0] < 1000
        assert remaining[1] == 4
        assert allowance.remaining["tokens"] == 1000 - tally.usage.tokens


@pytest.mark.anyio
async def test_a_call_that_fails_or_is_cancelled_releases_its_reservation() -> None:
    async with budget(tokens=10_000, model_calls=5) as allowance:
        with pytest.raises(ModelError):
            await player([RAISES]).run(TASK)
        with anyio.CancelScope() as scope:
            await player([1], tally=Tally(at=lambda _: scope.cancel())).run(TASK)
        assert scope.cancelled_caught
        assert allowance.remaining == {"tokens": 10_000.0, "model_calls": 5.0}
        assert allowance.spent == Usage()


@pytest.mark.anyio
async def test_all_enclosing_budgets_must_allow_a_call_and_all_are_charged() -> None:
    model = priced(9)
    async with budget(model_calls=3) as outer:
        async with budget(model_calls=2) as inner:
            await ask(model, REQUEST)
            await ask(model, REQUEST)
            with pytest.raises(BudgetExceededError):
                await ask(model, REQUEST)
        assert inner.spent == outer.spent
        await ask(model, REQUEST)
        async with budget(model_calls=9) as roomy:
            with pytest.raises(BudgetExceededError, match="budget of 3 model_calls"):
                await ask(model, REQUEST)
        assert roomy.spent == Usage()
        assert roomy.remaining == {"model_calls": 9.0}
    assert len(model.requests) == 3


@pytest.mark.anyio
async def test_runs_in_one_block_share_it() -> None:
    async with budget(model_calls=3) as allowance:
        first = await attempt([4]).run(TASK)
        second = await Retry(attempt([1]), attempts=9).run(TASK)
        third = await Retry(attempt([1]), attempts=9).run(TASK)
    assert [report.attempts for report in (first, second, third)] == [1, 2, 0]
    assert allowance.spent.model_calls == 3


@pytest.mark.anyio
async def test_what_gives_no_report_raises_with_what_was_reached() -> None:
    async def review(report: Report) -> str:
        return (await ask(priced(1), REQUEST)).text

    async with budget(model_calls=1):
        with pytest.raises(BudgetExceededError) as caught:
            await (attempt([2]) >> step(review)).run(TASK)
    assert caught.value.report is not None
    assert caught.value.report.stop_reason == "budget"
    assert caught.value.report.attempts == 1


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({}, "limits nothing"),
        ({"tokens": -1}, r"budget\(tokens=-1\)"),
        ({"usd": float("nan")}, "must be at least 0"),
        ({"seconds": -0.5}, "must be at least 0"),
    ],
)
def test_limits_that_make_no_sense_are_refused(wrong: Any, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        budget(**wrong)


def test_it_prints_as_it_was_written() -> None:
    assert repr(budget(tokens=5, seconds=2.5)) == "budget(tokens=5, seconds=2.5)"


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_what_remains_is_frozen_at_the_end_of_the_block(backend: str) -> None:
    async def run() -> Budget:
        async with budget(seconds=1000.0, tokens=100) as allowance:
            assert allowance.remaining["seconds"] <= 1000.0
        frozen = allowance.remaining
        await anyio.sleep(0.02)
        assert allowance.remaining == frozen
        return allowance

    allowance = anyio.run(run, backend=backend)
    # Outside of an event loop, as in `python -m asyncio` after a block has ended.
    remaining = allowance.remaining
    assert 990.0 < remaining["seconds"] < 1000.0
    assert remaining["tokens"] == 100.0
    assert allowance.remaining == remaining
