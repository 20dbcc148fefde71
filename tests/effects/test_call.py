"""A call of one's own is charged, traced, recorded and wrapped as those of planish are."""

from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from typing import Any

import pytest
from tests.laws.kit import TASK, attempt

from planish import Report, Task, budget, step
from planish.data import Completed, Message, Program, Reply, Request, Usage
from planish.effects import Effect, Proceed, ask, decide, effect, execute, execute_step, intercept
from planish.errors import BudgetExceededError, RecordingError, WiringError
from planish.structured import ask_for
from planish.testing import ScriptedModel
from planish.testing.telemetry import capture


class Recorder:
    """An interceptor that notes what it wraps."""

    def __init__(self, name: str, notes: list[str]) -> None:
        self.name = name
        self.notes = notes

    async def __call__(self, made: Effect[Any], proceed: Proceed[Any], /) -> Any:
        self.notes.append(f"{self.name} before {made.kind}")
        try:
            return await proceed()
        finally:
            self.notes.append(f"{self.name} after {made.kind}")


def plus_one(number: int) -> int:
    return number + 1


async def two() -> int:
    return 2


@pytest.mark.anyio
async def test_interceptors_wrap_in_the_order_they_were_installed_in() -> None:
    notes: list[str] = []
    async with intercept(Recorder("outer", notes)), intercept(Recorder("inner", notes)):
        assert await effect("index", "words", "x", two, int) == 2
    assert notes == [
        "outer before index",
        "inner before index",
        "inner after index",
        "outer after index",
    ]
    assert await effect("index", "words", "x", two, int) == 2
    assert len(notes) == 4


@pytest.mark.anyio
async def test_an_interceptor_sees_what_is_called_and_may_answer_it() -> None:
    seen: list[Effect[Any]] = []

    async def answer(made: Effect[Any], proceed: Proceed[Any], /) -> Any:
        seen.append(made)
        return 7 if made.kind == "index" else await proceed()

    async def look(task: Task) -> int:
        return await effect("index", "words", task.requirement, two, int)

    async with intercept(answer):
        assert await (step(look) >> plus_one).run(TASK) == 8
    (made,) = seen
    assert (made.kind, made.name, made.request) == ("index", "words", TASK.requirement)
    assert (made.reply_type, made.path) == (int, ("Sequential[0]",))
    assert made.decode(made.encode(7)) == 7
    assert made.digest == Effect("", "", TASK.requirement, int, ()).digest != made.encode(7)


@pytest.mark.parametrize("cut", [0, 5, 20])
def test_a_record_that_was_cut_off_is_named(cut: int) -> None:
    made: Effect[Reply] = Effect("model", "small", "Hi.", Reply, ("Retry#2",))
    text = made.encode(Reply(text="Hello."))
    assert made.decode(text) == Reply(text="Hello.")
    with pytest.raises(RecordingError, match=r"the model 'small', of Retry#2, cannot be read"):
        made.decode(text[:cut])


@pytest.mark.anyio
async def test_a_reply_of_another_type_is_refused() -> None:
    async def forget(made: Effect[Any], proceed: Proceed[Any], /) -> Any:
        await proceed()

    async with intercept(forget):
        with pytest.raises(WiringError, match=r"forget.*returned None.*index 'words'.*int"):
            await effect("index", "words", "x", two, int)


@pytest.mark.anyio
async def test_effects_of_an_interceptor_pass_those_outside_of_it_only() -> None:
    notes: list[str] = []

    async def review(made: Effect[Any], proceed: Proceed[Any], /) -> Any:
        assert await effect("review", "person", str(made.request), two, int) == 2
        return await proceed()

    async def asks() -> int:
        return await effect("inner", "call", None, two, int)

    outer, inner = Recorder("outer", notes), Recorder("inner", notes)
    async with intercept(outer, review, inner):
        await effect("index", "words", "x", asks, int)
    assert [note for note in notes if "review" in note] == [
        "outer before review",
        "outer after review",
    ] * 2
    # Within the call itself all of them apply again.
    assert "inner before inner" in notes


@pytest.mark.parametrize("intercepted", [False, True])
@pytest.mark.anyio
async def test_a_budget_limits_it(*, intercepted: bool) -> None:
    async def pass_on(made: Effect[Any], proceed: Proceed[Any], /) -> Any:
        return await proceed()

    price = Usage(usd=0.4)
    calls: list[int] = []

    async def call() -> int:
        calls.append(1)
        return 1

    async with intercept(*[pass_on] * intercepted), budget(usd=1.0) as allowance:
        for _ in range(2):
            await effect("index", "words", "x", call, int, reserve=price)
        with pytest.raises(BudgetExceededError, match="usd"):
            await effect("index", "words", "x", call, int, reserve=price)
    assert allowance.spent.usd == pytest.approx(0.8)
    assert allowance.refused.startswith("the budget of ")
    assert len(calls) == 2


@pytest.mark.anyio
async def test_what_the_reply_reports_is_charged_to_budget_and_report() -> None:
    class Found:
        usage = Usage(usd=0.25, input_tokens=3)

    async def search() -> Found:
        return Found()

    async def look(task: Task) -> Task:
        await effect("index", "words", None, search, Found, reserve=Usage(usd=1.0))
        return task

    async with budget(tokens=1_000_000) as allowance:
        report: Report = await (step(look) >> attempt([4])).run(TASK)
    assert allowance.spent.usd == report.usage.usd == 0.25
    assert report.usage.input_tokens > 3


