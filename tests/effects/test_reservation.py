"""Each call that interceptors make is charged, however often they make it."""

from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

import anyio
import pytest

from planish import Task, budget, step
from planish.abc import OnText
from planish.data import Message, Reply, Request, Usage
from planish.data.usage import attach_usage
from planish.effects import Effect, Interceptor, Proceed, ask, intercept
from planish.errors import BudgetExceededError, ModelError, PlanishError
from planish.testing import ScriptedModel

QUESTION = Request(messages=(Message("user", "hello"),))
TASK = Task("Say hello.")


def reply_of(tokens: int) -> Reply:
    return Reply(text=str(tokens), usage=Usage(input_tokens=tokens, model_calls=1))


def outage(tokens: int) -> ModelError:
    error = ModelError("down")
    attach_usage(error, Usage(input_tokens=tokens, failed_calls=1))
    return error


def answers_of(tokens: Sequence[int]) -> list[Reply | Exception]:
    """Replies with these tokens; an outage for a negative number."""
    return [reply_of(number) if number >= 0 else outage(-number) for number in tokens]


async def twice(made: Effect[Any], proceed: Proceed[Any], /) -> Any:
    if made.kind == "model":
        await proceed()
    return await proceed()


async def first_of_two(made: Effect[Any], proceed: Proceed[Any], /) -> Any:
    reply = await proceed()
    if made.kind == "model":
        await proceed()
    return reply


async def retry(made: Effect[Any], proceed: Proceed[Any], /) -> Any:
    try:
        return await proceed()
    except ModelError:
        if made.kind != "model":  # a decision around the call
            raise
        return await proceed()


async def refuse(made: Effect[Any], proceed: Proceed[Any], /) -> Any:
    reply = await proceed()
    if made.kind == "model":
        raise PlanishError("this reply is not wanted")
    return reply


async def hedge(made: Effect[Any], proceed: Proceed[Any], /) -> Any:
    if made.kind != "model":
        return await proceed()
    replies: list[Any] = []

    async def call() -> None:
        replies.append(await proceed())

    async with anyio.create_task_group() as group:
        group.start_soon(call)
        group.start_soon(call)
    return replies[0]


@pytest.mark.parametrize(
    ("interceptor", "tokens", "expected"),
    [
        (twice, [1000, 10], Usage(input_tokens=1010, model_calls=2)),
        (first_of_two, [1000, 10], Usage(input_tokens=1010, model_calls=2)),
        (hedge, [1000, 10], Usage(input_tokens=1010, model_calls=2)),
        (refuse, [10], Usage(input_tokens=10, model_calls=1)),
        (retry, [-500, 10], Usage(input_tokens=510, model_calls=1, failed_calls=1)),
        (retry, [-500, -40], Usage(input_tokens=540, failed_calls=2)),
    ],
)
@pytest.mark.parametrize("budgeted", [True, False])
@pytest.mark.anyio
async def test_every_call_of_an_interceptor_is_charged(
    interceptor: Interceptor, tokens: Sequence[int], expected: Usage, *, budgeted: bool
) -> None:
    model = ScriptedModel(answers_of(tokens))
    limits = budget(tokens=100_000) if budgeted else budget(seconds=1000)

    async def question(task: Task) -> Task:
        await ask(model, QUESTION)
        return task

    async with limits as allowance, intercept(interceptor):
        try:
            await step(question).run(TASK)
        except PlanishError as error:
            assert error.report is None or error.report.usage == expected  # noqa: PT017
    assert len(model.requests) == len(tokens)
    assert allowance.spent == expected
    assert allowance.remaining.get("tokens", 0) == (100_000 - expected.tokens) * budgeted


@pytest.mark.parametrize("interceptor", [twice, first_of_two])
@pytest.mark.anyio
async def test_a_budget_limits_the_calls_of_an_interceptor(interceptor: Interceptor) -> None:
    model = ScriptedModel([reply_of(1000), reply_of(10)])
    async with budget(model_calls=1) as allowance, intercept(interceptor):
        with pytest.raises(BudgetExceededError, match="model_calls"):
            await ask(model, QUESTION)
    assert len(model.requests) == allowance.spent.model_calls == 1


@pytest.mark.anyio
async def test_a_reply_in_place_of_a_failed_call_is_charged_beside_it() -> None:
    async def answer(made: Effect[Any], proceed: Proceed[Any], /) -> Any:
        try:
            return await proceed()
        except ModelError:
            return reply_of(7)

    model = ScriptedModel([outage(500)])
    async with budget(tokens=1000) as allowance, intercept(answer):
        await ask(model, QUESTION)
    assert allowance.spent.input_tokens == 507


@pytest.mark.anyio
async def test_an_interceptor_may_correct_what_a_call_has_used() -> None:
    async def correct(made: Effect[Any], proceed: Proceed[Any], /) -> Any:
        reply = await proceed()
        return reply_of(7) if made.kind == "model" else reply

    async with budget(tokens=1000) as allowance, intercept(correct):
        await ask(ScriptedModel([reply_of(10)]), QUESTION)
    assert allowance.spent.input_tokens == 7


class Other(ScriptedModel):
    """A model whose replies are another model's."""

    def __init__(self, inner: ScriptedModel) -> None:
        super().__init__([], name="other")
        self.inner = inner

    async def reply(self, request: Request, on_text: OnText | None = None) -> Reply:
        del on_text
        return await ask(self.inner, request)


@pytest.mark.parametrize("by", ["a model", "an interceptor", "both"])
@pytest.mark.parametrize("budgeted", [True, False])
@pytest.mark.anyio
async def test_a_reply_that_another_call_has_made_is_charged_once(
    by: str, *, budgeted: bool
) -> None:
    inner = ScriptedModel([reply_of(10), reply_of(500)], name="inner")

    async def other(made: Effect[Any], proceed: Proceed[Any], /) -> Any:
        wanted = made.kind == "model" and made.name != "inner" and by == "an interceptor"
        return await (ask(inner, QUESTION) if wanted else proceed())

    async def question(task: Task) -> Task:
        await ask(Other(inner), QUESTION)
        raise PlanishError("enough")

    limits = budget(model_calls=9) if budgeted else nullcontext()
    installed = nullcontext() if by == "a model" else intercept(other)
    async with limits as allowance, installed:
        with pytest.raises(PlanishError, match="enough") as raised:
            await step(question).run(TASK)
    expected = Usage(input_tokens=10, model_calls=1)
    assert len(inner.requests) == 1
    assert raised.value.report is not None
    assert raised.value.report.usage == expected
    assert allowance is None or allowance.spent == expected
