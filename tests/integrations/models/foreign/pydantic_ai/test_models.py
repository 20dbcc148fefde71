"""pydantic-ai's models and agents as models of ours: the real library, its own test models."""

import subprocess
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import anyio
import pytest
from pydantic_ai import Agent
from pydantic_ai.exceptions import ModelAPIError, ModelHTTPError, UnexpectedModelBehavior
from pydantic_ai.messages import (
    ModelMessage,
    ModelResponse,
    TextPart,
    ThinkingPart,
    ToolCallPart,
)
from pydantic_ai.models.fallback import FallbackModel
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.test import TestModel
from pydantic_ai.usage import RequestUsage

from planish.data.message import Message, Request
from planish.data.usage import FREE, Price
from planish.errors import (
    AuthenticationError,
    LimitError,
    ModelError,
    OverloadedError,
    RateLimitError,
    RequestError,
    UnsupportedError,
)
from planish.testing import check_model
from planish_integrations.pydantic_ai import PydanticAIAgent, PydanticAIModel

pytestmark = pytest.mark.anyio
ASK = Request(
    messages=(
        Message("system", "Be brief."),
        Message("user", "Say ping."),
        Message("assistant", "ping"),
        Message("user", "Say pong."),
    ),
    temperature=0.5,
    max_tokens=9,
    seed=3,
    stop=("END",),
)


def last_word(messages: list[ModelMessage]) -> str:
    return str(vars(messages[-1].parts[-1])["content"]).split()[-1]


