"""Errors of other libraries' models show no key, in no place, and keep a traceback for the user."""

import logging
import pickle
import traceback
from collections.abc import Callable, Iterator, Mapping
from secrets import token_hex
from types import TracebackType
from typing import Any
from urllib.parse import quote, unquote

import anyio
import httpx
import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage
from langchain_core.outputs import ChatResult
from pydantic import SecretStr
from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.models.function import FunctionModel
from tests.integrations.models.openai.loopback import Answer, Loopback, Received

from planish import PlanishError
from planish.abc import Model
from planish.data.message import Message, Request
from planish.errors import AuthenticationError, OverloadedError, RequestError
from planish_integrations.callables import as_model
from planish_integrations.langchain import LangChainModel
from planish_integrations.pydantic_ai import PydanticAIModel

REQUEST = Request(messages=(Message("user", "Say ping."),))
STATUSES: Mapping[int, type[PlanishError]] = {
    401: AuthenticationError,
    400: RequestError,
    503: OverloadedError,
}


@pytest.fixture
def server() -> Iterator[Loopback]:
    with Loopback() as loopback:
        yield loopback


class Client:
    """What another library sends requests with; it puts what it received into its errors."""

    def __init__(self, url: str, key: str) -> None:
        self.url = url
        self.api_key = key

    async def send(self) -> str:
        headers = {"authorization": f"Bearer {self.api_key}"}
        async with httpx.AsyncClient(trust_env=False, headers=headers) as http:
            response = await http.post(f"{self.url}?key={quote(self.api_key)}", content=b"{}")
            try:
                response.raise_for_status()
            except httpx.HTTPStatusError as error:
                note = f"the server said {response.text} to {headers}"
                error.add_note(note)
                raise httpx.HTTPStatusError(
                    note, request=error.request, response=error.response
                ) from error
        return response.text


class Chat(BaseChatModel):
    """A chat model whose key is hidden as LangChain's documentation says."""

    url: str
    key: SecretStr

    @property
    def _llm_type(self) -> str:
        return "chat"

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        del messages
        raise AssertionError("the asynchronous one is to be asked")

    async def _agenerate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        del messages
        await Client(self.url, self.key.get_secret_value()).send()
        raise AssertionError("the server answers with errors")


class Function(FunctionModel):
    """A model of pydantic-ai that holds its client."""

    def __init__(self, client: Client) -> None:
        super().__init__(self.call)
        self.client = client

    async def call(self, *_: Any) -> Any:
        try:
            await self.client.send()
        except httpx.HTTPStatusError as error:
            body = {"error": error.response.text}
            raise ModelHTTPError(error.response.status_code, "m", body) from error


def callable_model(client: Client) -> Model:
    async def call(prompt: str) -> str:
        del prompt
        return await client.send()

    return as_model(call)


def deaf_model(client: Client) -> Model:
    """One whose library raises planish's own error, with what was sent."""

    async def call(prompt: str) -> str:
        del prompt
        try:
            return await client.send()
        except httpx.HTTPStatusError as error:
            raise STATUSES[error.response.status_code](str(error)) from error

    return as_model(call)


MODELS: Mapping[str, Callable[[Client], Model]] = {
    "langchain": lambda client: LangChainModel(Chat(url=client.url, key=SecretStr(client.api_key))),
    "pydantic_ai": lambda client: PydanticAIModel(Function(client)),
    "callable": callable_model,
    "planish's own error": deaf_model,
}


def quoting(status: int) -> Callable[[Received], Answer]:
    def answer(received: Received) -> Answer:
        key = received.headers["authorization"]
        forms = (key, key.lower(), quote(key, safe=""), repr(key), received.path, "x" * 900 + key)
        body = " | ".join(forms).encode()
        return Answer(body, status=status, headers={"x-request-id": key, "content-type": "text"})

    return answer


def shown(error: BaseException | None) -> Iterator[str]:
    """All that a log of an error could hold: its chain, its notes, the variables of its frames."""
    while error is not None:
        yield f"{error} {error!r} {vars(error)!r} {getattr(error, '__notes__', [])}"
        yield from traceback.format_exception(error)
        yield from variables(error.__traceback__)
        if error.__context__ is not error.__cause__:
            yield from shown(error.__context__)
        error = error.__cause__


def variables(trace: TracebackType | None) -> Iterator[str]:
    while trace is not None:
        frame, trace = trace.tb_frame, trace.tb_next
        if frame.f_code.co_filename != __file__:  # this test's own variables hold the key
            yield from map(repr, frame.f_locals.values())


@pytest.mark.anyio
@pytest.mark.parametrize("anyio_backend", ["asyncio"])
@pytest.mark.parametrize("status", STATUSES)
@pytest.mark.parametrize("library", MODELS)
@pytest.mark.parametrize("place", ["model", "environment"])
async def test_no_key_is_shown(
    library: str,
    status: int,
    place: str,
    server: Loopback,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    key = f"{token_hex(4)}-CANARY/key+0123=789"
    if place == "environment":
        monkeypatch.setenv("SOME_LIBRARY_API_KEY", key)
    caplog.set_level(logging.CRITICAL)
    server.otherwise = quoting(status)
    model = MODELS[library](Client(server.url, key))
    with pytest.raises(STATUSES[status]) as caught:
        await model.reply(REQUEST)
    for text in (*shown(caught.value), repr(model), repr(pickle.dumps(str(caught.value)))):
        plain = unquote(unquote(text)).lower()
        start = plain.find("canar")
        assert start < 0, plain[max(0, start - 80) : start + 80]
    note = caught.value.__notes__[-1]
    assert "in send" in note
    assert "HTTPStatusError" in note
    assert "Bearer ***" in note or "***" in note
    if library != "planish's own error":
        assert vars(caught.value)["status"] == status


@pytest.mark.anyio
@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_a_bug_and_a_cancellation_are_raised_as_they_are() -> None:
    bug = KeyError("a bug")

    async def broken(prompt: str) -> str:
        raise bug

    with pytest.raises(KeyError) as caught:
        await as_model(broken).reply(REQUEST)
    assert caught.value is bug

    async def slow(prompt: str) -> str:
        await anyio.sleep_forever()
        return prompt

    with anyio.move_on_after(0.01) as scope:
        await as_model(slow).reply(REQUEST)
    assert scope.cancelled_caught
