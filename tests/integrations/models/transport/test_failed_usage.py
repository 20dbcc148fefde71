"""What a failed or cancelled call used is counted: as reported, or estimated and marked so."""

import anyio
import pytest
from tests.integrations.models.transport.protocols import LOOPBACK_NAMES, MODELS
from tests.laws.kit import TASK

from planish import CodeGenerator, budget, step
from planish.abc import OnText
from planish.data import Message, Reply, Request, Usage
from planish.data.usage import Price, usage_of
from planish.effects import ask
from planish.errors import ModelError, OverloadedError, RequestError, report_of
from planish.testing import FakeClock
from planish_integrations.models.transport import Backoff, HttpModel
from planish_integrations.testing import Fault, LoopbackProvider

pytestmark = pytest.mark.anyio
every_protocol = pytest.mark.parametrize("protocol", sorted(MODELS))
PROMPT = 20_000  # characters, so 5,000 tokens
ASK = Request(messages=(Message("user", "x" * PROMPT),))
TOKENS = Usage(input_tokens=5_123, output_tokens=77)
DOLLAR_A_TOKEN = Price(input=1e6, output=1e6)


def model_at(server: LoopbackProvider, protocol: str, tries: int = 1) -> HttpModel:
    return MODELS[protocol](
        "m",
        base_url=server.url(LOOPBACK_NAMES[protocol]),
        api_key="k",
        clock=FakeClock(),
        backoff=Backoff(tries=tries),
        price=DOLLAR_A_TOKEN,
    )


@every_protocol
async def test_a_stream_that_breaks_off_has_used_its_prompt_and_what_has_arrived(
    protocol: str,
) -> None:
    pieces: list[str] = []
    reply = Reply(text="word " * 4_000, usage=TOKENS)
    async with LoopbackProvider(lambda _: reply, faults=Fault.closed(10_000)) as server:
        with pytest.raises(OverloadedError) as caught:
            await model_at(server, protocol).reply(ASK, pieces.append)
    usage = usage_of(caught.value)
    assert usage is not None
    arrived = sum(map(len, pieces))
    assert arrived > 100
    assert (usage.model_calls, usage.failed_calls) == (0, 1)
    if protocol in ("anthropic", "gemini"):  # these report the prompt at the beginning
        assert usage.input_tokens == TOKENS.input_tokens
    else:
        assert usage.input_tokens == PROMPT / 4
    assert usage.output_tokens >= arrived // 4
    assert 0 < usage.estimated_tokens <= usage.tokens
    assert usage.usd == pytest.approx(usage.tokens)


@every_protocol
async def test_failed_tries_count_beside_the_reply(protocol: str) -> None:
    faults = [Fault.error(503), Fault.rate_limit(1.0), Fault.dropped(), None]
    async with LoopbackProvider([Reply(text="hi", usage=TOKENS)], faults=faults) as server:
        model = model_at(server, protocol, tries=9)
        reply = await model.reply(ASK)
        assert (reply.usage.model_calls, reply.usage.tokens) == (1, TOKENS.tokens)
        assert reply.usage.estimated_tokens == reply.usage.failed_calls == 0
        # An error status costs nothing; a connection that is lost may have been served.
        failed = reply.failed_usage
        assert (failed.failed_calls, failed.tokens) == (3, PROMPT / 4)
        assert failed.estimated_tokens == failed.tokens
        assert len(server.requests) == reply.usage.model_calls + failed.failed_calls


@every_protocol
async def test_a_run_counts_each_request_that_the_server_received(protocol: str) -> None:
    faults = [Fault.error(529), None, Fault.malformed(), None, Fault.error(404)]

    async def three_times(_: str) -> str:
        for _number in range(3):
            await ask(model, ASK)
        return "never"

    reply = Reply(text="hi", usage=TOKENS)
    async with LoopbackProvider(lambda _: reply, faults=faults) as server:
        model = model_at(server, protocol, tries=3)
        async with budget(tokens=10**9, usd=1e9) as allowance:
            with pytest.raises(RequestError):
                await step(three_times).run("go")
        spent = allowance.spent
        assert (spent.model_calls, spent.failed_calls) == (2, 3)
        assert len(server.requests) == 5
        assert spent.tokens - spent.estimated_tokens == 2 * TOKENS.tokens
        assert spent.estimated_tokens >= PROMPT / 4  # of the one that could not be read
        assert spent.usd == pytest.approx(spent.tokens)


@every_protocol
async def test_a_call_that_is_cancelled_counts(protocol: str) -> None:
    received = anyio.Event()

    def hang(_: object) -> Fault:
        received.set()
        return Fault.slow()

    async with LoopbackProvider(lambda _: "late", faults=hang) as server:
        model = model_at(server, protocol)
        async with budget(tokens=10**9) as allowance:
            with anyio.fail_after(60):
                async with anyio.create_task_group() as group:
                    group.start_soon(ask, model, ASK)
                    await received.wait()
                    group.cancel_scope.cancel()
        assert allowance.remaining == {"tokens": 10**9 - PROMPT / 4}
    spent = allowance.spent
    assert (spent.model_calls, spent.failed_calls) == (0, 1)
    assert spent.input_tokens == spent.estimated_tokens == PROMPT / 4
    assert spent.usd == pytest.approx(PROMPT / 4)


async def test_what_was_never_sent_costs_nothing() -> None:
    async with LoopbackProvider(lambda _: "hi") as server:
        model = model_at(server, "chat", tries=3)
    async with budget(tokens=10**9) as allowance:  # nothing listens there any more
        with pytest.raises(OverloadedError) as caught:
            await ask(model, ASK)
    assert usage_of(caught.value) == allowance.spent == Usage()


async def test_an_error_is_counted_once_however_many_calls_it_leaves() -> None:
    class Outer:
        name, provider = "outer", "test"

        async def reply(self, request: Request, on_text: OnText | None = None) -> Reply:
            del on_text
            return await ask(inner, request)

    async with LoopbackProvider(lambda _: "hi", faults=Fault.error(503)) as server:
        inner = model_at(server, "chat")
        async with budget(tokens=10**9) as allowance:
            with pytest.raises(ModelError):
                await ask(Outer(), ASK)
    assert allowance.spent == Usage(failed_calls=1)


async def test_the_report_of_a_run_that_reached_nothing_has_its_usage() -> None:
    async with LoopbackProvider(lambda _: "hi", faults=Fault.error(503)) as server:
        with pytest.raises(ModelError) as caught:
            await CodeGenerator(model_at(server, "chat", tries=2)).run(TASK)
    report = report_of(caught.value)
    assert report is not None
    assert (report.attempts, report.usage) == (0, Usage(failed_calls=2))
