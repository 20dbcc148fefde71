"""LangChain's chat models as models of ours: the real library, its own test models."""

# ruff: noqa: ARG002  # LangChain's hooks have the arguments they have

import sys
from collections.abc import AsyncIterator, Iterator
from typing import Any

import anyio
import httpx
import pytest
from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    HumanMessage,
    SystemMessage,
)
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import RunnableLambda

from planish.data.message import Message, Request
from planish.data.usage import FREE
from planish.errors import (
    AuthenticationError,
    ModelError,
    OverloadedError,
    RateLimitError,
    UnsupportedError,
)
from planish.testing import check_model
from planish_integrations.langchain import LangChainModel

pytestmark = pytest.mark.anyio
ASK = Request(
    messages=(
        Message("system", "Be brief."),
        Message("user", "Say ping."),
        Message("assistant", "ping"),
        Message("user", "Say pong."),
    ),
    temperature=0.5,
    stop=("END",),
)
USAGE: Any = {
    "input_tokens": 9,
    "output_tokens": 5,
    "total_tokens": 14,
    "input_token_details": {"cache_read": 2},
    "output_token_details": {"reasoning": 3},
}


class Echo(BaseChatModel):
    """A chat model written as LangChain's documentation says, whole and streaming."""

    model_name: str = "echo-1"
    error: Any = None
    seen: list[Any] = []  # noqa: RUF012  # pydantic copies it

    @property
    def _llm_type(self) -> str:
        return "echo"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        raise AssertionError("the asynchronous one is to be asked")

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        await anyio.sleep(0.06)
        self.seen.append((messages, stop, kwargs))
        if self.error is not None:
            raise self.error
        message = AIMessage(
            content=[
                {"type": "reasoning", "reasoning": "Hm."},
                {"type": "text", "text": _last_word(messages)},
            ],
            usage_metadata=USAGE,
            response_metadata={"finish_reason": "length", "model_name": "echo-2026", "id": "r-1"},
        )
        return ChatResult(generations=[ChatGeneration(message=message)])

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        self.seen.append((messages, stop, kwargs))
        for letter in _last_word(messages):
            await anyio.sleep(0.02)
            yield ChatGenerationChunk(message=AIMessageChunk(content=letter))
        if self.error is not None:
            raise self.error
        last = AIMessageChunk(
            content="",
            usage_metadata=USAGE,
            response_metadata={"finish_reason": "length", "model_name": "echo-2026"},
        )
        yield ChatGenerationChunk(message=last)


class Whole(Echo):
    """One that cannot stream."""

    _astream = BaseChatModel._astream


def _last_word(messages: list[BaseMessage]) -> str:
    return str(messages[-1].text).split()[-1]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(autouse=True)
def untraced(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nothing is sent to a tracing service, whatever this machine's environment says."""
    for name in ("LANGSMITH_TRACING", "LANGCHAIN_TRACING_V2"):
        monkeypatch.setenv(name, "false")
    return iter(())


def test_its_price_is_what_is_given() -> None:
    chat: RunnableLambda[Any, BaseMessage] = RunnableLambda(lambda _: AIMessage("ok"))
    assert LangChainModel(chat).price is None
    assert LangChainModel(chat, price=FREE).price == FREE


async def test_it_keeps_the_contract_of_a_model() -> None:
    model = LangChainModel(Echo())
    assert len(await check_model(model)) == 8
    assert model.name == "echo-1"
    assert LangChainModel(Echo(), name="a", provider="b").provider == "b"


async def test_a_model_that_cannot_stream_keeps_it_too() -> None:
    assert len(await check_model(LangChainModel(Whole()))) == 8


@pytest.mark.parametrize("streamed", [False, True])
async def test_all_of_a_message_is_in_the_reply(*, streamed: bool) -> None:
    pieces: list[str] = []
    reply = await LangChainModel(Echo()).reply(ASK, pieces.append if streamed else None)
    usage = reply.usage
    assert (reply.text, reply.finish_reason, reply.model) == ("pong.", "length", "echo-2026")
    assert (usage.input_tokens, usage.output_tokens, usage.model_calls) == (9, 5, 1)
    assert (usage.cached_tokens, usage.reasoning_tokens) == (2, 3)
    if streamed:
        assert pieces == list("pong.")
    else:
        assert (reply.reasoning, reply.id) == ("Hm.", "r-1")


async def test_the_request_arrives_as_it_is() -> None:
    model = Echo()
    await LangChainModel(model).reply(ASK)
    [(messages, stop, kwargs)] = model.seen
    assert [type(message) for message in messages] == [
        SystemMessage,
        HumanMessage,
        AIMessage,
        HumanMessage,
    ]
    assert (messages[0].content, stop, kwargs) == ("Be brief.", ["END"], {"temperature": 0.5})


async def test_a_runnable_of_messages_is_a_model_too() -> None:
    busy = Echo(error=RuntimeError("busy"))
    model = LangChainModel(busy.with_fallbacks([Echo()]), name="either")
    assert (await model.reply(ASK)).text == "pong."
    bound = LangChainModel(Echo().bind(top_p=0.1))
    assert bound.name == "echo-1"
    assert (await bound.reply(ASK)).text == "pong."


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize(
    ("status", "expected"),
    [(401, AuthenticationError), (429, RateLimitError), (503, OverloadedError)],
)
async def test_errors_take_their_roads(
    status: int, expected: type[Exception], *, streamed: bool
) -> None:
    request = httpx.Request("POST", "http://127.0.0.1:9")
    response = httpx.Response(status, request=request, headers={"retry-after": "3"})
    error = httpx.HTTPStatusError("no", request=request, response=response)
    model = LangChainModel(Echo(error=error))
    with pytest.raises(expected) as caught:
        await model.reply(ASK, (lambda _: None) if streamed else None)
    assert getattr(caught.value, "retry_after", 3.0) == 3.0


async def test_a_bug_in_the_model_is_left_as_it_is() -> None:
    with pytest.raises(KeyError):
        await LangChainModel(Echo(error=KeyError("x"))).reply(ASK)


async def test_what_is_no_message_is_nonsense() -> None:
    async def text(messages: Any, **kwargs: Any) -> Any:
        return "text"

    with pytest.raises(ModelError, match="not an AIMessage"):
        await LangChainModel(RunnableLambda(text)).reply(ASK)


def test_on_trio_it_is_refused_at_once() -> None:
    model = Echo()
    with pytest.raises(UnsupportedError, match="asyncio only"):
        anyio.run(LangChainModel(model).reply, ASK, backend="trio")
    assert model.seen == []


async def test_its_absence_is_said() -> None:
    program = """
import sys
import planish_integrations.langchain as ours
assert "langchain_core" not in sys.modules
sys.modules["langchain_core"] = None
for make in (ours.LangChainModel, ours.as_runnable):
    try:
        make(object())
    except Exception as error:
        print(type(error).__name__, error)
"""
    done = await anyio.run_process([sys.executable, "-W", "error", "-c", program])
    said = done.stdout.decode()
    assert said.count("UnsupportedError") == said.count("with its extra langchain") == 2
