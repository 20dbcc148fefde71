"""A key may be a function: tokens of Vertex AI and Azure expire within the hour."""

from collections.abc import Awaitable, Callable
from typing import Any, cast

import pytest
from tests.integrations.models.transport.protocols import LOOPBACK_NAMES, MODELS

from planish.data import Message, Request
from planish.errors import AuthenticationError, OverloadedError
from planish.testing.clock import FakeClock
from planish_integrations.models import model
from planish_integrations.models.transport import HeaderValue, Secret
from planish_integrations.testing import Fault, LoopbackProvider

pytestmark = pytest.mark.both_loops

ASK = Request(messages=(Message("user", "hello"),))


class Tokens:
    """Returns another token each time."""

    def __init__(self) -> None:
        self.count = 0

    async def __call__(self) -> str:
        self.count += 1
        return f"token-number-{self.count}"


@pytest.mark.anyio
@pytest.mark.parametrize("protocol", MODELS)
async def test_it_is_called_before_each_time_a_request_is_sent(protocol: str) -> None:
    tokens = Tokens()
    async with LoopbackProvider("hi", faults=[Fault.error(503), Fault.error(503)]) as server:
        url = server.url(LOOPBACK_NAMES[protocol])
        asked = MODELS[protocol]("m", base_url=url, api_key=tokens, clock=FakeClock())
        assert (await asked.reply(ASK)).resends == 2
        sent = ["".join(received.headers.values()) for received in server.requests]
    assert tokens.count == 3
    assert all(f"token-number-{n}" in values for n, values in enumerate(sent, 1))


@pytest.mark.anyio
async def test_a_header_may_be_a_function_or_a_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GATEWAY_KEY", "gateway-key-1")
    headers: dict[str, HeaderValue] = {
        "Authorization": Tokens(),
        "X-Key": Secret.from_environment("GATEWAY_KEY", prefix="Key "),
        "X-Team": "blue",
    }
    async with LoopbackProvider("hi") as server:
        asked = model("gemini:m", base_url=server.url("gemini"), api_key="", headers=headers)
        await asked.reply(ASK)
        (received,) = server.requests
    assert received.headers["authorization"] == "token-number-1"
    assert received.headers["x-key"] == "Key gateway-key-1"
    assert received.headers["x-team"] == "blue"


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("result", "message"),
    [
        ("", "returned nothing"),
        (None, "returned nothing"),
        (b"token", "returned bytes"),
        ("two\nlines", "line break"),
        (ValueError("a client secret"), r"raised builtins\.ValueError$"),
    ],
)
async def test_a_function_without_a_key_is_a_usage_error(result: object, message: str) -> None:
    async def current() -> str:
        if isinstance(result, Exception):
            raise result
        return cast("str", result)

    async with LoopbackProvider("hi") as server:
        asked = model("openai:m", base_url=server.url("openai"), api_key=current)
        with pytest.raises(AuthenticationError, match=message) as caught:
            await asked.reply(ASK)
        assert not server.requests
    assert caught.value.__context__ is None


@pytest.mark.anyio
async def test_an_error_of_ours_passes_through() -> None:
    async def current() -> str:
        raise OverloadedError("the token server is down")

    async with LoopbackProvider("hi") as server:
        asked = model("openai:m", base_url=server.url("openai"), api_key=current)
        with pytest.raises(OverloadedError, match="token server"):
            await asked.reply(ASK)


@pytest.mark.anyio
async def test_a_function_that_is_not_asynchronous_is_refused() -> None:
    def current() -> str:
        return "a-key"

    wrong = cast("Callable[[], Awaitable[str]]", current)
    async with LoopbackProvider("hi") as server:
        asked = model("openai:m", base_url=server.url("openai"), api_key=wrong)
        with pytest.raises(AuthenticationError, match="not asynchronous"):
            await asked.reply(ASK)


def test_another_type_is_refused_where_it_is_written() -> None:
    wrong: Any = 5
    with pytest.raises(TypeError, match="api_key is int: pass a str"):
        model("openai:m", api_key=wrong)
    with pytest.raises(TypeError, match=r"headers\['x'\] is int"):
        model("openai:m", api_key="k", headers={"x": wrong})
    with pytest.raises(ValueError, match=r"headers\['x'\] has a line break"):
        model("openai:m", api_key="k", headers={"x": "a\nb"})