async def answers(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    del info
    await anyio.sleep(0.06)
    parts: list[ThinkingPart | TextPart] = [ThinkingPart("Hm."), TextPart(last_word(messages))]
    usage = RequestUsage(input_tokens=9, output_tokens=5, cache_read_tokens=2)
    return ModelResponse(parts=parts, usage=usage, finish_reason="length")


async def streams(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
    del info
    for letter in last_word(messages):
        await anyio.sleep(0.01)
        yield letter


def function_model() -> FunctionModel:
    return FunctionModel(answers, stream_function=streams, model_name="m-1")


async def test_a_model_keeps_the_contract() -> None:
    model = PydanticAIModel(function_model())
    assert len(await check_model(model)) == 8
    assert (model.name, model.provider) == ("m-1", "function")


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_an_agent_keeps_the_contract(anyio_backend: str) -> None:
    agent = Agent(function_model(), name="coder")
    model = PydanticAIAgent(agent)
    assert len(await check_model(model)) == 8
    assert (model.name, model.provider) == ("coder", "pydantic_ai")


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_a_price_is_that_of_its_model(anyio_backend: str) -> None:
    price = Price(input=1000.0, output=1000.0)
    assert PydanticAIModel(function_model(), price=price).price == price
    agent = Agent(function_model())
    assert PydanticAIAgent(agent).price is None
    assert PydanticAIAgent(agent, price=FREE).price == FREE
    # How many requests a run takes is not known before it.
    model = PydanticAIAgent(agent, price=price)
    assert model.price == "reported"
    reply = await model.reply(ASK)
    assert reply.usage.usd == pytest.approx(reply.usage.tokens / 1000)
    assert reply.usage.usd > 0


async def test_all_of_a_response_is_in_the_reply() -> None:
    reply = await PydanticAIModel(function_model()).reply(ASK)
    assert (reply.text, reply.reasoning, reply.finish_reason) == ("pong.", "Hm.", "length")
    usage = reply.usage
    assert (usage.input_tokens, usage.output_tokens, usage.cached_tokens) == (9, 5, 2)
    assert (usage.model_calls, reply.model) == (1, "m-1")


async def test_the_request_arrives_as_it_is() -> None:
    seen: list[tuple[list[ModelMessage], Any]] = []

    def look(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        seen.append((messages, info.model_settings))
        return ModelResponse(parts=[TextPart("ok")])

    await PydanticAIModel(FunctionModel(look)).reply(ASK)
    [(messages, settings)] = seen
    parts = [part for message in messages for part in message.parts]
    assert [part.part_kind for part in parts] == [
        "system-prompt",
        "user-prompt",
        "text",
        "user-prompt",
    ]
    wanted = {"temperature": 0.5, "max_tokens": 9, "seed": 3, "stop_sequences": ["END"]}
    assert dict(settings) == wanted


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_an_agents_request_has_its_history_and_instructions(anyio_backend: str) -> None:
    seen: list[list[ModelMessage]] = []

    def look(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        del info
        seen.append(messages)
        return ModelResponse(parts=[TextPart("ok")])

    agent = Agent(FunctionModel(look), instructions="I am the agent.")
    await PydanticAIAgent(agent).reply(ASK)
    [messages] = seen
    contents = [vars(part)["content"] for message in messages for part in message.parts]
    assert contents == ["Say ping.", "ping", "Say pong."]
    instructions = str(vars(messages[-1])["instructions"])
    assert "I am the agent." in instructions
    assert "Be brief." in instructions


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_an_agents_tools_run_and_its_usage_is_of_all_its_requests(
    anyio_backend: str,
) -> None:
    def calls(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        del info
        usage = RequestUsage(input_tokens=10, output_tokens=1)
        if len(messages) == 1:
            return ModelResponse(parts=[ToolCallPart("double", {"x": 21})], usage=usage)
        return ModelResponse(parts=[TextPart(last_word(messages))], usage=usage)

    agent = Agent(FunctionModel(calls))

    @agent.tool_plain
    def double(x: int) -> str:
        return str(2 * x)

    reply = await PydanticAIAgent(agent).reply(Request(messages=ASK.messages[-1:]))
    assert (reply.text, double(1)) == ("42", "2")
    assert (reply.usage.input_tokens, reply.usage.model_calls) == (20, 1)


@dataclass
class Pair:
    left: int
    right: int


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_an_output_that_is_no_text_comes_as_json(anyio_backend: str) -> None:
    agent = Agent(TestModel(custom_output_args={"left": 1, "right": 2}), output_type=Pair)
    pieces: list[str] = []
    reply = await PydanticAIAgent(agent).reply(ASK, pieces.append)
    assert reply.text == "".join(pieces) == '{"left":1,"right":2}'


@pytest.mark.parametrize(
    ("raised", "expected"),
    [
        (ModelHTTPError(429, "m", retry_after=3.0), RateLimitError),
        (ModelHTTPError(401, "m"), AuthenticationError),
        (ModelHTTPError(404, "m"), RequestError),
        (ModelHTTPError(503, "m"), OverloadedError),
        (ModelAPIError("m", "what?"), ModelError),
        (UnexpectedModelBehavior("odd"), ModelError),
        (KeyError("a bug"), KeyError),
    ],
)
async def test_errors_take_their_roads(raised: Exception, expected: type[Exception]) -> None:
    def fails(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        raise raised

    with pytest.raises(expected) as caught:
        await PydanticAIModel(FunctionModel(fails)).reply(ASK)
    assert type(caught.value) is expected
    if isinstance(caught.value, RateLimitError):
        assert caught.value.retry_after == 3.0


async def test_of_a_fallback_that_failed_the_last_model_counts() -> None:
    def busy(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        raise ModelHTTPError(529, "m")

    model = FallbackModel(FunctionModel(busy), FunctionModel(busy))
    with pytest.raises(OverloadedError):
        await PydanticAIModel(model).reply(ASK)


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_an_agents_own_limit_is_a_limit(anyio_backend: str) -> None:
    def calls(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        del info
        return ModelResponse(parts=[ToolCallPart("again", {})])

    agent = Agent(FunctionModel(calls), tools=[again])
    with pytest.raises(LimitError):
        await PydanticAIAgent(agent).reply(ASK)


def again() -> str:
    """Never enough."""
    return "once more"


@pytest.mark.parametrize("anyio_backend", ["trio"])
async def test_on_trio_an_agent_is_refused_at_once(anyio_backend: str) -> None:
    with pytest.raises(UnsupportedError, match="asyncio only"):
        await PydanticAIAgent(Agent(function_model())).reply(ASK)


@pytest.mark.parametrize("name", ["nobody:nothing", "nothing"])
def test_a_model_nobody_knows_is_refused_at_construction(name: str) -> None:
    with pytest.raises(RequestError, match="nothing"):
        PydanticAIModel(name)


def test_it_is_loaded_only_when_used_and_its_absence_is_said() -> None:
    program = """
import sys
import planish_integrations.pydantic_ai as ours
assert "pydantic_ai" not in sys.modules
sys.modules["pydantic_ai"] = None
try:
    ours.PydanticAIModel("openai:gpt-5-mini")
except Exception as error:
    print(type(error).__name__, error)
"""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("UnsupportedError")
    assert "install planish with its extra pydantic-ai" in done.stdout
