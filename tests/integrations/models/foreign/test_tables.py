"""Models of other libraries have the prices of planish's table, and count failed calls."""

from dataclasses import replace
from typing import Any

import anyio
import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.usage import RequestUsage

from planish import budget
from planish.abc import Model
from planish.data import Message, Reply, Request, Usage
from planish.data.usage import Price, usage_of
from planish.effects import ask
from planish.errors import OverloadedError, RateLimitError
from planish_integrations.callables import as_model
from planish_integrations.langchain import LangChainModel
from planish_integrations.models.foreign.tables import find_price
from planish_integrations.models.transport import PRICES
from planish_integrations.pydantic_ai import PydanticAIAgent, PydanticAIModel

ASK = Request(messages=(Message("user", "x" * 4_000),))
PROMPT = Usage(input_tokens=1_000, estimated_tokens=1_000, failed_calls=1)
NAME = "claude-sonnet-5-5"
PRICE = PRICES["anthropic"][NAME]
COST = PRICE.cost(
    Usage(input_tokens=9_000, cached_tokens=2_000, cache_write_tokens=1_000, output_tokens=500)
)


class Chat(BaseChatModel):
    """A chat model that reports its usage, as LangChain's models of Anthropic do."""

    model_name: str = NAME

    @property
    def _llm_type(self) -> str:
        return "test"

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        del messages
        usage: Any = {
            "input_tokens": 9_000,
            "output_tokens": 500,
            "total_tokens": 9_500,
            "input_token_details": {"cache_read": 2_000, "cache_creation": 1_000},
        }
        message = AIMessage("hi", usage_metadata=usage)
        return ChatResult(generations=[ChatGeneration(message=message)])


class Claude(FunctionModel):
    """A model of pydantic-ai that says it is Anthropic's."""

    @property
    def system(self) -> str:
        return "anthropic"


async def replies(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    del messages, info
    usage = RequestUsage(
        input_tokens=9_000, output_tokens=500, cache_read_tokens=2_000, cache_write_tokens=1_000
    )
    return ModelResponse(parts=[TextPart("hi")], usage=usage)


def claude() -> FunctionModel:
    return Claude(replies, model_name=NAME)


MODELS: dict[str, Any] = {
    "langchain": lambda: LangChainModel(Chat(), provider="anthropic"),
    "pydantic-ai": lambda: PydanticAIModel(claude()),
    "agent": lambda: PydanticAIAgent(Agent(claude())),
}


@pytest.mark.anyio
@pytest.mark.parametrize("anyio_backend", ["asyncio"])
@pytest.mark.parametrize("kind", MODELS)
async def test_a_model_of_another_library_costs_what_the_table_says(
    kind: str, anyio_backend: str
) -> None:
    del anyio_backend
    model: Model = MODELS[kind]()
    async with budget(usd=1.0) as allowance:
        reply = await ask(model, ASK)
    assert COST > 0
    assert reply.usage.usd == allowance.spent.usd == pytest.approx(COST)


@pytest.mark.parametrize(
    ("provider", "name", "known"),
    [
        ("openai", "gpt-6.1-terra", True),
        ("openai-responses", "gpt-6.1-terra-2026-05-01", True),
        ("google-gla", "gemini-3.8-flash", True),
        ("google_genai", "models/gemini-3.8-flash", True),
        ("mistralai", "codestral-latest", True),
        ("xai", "grok-4.5", True),
        ("openai", "gpt-6.1-terra-pro", False),
        ("nobody", "gpt-6.1-terra", False),
    ],
)
def test_a_price_is_found_by_the_names_of_other_libraries(
    provider: str, name: str, *, known: bool
) -> None:
    assert (find_price(provider, name) is not None) == known


@pytest.mark.anyio
async def test_a_callable_that_is_cancelled_has_used_its_prompt() -> None:
    started = anyio.Event()

    async def hang(prompt: str) -> str:
        started.set()
        await anyio.sleep_forever()
        return prompt

    model = as_model(hang, price=Price(input=1e6, output=1e6))
    async with budget(usd=1e9) as allowance, anyio.create_task_group() as group:
        group.start_soon(ask, model, ASK)
        await started.wait()
        group.cancel_scope.cancel()
    assert allowance.spent == replace(PROMPT, usd=1_000.0)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("error", "used"),
    [
        (OverloadedError("reset"), PROMPT),
        (OverloadedError("busy", status=503), Usage(failed_calls=1)),
        (RateLimitError("slow down"), Usage(failed_calls=1)),
        (ConnectionResetError("reset"), PROMPT),
        (ZeroDivisionError("a bug"), Usage()),
    ],
)
async def test_a_callable_that_fails_has_used_what_a_provider_charges_for(
    error: Exception, used: Usage
) -> None:
    async def fail(prompt: str) -> Reply:
        del prompt
        raise error

    async with budget(tokens=10**6) as allowance:
        with pytest.raises(Exception, match=str(error)) as caught:
            await ask(as_model(fail), ASK)
    assert usage_of(caught.value) == allowance.spent == used
