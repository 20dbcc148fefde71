"""What is known of a price decides which calls start at once, wait, or are refused."""

from dataclasses import replace
from typing import Any

import anyio
import anyio.lowlevel
import pytest
from tests.context.metered import HANGS, PRICE, Metered, asking

from planish import budget
from planish.abc import OnText
from planish.data import Reply, Request, Usage
from planish.data.usage import FREE, ModelPrice
from planish.effects import ask
from planish.errors import BudgetExceededError, UnsupportedError
from planish.testing.scripted import ScriptedModel


@pytest.mark.anyio
async def test_what_costs_nothing_is_never_refused_and_never_waits() -> None:
    paid, judge = Metered(uses=[300], turns=[50]), Metered(name="judge", price=FREE)
    async with budget(usd=0.2) as allowance, anyio.create_task_group() as group:
        group.start_soon(ask, paid, asking())
        await anyio.lowlevel.checkpoint()
        await ask(judge, asking())
        assert paid.active == 1
    assert allowance.spent.usd > 0.2
    async with budget(usd=0.0):
        await ask(judge, asking())
    with pytest.raises(BudgetExceededError, match="0 usd"):
        async with budget(usd=0.0):
            await ask(paid, asking())


@pytest.mark.anyio
async def test_a_cheap_model_is_not_measured_by_a_dear_one() -> None:
    dear, cheap = Metered(uses=[900]), Metered(name="cheap", uses=[1])
    async with budget(usd=1.0):
        await ask(dear, asking())
        await ask(cheap, asking())
        with pytest.raises(BudgetExceededError) as caught:
            await ask(dear, asking())
    assert caught.value.needed == pytest.approx(0.901)
    assert caught.value.remaining == pytest.approx(1.0 - 0.901 - 0.002)


@pytest.mark.anyio
async def test_a_model_without_a_price_is_refused_before_it_is_called() -> None:
    model = Metered(price=None)
    async with budget(tokens=100):
        await ask(model, asking())
        async with budget(usd=5.0):
            with pytest.raises(UnsupportedError, match=r"price=Price\(input=") as caught:
                await ask(model, asking())
    assert model.started == 1
    assert "metered" in str(caught.value)


@pytest.mark.anyio
async def test_a_price_of_a_model_that_counts_none_is_charged() -> None:
    model = Metered(uses=[99])
    async with budget(usd=5.0) as allowance:
        reply = await ask(model, asking())
    assert reply.usage.usd == allowance.spent.usd == pytest.approx(0.1)


@pytest.mark.anyio
async def test_calls_of_unknown_size_go_one_at_a_time_in_the_order_they_came() -> None:
    order: list[int] = []
    model = Metered(turns=[5, 1, 3])

    async def branch(number: int) -> None:
        await ask(model, asking())
        order.append(number)

    async with budget(usd=5.0), anyio.create_task_group() as group:
        for number in range(20):
            group.start_soon(branch, number)
            await anyio.lowlevel.checkpoint()
    assert model.most_active == 1
    assert order == list(range(20))


@pytest.mark.anyio
async def test_the_bound_of_a_model_serves_where_a_request_has_none() -> None:
    model = Metered(max_tokens=20, turns=[5])
    async with budget(usd=5.0), anyio.create_task_group() as group:
        for _ in range(20):
            group.start_soon(ask, model, asking())
    assert model.most_active == 20


@pytest.mark.anyio
async def test_a_bound_that_does_not_hold_is_trusted_no_more() -> None:
    class Talkative(Metered):
        async def reply(self, request: Request, on_text: OnText | None = None) -> Reply:
            return await super().reply(replace(request, max_tokens=None), on_text)

    model = Talkative(uses=[500], turns=[5])
    async with budget(usd=100.0):
        await ask(model, asking(10))
        async with anyio.create_task_group() as group:
            for _ in range(5):
                group.start_soon(ask, model, asking(10))
    assert model.most_active == 1


@pytest.mark.anyio
async def test_a_call_cancelled_while_it_waits_makes_way() -> None:
    gate = anyio.Event()

    class Gated(Metered):
        async def reply(self, request: Request, on_text: OnText | None = None) -> Reply:
            await gate.wait()
            return await super().reply(request, on_text)

    model = Gated()
    scopes = [anyio.CancelScope() for _ in range(3)]

    async def branch(scope: anyio.CancelScope) -> None:
        with scope:
            await ask(model, asking())

    with anyio.fail_after(HANGS):
        async with budget(usd=5.0) as allowance:
            async with anyio.create_task_group() as group:
                for scope in scopes:
                    group.start_soon(branch, scope)
                    await anyio.lowlevel.checkpoint()
                scopes[0].cancel()  # the one in flight
                scopes[1].cancel()  # the next in turn
                await anyio.lowlevel.checkpoint()
                gate.set()
            assert allowance.remaining == {"usd": pytest.approx(5.0 - 0.011)}
    assert model.started == 1


@pytest.mark.anyio
async def test_a_call_cancelled_just_as_its_turn_comes_makes_way() -> None:
    model = Metered(turns=[3])
    ended: list[str] = []
    second = anyio.CancelScope()

    async def first() -> None:
        await ask(model, asking())
        second.cancel()  # the next call has its reservation, and has not run since
        ended.append("first")

    async def branch(name: str, scope: anyio.CancelScope) -> None:
        with scope:
            await ask(model, asking())
            ended.append(name)

    with anyio.fail_after(HANGS):
        async with budget(usd=5.0) as allowance:
            async with anyio.create_task_group() as group:
                group.start_soon(first)
                await anyio.lowlevel.checkpoint()
                group.start_soon(branch, "second", second)
                await anyio.lowlevel.checkpoint()
                group.start_soon(branch, "third", anyio.CancelScope())
            assert allowance.remaining == {"usd": pytest.approx(5.0 - 2 * 0.011)}
    assert ended == ["first", "third"]


@pytest.mark.anyio
@pytest.mark.parametrize("max_tokens", [None, 10])
async def test_a_call_made_within_a_call_waits_for_none(max_tokens: int | None) -> None:
    inner = Metered(name="inner")

    class Agent(Metered):
        async def reply(self, request: Request, on_text: OnText | None = None) -> Reply:
            await ask(inner, asking(max_tokens))
            return await super().reply(request, on_text)

    agent = Agent(name="agent")
    with anyio.fail_after(HANGS):
        async with budget(usd=5.0) as allowance, anyio.create_task_group() as group:
            for _ in range(5):
                group.start_soon(ask, agent, asking(max_tokens))
    assert allowance.spent.model_calls == 10


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("replies", "price"),
    [
        (["text"], FREE),
        ([Reply(text="a", usage=Usage(input_tokens=1))], FREE),
        ([Reply(text="a", usage=Usage(usd=0.1))], "reported"),
    ],
)
def test_a_script_costs_what_its_replies_say(replies: list[Any], price: ModelPrice) -> None:
    assert ScriptedModel(replies).price == price
    assert ScriptedModel(replies, price=PRICE).price == PRICE
