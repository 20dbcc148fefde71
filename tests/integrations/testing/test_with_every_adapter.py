"""Every adapter against the loopback provider: each side is a check of the other."""

from collections.abc import Callable

import pytest

from planish.abc import Model
from planish.data.message import FinishReason, Message, Reply, Request
from planish.data.usage import Usage
from planish.errors import ModelError, OverloadedError, RateLimitError
from planish.testing import check_model
from planish_integrations.anthropic import AnthropicModel
from planish_integrations.gemini import GeminiModel
from planish_integrations.models.transport import Backoff
from planish_integrations.ollama import OllamaModel
from planish_integrations.openai import OpenAIModel, OpenAIResponsesModel
from planish_integrations.testing import (
    Fault,
    LoopbackProvider,
    ProtocolName,
    ReceivedRequest,
    RetryForm,
)

pytestmark = pytest.mark.anyio
ASK = Request(messages=(Message("system", "Be brief."), Message("user", "Say pong.")))
KEY = "sk-canary-0123456789abcdef"
USAGE = Usage(input_tokens=70, output_tokens=30, cached_tokens=8, reasoning_tokens=9, model_calls=1)
Make = Callable[[LoopbackProvider], Model]
ONCE = Backoff(tries=1)

ADAPTERS: dict[ProtocolName, Make] = {
    "openai": lambda s: OpenAIModel("m", base_url=s.url("openai"), api_key=KEY, backoff=ONCE),
    "responses": lambda s: OpenAIResponsesModel(
        "m", base_url=s.url("responses"), api_key=KEY, backoff=ONCE
    ),
    "anthropic": lambda s: AnthropicModel(
        "m", base_url=s.url("anthropic"), api_key=KEY, backoff=ONCE
    ),
    "gemini": lambda s: GeminiModel("m", base_url=s.url("gemini"), api_key=KEY, backoff=ONCE),
    "ollama": lambda s: OllamaModel("m", base_url=s.url("ollama"), backoff=ONCE),
}
# Ollama filters nothing, and RetryInfo is Google's.
REASONS: tuple[FinishReason, ...] = ("stop", "length", "content_filter")
FINISHES = [(protocol, reason) for protocol in ADAPTERS for reason in REASONS]
FINISHES.remove(("ollama", "content_filter"))
SAID: tuple[RetryForm, ...] = ("seconds", "date", "milliseconds", "words")
FORMS = [("gemini", "retry_info"), *((protocol, form) for protocol in ADAPTERS for form in SAID)]
EACH = pytest.mark.parametrize("protocol", ADAPTERS)


def _echo(received: ReceivedRequest) -> str:
    return next(w for w in ("anvil", "burin", "creel", "dowel", "ok") if w in received.text)


@EACH
async def test_it_keeps_the_contract_of_a_model(protocol: ProtocolName) -> None:
    async with LoopbackProvider(_echo) as server:
        assert len(await check_model(ADAPTERS[protocol](server))) == 8
    assert {received.protocol for received in server.requests} == {protocol}


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize(("protocol", "finish"), FINISHES)
async def test_a_reply_arrives_as_it_was_scripted(
    protocol: ProtocolName, finish: FinishReason, *, streamed: bool
) -> None:
    text, thought = "pöng, 漢字 and so on, in pieces", "Hm, let me see what that is."
    reply = Reply(text=text, reasoning=thought, finish_reason=finish, usage=USAGE, id="r-1")
    pieces: list[str] = []
    async with LoopbackProvider([reply], cuts=5) as server:
        got = await ADAPTERS[protocol](server).reply(ASK, pieces.append if streamed else None)
    assert (got.text, got.reasoning, got.finish_reason) == (text, thought, finish)
    assert (got.usage.input_tokens, got.usage.output_tokens, got.usage.model_calls) == (70, 30, 1)
    if protocol != "ollama":  # which tells neither of these
        assert (got.usage.cached_tokens, got.id) == (8, "r-1")
    assert "".join(pieces) == (text if streamed else "")


@pytest.mark.parametrize(("protocol", "form"), FORMS)
async def test_a_rate_limit_says_how_long(protocol: ProtocolName, form: RetryForm) -> None:
    async with LoopbackProvider("pong", faults=Fault.rate_limit(7, form=form)) as server:
        with pytest.raises(RateLimitError) as caught:
            await ADAPTERS[protocol](server).reply(ASK)
    assert caught.value.retry_after == 7.0
    assert KEY not in str(caught.value)


@pytest.mark.parametrize(
    "fault",
    [Fault.dropped(), Fault.reset(), Fault.closed(), Fault.truncated(), Fault.error_event(529)],
    ids=repr,
)
@EACH
async def test_a_stream_that_breaks_is_overload(protocol: ProtocolName, fault: Fault) -> None:
    # Of its own errors Ollama says neither status nor kind: only that there is one is known.
    vague = protocol == "ollama" and fault.kind == "error_event"
    async with LoopbackProvider("pong, and pong again", faults=fault) as server:
        with pytest.raises(ModelError if vague else OverloadedError):
            await ADAPTERS[protocol](server).reply(ASK, lambda _: None)


@EACH
async def test_an_early_end_is_seen(protocol: ProtocolName) -> None:
    text = "pong, and pong again, and again"
    async with LoopbackProvider(text, faults=Fault.ended(300)) as server:
        with pytest.raises(OverloadedError):
            await ADAPTERS[protocol](server).reply(ASK, lambda _: None)
