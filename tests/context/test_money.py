"""A budget of money or sandbox time holds over any fan-out, whatever is known of the prices."""

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass

import anyio
import anyio.lowlevel
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.context.metered import HANGS, PRICE, Metered, asking
from tests.laws.kit import TASK, answer, both_loops, grade

from planish import BestOf, CodeGenerator, Retry, Validator, budget, step
from planish.context.budget import Budget
from planish.data import Completed, Program, Reply, ResourceLimits, Usage
from planish.data.usage import FREE, ModelPrice, Price
from planish.effects import ask, execute
from planish.errors import BudgetExceededError, ModelError
from planish.testing.scripted import ScriptedModel


@dataclass(frozen=True)
class Call:
    """One branch: which model it calls, how often, and in how narrow a budget of its own."""

    model: int
    max_tokens: int | None
    times: int
    own: float
    cancelled: bool


KINDS: tuple[ModelPrice, ...] = (PRICE, PRICE, "reported", FREE)
CALLS = st.builds(
    Call,
    model=st.integers(0, len(KINDS) - 1),
    max_tokens=st.sampled_from([None, 5, 40, 400]),
    times=st.integers(1, 3),
    own=st.sampled_from([1000.0, 1000.0, 0.05, 0.3]),
    cancelled=st.booleans(),
)


class Fan:
    """Many branches at once, each within a budget of its own within one for all."""

    def __init__(self, models: Sequence[Metered]) -> None:
        self.models = models

    @property
    def answered(self) -> list[Usage]:
        return [usage for model in self.models for usage in model.usage]

    @property
    def dearest(self) -> float:
        return max([usage.usd for usage in self.answered], default=0.0) + 1e-9

    async def run(self, calls: Sequence[Call], usd: float, tokens: int | None) -> Budget:
        async with budget(usd=usd, tokens=tokens) as allowance:
            async with anyio.create_task_group() as group:
                for call in calls:
                    scope = anyio.CancelScope()
                    group.start_soon(self.branch, call, scope)
                    if call.cancelled:
                        group.start_soon(self.cancel, scope)
            return allowance

    async def cancel(self, scope: anyio.CancelScope) -> None:
        await anyio.lowlevel.checkpoint()
        await anyio.lowlevel.checkpoint()
        scope.cancel()

    async def branch(self, call: Call, scope: anyio.CancelScope) -> None:
        async with budget(usd=call.own) as own:
            with scope:
                for _ in range(call.times):
                    await self.ask(call)
        assert own.spent.usd <= call.own + self.dearest
        assert own.remaining["usd"] == pytest.approx(max(0.0, call.own - own.spent.usd))

    async def ask(self, call: Call) -> None:
        refusal = ""
        try:
            await ask(self.models[call.model], asking(call.max_tokens))
        except BudgetExceededError as error:
            refusal = error.limit
        except ModelError:
            return
        assert refusal != "usd" or KINDS[call.model] != FREE


@settings(max_examples=60, deadline=None)
@given(
    calls=st.lists(CALLS, min_size=1, max_size=25),
    allowed=st.sampled_from([0.0, 0.02, 0.3, 2.0]),
    tokens=st.sampled_from([None, 30, 1000]),
    uses=st.lists(st.integers(0, 300), min_size=1, max_size=5),
    turns=st.lists(st.integers(0, 5), min_size=1, max_size=5),
    fails=st.lists(st.booleans(), min_size=1, max_size=4),
)
def test_no_more_is_spent_than_the_budget_and_one_call(
    calls: list[Call],
    allowed: float,
    tokens: int | None,
    uses: list[int],
    turns: list[int],
    fails: list[bool],
) -> None:
    async def run() -> None:
        fan = Fan(
            [
                Metered(name=f"m{number}", price=price, uses=uses, turns=turns, fails=fails)
                for number, price in enumerate(KINDS)
            ]
        )
        with anyio.fail_after(HANGS):
            allowance = await fan.run(calls, allowed, tokens)
        spent = allowance.spent
        assert spent.usd == pytest.approx(sum(used.usd for used in fan.answered))
        assert spent.usd <= allowed + fan.dearest
        if tokens is not None:
            assert spent.tokens <= tokens + max([u.tokens for u in fan.answered], default=0)
        assert allowance.remaining["usd"] == pytest.approx(max(0.0, allowed - spent.usd))

    both_loops(run)


