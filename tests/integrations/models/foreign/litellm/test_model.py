"""LiteLLM as a model of ours: the real library, against a real server on loopback."""

import subprocess
import sys
from typing import Any

import anyio
import pytest

from planish import budget
from planish.data.message import Message, Reply, Request
from planish.data.usage import Price, Usage
from planish.effects import ask
from planish.errors import (
    AuthenticationError,
    OverloadedError,
    RateLimitError,
    RequestError,
    UnsupportedError,
)
from planish.testing import check_model
from planish_integrations.litellm import LiteLLMModel
from planish_integrations.testing import Fault, LoopbackProvider, ReceivedRequest

pytestmark = [
    pytest.mark.anyio,
    # Its own, of its own models and of what it stands on.
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]
CANARY = "sk-canary-0123456789abcdef"
ASK = Request(messages=(Message("system", "Be brief."), Message("user", "Say pong.")), max_tokens=9)


def _model(server: LoopbackProvider, name: str = "openai/gpt-4o-mini") -> LiteLLMModel:
    options = {"api_base": server.url("openai"), "api_key": CANARY, "num_retries": 0}
    return LiteLLMModel(name, options=options | {"max_retries": 0})


def _echo(received: ReceivedRequest) -> str:
    return str(received.json["messages"][-1]["content"]).rpartition(" ")[2]


async def test_it_keeps_the_contract_of_a_model(library: Any) -> None:
    async with LoopbackProvider(_echo) as server:
        model = _model(server)
        await model.reply(ASK)  # it builds its tables on first use
        assert len(await check_model(model)) == 8
    assert (model.name, model.provider) == ("openai/gpt-4o-mini", "openai")
    assert CANARY not in repr(model)


@pytest.mark.parametrize("streamed", [False, True])
async def test_a_reply_arrives_as_it_was_scripted(library: Any, *, streamed: bool) -> None:
    usage = Usage(input_tokens=1_000, output_tokens=500, cached_tokens=200, reasoning_tokens=3)
    reply = Reply(text="pöng", finish_reason="length", usage=usage, id="r-1", model="gpt-4o-mini")
    pieces: list[str] = []
    async with LoopbackProvider([reply]) as server:
        got = await _model(server).reply(ASK, pieces.append if streamed else None)
    assert (got.text, got.finish_reason, got.usage.model_calls) == ("pöng", "length", 1)
    assert got.provider_finish_reason == "length"
    assert (got.usage.input_tokens, got.usage.output_tokens) == (1_000, 500)
    assert (got.usage.cached_tokens, got.usage.reasoning_tokens) == (200, 3)
    assert 0.0001 < got.usage.usd < 0.01  # gpt-4o-mini costs cents per million tokens
    assert "".join(pieces) == ("pöng" if streamed else "")
    sent = server.requests[0].json
    assert sent["messages"][0] == {"role": "system", "content": "Be brief."}
    assert 9 in (sent.get("max_tokens"), sent.get("max_completion_tokens"))


async def test_a_model_without_a_price_costs_nothing(library: Any) -> None:
    async with LoopbackProvider("pong") as server:
        reply = await _model(server, "openai/nobody-knows-this").reply(ASK)
    assert (reply.usage.usd, reply.text) == (0.0, "pong")


async def test_its_price_is_that_of_the_table(library: Any) -> None:
    async with LoopbackProvider("pong") as server:
        known, unknown = _model(server), _model(server, "openai/nobody-knows-this")
        assert isinstance(known.price, Price)
        assert 0 < known.price.input < known.price.output
        async with budget(usd=1.0) as allowance:
            with pytest.raises(UnsupportedError, match="price="):
                await ask(unknown, ASK)
            await ask(known, ASK)
    assert allowance.spent.usd > 0
    assert LiteLLMModel("openai/nobody-knows-this", price="reported").price == "reported"
    assert LiteLLMModel("group", router=library.Router(model_list=[])).price is None


async def test_a_router_is_a_model(library: Any) -> None:
    async with LoopbackProvider("pong") as server:
        parameters = {
            "model": "openai/gpt-4o-mini",
            "api_base": server.url("openai"),
            "api_key": CANARY,
        }
        router = library.Router([{"model_name": "cheap", "litellm_params": parameters}])
        model = LiteLLMModel("cheap", router=router)
        pieces: list[str] = []
        assert (await model.reply(ASK)).text == "pong"
        assert (await model.reply(ASK, pieces.append)).text == "".join(pieces) == "pong"
        router.reset()
    assert (model.name, model.provider) == ("cheap", "litellm")


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        (Fault.error(401, f"wrong key {CANARY}"), AuthenticationError),
        (Fault.error(404), RequestError),
        (Fault.error(400), RequestError),
        (Fault.rate_limit(7), RateLimitError),
        (Fault.error(503), OverloadedError),
        (Fault.dropped(), OverloadedError),
    ],
)
async def test_errors_take_their_roads(
    library: Any, fault: Fault, expected: type[Exception], *, streamed: bool
) -> None:
    async with LoopbackProvider("pong", faults=fault) as server:
        with pytest.raises(expected) as caught:
            await _model(server).reply(ASK, (lambda _: None) if streamed else None)
    assert type(caught.value) is expected
    assert len(server.requests) == 1
    assert CANARY not in str(caught.value)
    if isinstance(caught.value, RateLimitError):
        assert caught.value.retry_after == 7.0


async def test_cancelled_it_ends(library: Any) -> None:
    async with LoopbackProvider("pong", faults=Fault.slow()) as server:
        with anyio.move_on_after(0.5) as scope:
            await _model(server).reply(ASK)
    assert scope.cancelled_caught


def test_on_trio_it_is_refused_at_once() -> None:
    pytest.importorskip("litellm", reason="litellm is not installed")
    with pytest.raises(UnsupportedError, match="asyncio only"):
        anyio.run(LiteLLMModel("openai/m").reply, ASK, backend="trio")


def test_what_planish_sets_is_not_an_option() -> None:
    with pytest.raises(ValueError, match="stream"):
        LiteLLMModel("openai/m", options={"stream": True})


def test_its_absence_is_said() -> None:
    program = """
import sys
import planish_integrations.litellm as ours
assert "litellm" not in sys.modules
sys.modules["litellm"] = None
try:
    ours.LiteLLMModel("openai/m")
except Exception as error:
    print(type(error).__name__, error)
"""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("UnsupportedError")
    assert "install planish with its extra litellm" in done.stdout
