"""Each call of a model or a sandbox has an event at its start and one at its end, in order."""

from collections.abc import Awaitable, Callable
from contextlib import suppress

import anyio
import pytest

from planish import step
from planish.data import Completed, Message, Program, Reply, Request
from planish.effects import ask, execute
from planish.errors import RateLimitError, SandboxLostError
from planish.events import (
    Event,
    ModelCallEnded,
    ModelCallStarted,
    RunEnded,
    RunStarted,
    SandboxRunEnded,
    SandboxRunStarted,
    TokensReceived,
    listen,
)
from planish.testing import ScriptedModel, ScriptedSandbox

REQUEST = Request(messages=(Message("user", "hello"),))
PROGRAM = Program(main="m.py", files={"m.py": b""})
DONE = Completed(exit_code=3, duration=1.5, limit="seconds", sandbox_id="box-1")


async def events_of(effect: Callable[[], Awaitable[object]]) -> list[Event]:
    """The events between the start and the end of a run of one effect."""
    heard: list[Event] = []

    async def call(_: int) -> int:
        await effect()
        return 0

    async with listen(heard.append):
        with suppress(RateLimitError, SandboxLostError):
            await step(call).run(0)
    assert isinstance(heard[0], RunStarted)
    assert isinstance(heard[-1], RunEnded)
    return heard[1:-1]


@pytest.mark.anyio
async def test_a_call_of_a_model_has_its_request_and_its_reply() -> None:
    model = ScriptedModel(["hi"], name="m")
    first, text, last = await events_of(lambda: ask(model, REQUEST))
    assert isinstance(first, ModelCallStarted)
    assert isinstance(text, TokensReceived)
    assert isinstance(last, ModelCallEnded)
    assert (first.model, first.provider, first.request) == ("m", model.provider, REQUEST)
    assert (last.model, last.provider, last.error) == ("m", model.provider, None)
    assert last.reply is not None
    assert last.reply.text == "hi"
    for event in (first, last):
        assert type(event).from_json(event.to_json()) == event


@pytest.mark.anyio
async def test_one_that_fails_has_the_class_of_its_error() -> None:
    model = ScriptedModel([RateLimitError("later")], name="m")
    first, last = await events_of(lambda: ask(model, REQUEST))
    assert isinstance(first, ModelCallStarted)
    assert isinstance(last, ModelCallEnded)
    assert (last.reply, last.error) == (None, "planish.errors.RateLimitError")


@pytest.mark.anyio
async def test_a_run_in_a_sandbox_has_how_it_ended() -> None:
    sandbox = ScriptedSandbox([DONE])
    first, last = await events_of(lambda: execute(sandbox, PROGRAM))
    assert isinstance(first, SandboxRunStarted)
    assert isinstance(last, SandboxRunEnded)
    assert first.sandbox == last.sandbox == sandbox.name
    assert (last.seconds, last.exit_code, last.limit) == (1.5, 3, "seconds")
    assert (last.sandbox_id, last.error) == ("box-1", None)


@pytest.mark.anyio
async def test_one_that_is_lost_has_the_class_of_its_error() -> None:
    sandbox = ScriptedSandbox([SandboxLostError("gone")])
    first, last = await events_of(lambda: execute(sandbox, PROGRAM))
    assert isinstance(first, SandboxRunStarted)
    assert isinstance(last, SandboxRunEnded)
    assert (last.seconds, last.error) == (None, "planish.errors.SandboxLostError")


class Waiting:
    """A model that never replies."""

    name = "waiting"
    provider = "none"

    def __init__(self, begun: Callable[[], object]) -> None:
        self.begun = begun

    async def reply(self, request: Request, on_text: object = None) -> Reply:
        del request, on_text
        self.begun()
        await anyio.sleep_forever()
        raise AssertionError


@pytest.mark.anyio
async def test_one_that_is_cancelled_ends_too() -> None:
    heard: list[Event] = []

    async def call(_: int) -> int:
        await ask(Waiting(scope.cancel), REQUEST)
        return 0

    async with listen(heard.append):
        with anyio.CancelScope() as scope:
            await step(call).run(0)
    assert [type(event) for event in heard[1:3]] == [ModelCallStarted, ModelCallEnded]
    (ended,) = (event for event in heard if isinstance(event, ModelCallEnded))
    assert ended.error is not None
    assert "Cancelled" in ended.error


@pytest.mark.anyio
async def test_no_listener_hears_of_a_run_after_its_block() -> None:
    heard: list[Event] = []
    model = ScriptedModel(["hi", RateLimitError("x"), "hi"], name="m")

    async def call(_: int) -> int:
        await ask(model, REQUEST)
        return 0

    async with listen(heard.append):
        await step(call).run(0)
        with pytest.raises(RateLimitError):
            await step(call).run(0)
    count = len(heard)
    await step(call).run(0)
    assert len(heard) == count