@pytest.mark.anyio
@pytest.mark.parametrize("max_tokens", [None, 8])
@pytest.mark.parametrize("price", [PRICE, "reported"])
async def test_two_hundred_branches_at_once_keep_to_it(
    price: ModelPrice, max_tokens: int | None
) -> None:
    model = Metered(price=price, uses=[8], turns=[3])
    refused: list[BudgetExceededError] = []

    async def branch() -> None:
        try:
            await ask(model, asking(max_tokens))
        except BudgetExceededError as error:
            refused.append(error)

    with anyio.fail_after(HANGS):
        async with budget(usd=0.5) as outer, budget(usd=9.0), anyio.create_task_group() as group:
            for _ in range(200):
                group.start_soon(branch)
    assert outer.spent.usd <= 0.5 + 0.009
    assert outer.spent.usd > 0.5 - 0.009  # nor is anything left unused
    assert model.started + len(refused) == 200
    bound = price == PRICE and max_tokens is not None
    assert model.most_active > 1 if bound else model.most_active == 1
    assert 0 < refused[0].needed <= 0.009 + 1e-9
    assert refused[0].remaining == pytest.approx(0.5 - outer.spent.usd)
    assert "left" in str(refused[0])


@pytest.mark.anyio
async def test_a_fan_out_with_price_and_bound_stays_within() -> None:
    usage = Usage(input_tokens=100, output_tokens=50, model_calls=1)
    replies = [Reply(text=answer(1, str(n)), usage=usage) for n in range(99)]
    model = ScriptedModel(replies, price=Price(input=100.0, output=1000.0))  # 0.06 a call
    each = Retry(CodeGenerator(model, max_tokens=50) >> step(grade) >> Validator(), attempts=9)
    async with budget(usd=0.20) as allowance:
        report = await BestOf(each, n=8).run(TASK)
    assert report.stop_reason == "budget"
    assert allowance.spent.usd == pytest.approx(0.18)
    assert report.usage == allowance.spent


class Sleeper:
    """A sandbox whose programs take a second each; it knows how many run at once."""

    name = "sleeper"

    def __init__(self, inner: "Sleeper | None" = None) -> None:
        self.inner = inner
        self.limits: list[float] = []
        self.running = self.most = 0

    async def run(self, program: Program) -> Completed:
        self.limits.append(program.limits.seconds)
        self.running += 1
        self.most = max(self.most, self.running)
        for _ in range(5):
            await anyio.lowlevel.checkpoint()
        if self.inner is not None:
            await execute(self.inner, program)
        self.running -= 1
        return Completed(exit_code=0, duration=1.0)


async def start_eight(sandbox: Sleeper, seconds: float) -> Budget:
    files = {"main.py": b""}
    program = Program(main="main.py", files=files, limits=ResourceLimits(seconds=seconds))

    async def one() -> None:
        with contextlib.suppress(BudgetExceededError):
            await execute(sandbox, program)

    with anyio.fail_after(10):
        async with budget(sandbox_seconds=5.5) as allowance, anyio.create_task_group() as group:
            for _ in range(8):
                group.start_soon(one)
    return allowance


@pytest.mark.anyio
@pytest.mark.parametrize(("seconds", "most"), [(30.0, 1), (2.0, 2), (1.0, 5)])
async def test_programs_at_once_keep_to_the_seconds_of_sandboxes(seconds: float, most: int) -> None:
    sandbox = Sleeper()
    allowance = await start_eight(sandbox, seconds)
    assert (allowance.spent.sandbox_seconds, sandbox.most) == (5.0, most)
    assert "0.5 left, and this call may need 1" in allowance.refused
    # Each may use all that the others have left, and no more.
    assert sandbox.limits == [min(seconds, 5.5 - n // most * most) for n in range(5)]


@pytest.mark.anyio
async def test_a_program_that_is_run_within_another_one_does_not_wait_for_it() -> None:
    inner = Sleeper()
    allowance = await start_eight(Sleeper(inner), 30.0)
    assert len(inner.limits) == 3
    assert allowance.spent.sandbox_seconds == 6.0