@pytest.mark.anyio
async def test_an_answer_from_a_record_is_charged_too() -> None:
    async def answer(made: Effect[Any], proceed: Proceed[Any], /) -> Any:
        return 1 if made.kind == "index" else None

    async with intercept(answer), budget(usd=1.0) as allowance:
        await effect("index", "words", None, two, int, reserve=Usage(usd=0.25))
    assert allowance.spent.usd == 0.25


@pytest.mark.anyio
async def test_it_has_a_span_and_a_decision_has_none() -> None:
    with capture() as captured:

        async def look(task: Task) -> int:
            await decide("coin", two, int)
            return await effect("index", "words", task, two, int)

        await step(look).run(TASK)
    (span,) = captured.by_name("index words")
    assert span.attributes is not None
    assert dict(span.attributes) == {"planish.effect.kind": "index", "planish.effect.name": "words"}
    assert captured.by_name("planish.look")[0].context == span.parent
    assert not [one for one in captured.spans if "coin" in one.name]


@pytest.mark.parametrize("kind", ["model", "sandbox", "session", "decision", "reservation"])
@pytest.mark.anyio
async def test_the_kinds_of_planish_are_taken(kind: str) -> None:
    with pytest.raises(ValueError, match="planish's own"):
        await effect(kind, "x", None, two, int)


@pytest.mark.parametrize("request_", [object, lambda: two], ids=["object", "function"])
def test_a_request_that_has_no_json_cannot_be_recorded(request_: Callable[[], object]) -> None:
    with pytest.raises(TypeError, match="cannot be written as JSON"):
        _ = Effect("index", "words", request_(), int, ()).digest


@pytest.mark.anyio
async def test_what_is_no_request_and_no_interceptor_is_refused_with_the_remedy() -> None:
    wrong: Any = ScriptedModel([])
    with pytest.raises(WiringError, match=r"ask\(model, request\): .*'plan'; write Request\("):
        await ask(wrong, wrong_value("plan"))
    with pytest.raises(WiringError, match=r"ask_for\(model, request, kind\): .*ScriptedModel"):
        await ask_for(wrong_value(int), wrong, wrong_value("plan"))
    with pytest.raises(WiringError, match=r"intercept\(3\): an interceptor is an async function"):
        intercept(wrong_value(3))
    with pytest.raises(WiringError, match=r"intercept\(Recorder\)"):
        intercept(wrong_value(Recorder))


@pytest.mark.anyio
async def test_an_interceptor_that_forgets_the_reply_is_named() -> None:
    async def forget(made: Effect[Any], proceed: Proceed[Any], /) -> Any:
        await proceed()

    with pytest.raises(WiringError, match=r"interceptors forget returned None.*return await pro"):
        async with intercept(forget):
            await effect("index", "words", "x", two, int)


class Text:
    """A model and a sandbox whose results are a text."""

    name = provider = "text"

    async def reply(self, request: Request, on_text: object = None) -> Any:
        return request.messages[0].content if on_text is None else None

    async def run(self, program: Program) -> Any:
        return program.main


@pytest.mark.anyio
@pytest.mark.parametrize("observed", [True, False])
async def test_a_model_and_a_sandbox_say_what_they_have_to_return(*, observed: bool) -> None:
    program = Program(main="main.py", files={"main.py": b""})
    with capture() if observed else nullcontext():
        with pytest.raises(WiringError, match=r"model 'text' returned 'x' .*Reply\(text="):
            await ask(Text(), Request(messages=(Message("user", "x"),)))
        with pytest.raises(WiringError, match=r"sandbox 'text' returned 'main.py' .*Completed\("):
            await execute(Text(), program)


class Plain:
    """A model, a sandbox and a session whose functions are not async."""

    name = provider = "plain"

    def reply(self, *_: object) -> Any:
        return Reply(text="x")

    def run(self, *_: object, **__: object) -> Any:
        return Completed(exit_code=0)


def answer_at_once(made: Effect[Any], proceed: Proceed[Any], /) -> Any:
    return 2


PLAIN: dict[str, Callable[[], Awaitable[object]]] = {
    "the model 'plain' returned Reply": lambda: ask(
        wrong_value(Plain()), Request(messages=(Message("user", "x"),))
    ),
    "the sandbox 'plain' returned Completed": lambda: execute(
        Plain(), Program(main="main.py", files={"main.py": b""})
    ),
    "the session 'plain' returned Completed": lambda: execute_step(wrong_value(Plain()), "1"),
    "the call of index 'words' returned 2": lambda: effect(
        "index", "words", "x", wrong_value(lambda: 2), int
    ),
}


@pytest.mark.anyio
@pytest.mark.parametrize("said", PLAIN)
async def test_what_is_not_async_is_named(said: str) -> None:
    with pytest.raises(WiringError, match=f"{said}.*cannot be awaited.*`async def`"):
        await PLAIN[said]()


@pytest.mark.anyio
async def test_an_interceptor_that_is_not_async_is_named() -> None:
    async with intercept(answer_at_once):
        with pytest.raises(WiringError, match=r"interceptor 'answer_at_once' returned 2.*`async"):
            await effect("index", "words", "x", two, int)


def wrong_value(value: Any) -> Any:
    """Return a value without its type: type checkers would refuse the call."""
    return value
