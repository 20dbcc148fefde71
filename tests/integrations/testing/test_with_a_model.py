"""A real adapter against the loopback provider: trouble is survived, and never shown."""

import anyio
import pytest

from planish import CodeExecution, CodeGenerator, Retry, Task, Validator
from planish.data.message import Message, Reply, Request
from planish.data.usage import Usage
from planish.errors import (
    AuthenticationError,
    OverloadedError,
    PlanishError,
    RequestError,
)
from planish.testing import FakeClock, check_model
from planish_integrations.openai import OpenAIModel
from planish_integrations.testing import Fault, LoopbackProvider, RandomFaults, ReceivedRequest
from planish_integrations.unsafe import UnsafeLocalSandbox

pytestmark = pytest.mark.anyio
ASK = Request(messages=(Message("user", "Say pong."),))
CANARY = "sk-canary-0123456789abcdef"
PASSING = [
    Fault.dropped(),
    Fault.closed(20),
    Fault.error(500),
    Fault.error(502),
    Fault.error(503),
    Fault.error(529),
    Fault.rate_limit(0.05, form="milliseconds"),
    Fault.rate_limit(0.05, form="words"),
    Fault.rate_limit(1, form="seconds"),
    Fault.error_event(503),
    Fault.malformed(),
    Fault.mistyped(),
]


def _model(server: LoopbackProvider) -> OpenAIModel:
    return OpenAIModel("any", base_url=server.url("openai"), api_key=CANARY)


def _echo(received: ReceivedRequest) -> str:
    return str(received.json["messages"][-1]["content"]).rpartition(" ")[2]


async def test_the_model_of_a_loopback_provider_is_a_model() -> None:
    async with LoopbackProvider(_echo) as server:
        assert len(await check_model(_model(server))) == 8


@pytest.mark.parametrize("streamed", [False, True])
async def test_a_reply_arrives_as_it_was_scripted(*, streamed: bool) -> None:
    usage = Usage(input_tokens=9, output_tokens=5, cached_tokens=2, model_calls=1)
    reply = Reply(text="pöng", reasoning="Hm.", usage=usage, id="r-1", model="m-1")
    pieces: list[str] = []
    async with LoopbackProvider([reply]) as server:
        got = await _model(server).reply(ASK, pieces.append if streamed else None)
    assert (got.text, got.reasoning, got.usage) == (reply.text, reply.reasoning, usage)
    assert (got.id, got.model, got.finish_reason) == ("r-1", "m-1", "stop")
    assert "".join(pieces) == ("pöng" if streamed else "")


@pytest.mark.parametrize("fault", PASSING, ids=repr)
async def test_a_temporary_fault_is_retried(fault: Fault) -> None:
    async with LoopbackProvider(["pong"], faults=[fault]) as server:
        reply = await _model(server).reply(ASK)
    assert (reply.text, reply.resends, reply.usage.model_calls) == ("pong", 1, 1)
    assert [r.headers["authorization"] for r in server.requests] == [f"Bearer {CANARY}"] * 2


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        (Fault.error(401, f"wrong key {CANARY}"), AuthenticationError),
        (Fault.error(403), AuthenticationError),
        (Fault.error(404), RequestError),
    ],
)
async def test_a_permanent_fault_is_raised_at_once(
    fault: Fault, expected: type[PlanishError]
) -> None:
    async with LoopbackProvider("pong", faults=fault) as server:
        with pytest.raises(expected) as caught:
            await _model(server).reply(ASK)
    assert len(server.requests) == 1
    assert CANARY not in str(caught.value)


class Held(FakeClock):
    """A clock whose waits end when they are allowed to."""

    def __init__(self) -> None:
        super().__init__()
        self.over = anyio.Event()

    async def sleep(self, seconds: float) -> None:
        self.sleeps.append(seconds)
        await self.over.wait()


async def test_a_provider_that_is_away_comes_back() -> None:
    replies: list[Reply] = []
    clock = Held()
    async with LoopbackProvider(["pong"]) as server, anyio.create_task_group() as tasks:
        model = OpenAIModel("any", base_url=server.url("openai"), api_key=CANARY, clock=clock)

        async def ask() -> None:
            replies.append(await model.reply(ASK))

        async with server.refusing():
            tasks.start_soon(ask)
            while not clock.sleeps:  # noqa: ASYNC110  # until it was refused and waits
                await anyio.sleep(0.01)
            assert server.requests == []
        clock.over.set()
        with anyio.fail_after(60):
            while not replies:  # noqa: ASYNC110  # the task group waits for it otherwise
                await anyio.sleep(0.01)
    assert replies[0].resends > 0


async def test_a_stream_that_breaks_after_its_first_text_is_not_sent_again() -> None:
    pieces: list[str] = []
    text = "a text that is long enough to be cut in the middle of it all"
    async with LoopbackProvider(text, faults=Fault.ended(600)) as server:
        with pytest.raises(OverloadedError):
            await _model(server).reply(ASK, pieces.append)
    assert text.startswith("".join(pieces))
    assert "".join(pieces)
    assert len(server.requests) == 1


async def test_no_fault_reaches_a_prompt_and_none_is_an_attempt() -> None:
    right = "```python\ndef f(x):\n    return x + 1\n```"
    wrong = "```python\ndef f(x):\n    return x\n```"
    chance = RandomFaults(0.5, PASSING[:6], seed=1)
    async with LoopbackProvider([wrong, right], faults=chance) as server:
        attempt = (
            CodeGenerator(_model(server)) >> CodeExecution(UnsafeLocalSandbox()) >> Validator()
        )
        task = Task("Add one.", entry_point="f", tests=[(1, 2), (5, 6)])
        report = await Retry(attempt, attempts=3).run(task)
    assert (report.passed, report.attempts, report.usage.model_calls) == (True, 2, 2)
    assert server.injected_faults
    assert len(server.requests) == 2 + len(server.injected_faults)
    for received in server.requests:
        text = received.text.lower()
        assert [w for w in ("overloaded", "rate limit", "503", "internal error") if w in text] == []
