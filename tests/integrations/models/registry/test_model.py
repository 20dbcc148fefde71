"""A name is a model, or says at once what to write or to set."""

import os
from typing import Any

import pytest

from planish.data import Message, Request
from planish.errors import (
    AuthenticationError,
    MisuseError,
    RateLimitError,
    RequestError,
    UnknownModelError,
    UnsupportedError,
)
from planish_integrations.anthropic import AnthropicModel
from planish_integrations.gemini import GeminiModel
from planish_integrations.models import PROVIDERS, model
from planish_integrations.models.transport import HttpModel, Timeouts
from planish_integrations.ollama import OllamaModel
from planish_integrations.openai import OpenAIModel, OpenAIResponsesModel
from planish_integrations.testing import Fault, LoopbackProvider

ASK = Request(messages=(Message("user", "hello"),), max_tokens=5)
WIRES: dict[str, tuple[type[HttpModel], Any]] = {
    "chat": (OpenAIModel, "openai"),
    "responses": (OpenAIResponsesModel, "responses"),
    "anthropic": (AnthropicModel, "anthropic"),
    "gemini": (GeminiModel, "gemini"),
    "ollama": (OllamaModel, "ollama"),
}
VARIABLES = {
    v for p in PROVIDERS.values() for v in (*p.key_variables, p.url_variable, p.model_variable)
}


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [*filter(None, VARIABLES), "PLANISH_MODEL"]:
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("name", PROVIDERS)
def test_each_provider_is_found_with_its_key(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    provider = PROVIDERS[name]
    for variable in provider.key_variables[-1:]:
        monkeypatch.setenv(variable, "CANARY")
    if not provider.base_url:
        monkeypatch.setenv(str(provider.url_variable), "https://me.example")
    found = model(f"{name}:some/model:7b")
    assert type(found) is WIRES[provider.protocol][0]
    assert (found.name, found.provider) == ("some/model:7b", provider.otel)
    assert "CANARY" not in repr(found) + repr(vars(found))


@pytest.mark.anyio
@pytest.mark.parametrize("name", PROVIDERS)
async def test_each_provider_is_asked_at_the_address_that_is_given(name: str) -> None:
    provider = PROVIDERS[name]
    async with LoopbackProvider(["hi"]) as server:
        url = server.url(WIRES[provider.protocol][1])
        found = model(f"{name}:m", base_url=url, api_key="k", timeout=Timeouts(total=60.0))
        assert (await found.reply(ASK)).text == "hi"
        headers, body = server.requests[0].headers, server.requests[0].json
    keys = {"authorization": "Bearer k", "api-key": "k", "x-api-key": "k", "x-goog-api-key": "k"}
    assert [value for key, value in keys.items() if headers.get(key) == value] != []
    if provider.protocol == "chat":
        assert body[provider.variant.max_tokens] == 5
    if name.startswith("azure"):
        assert headers["api-key"] == "k"
        assert "authorization" not in headers


@pytest.mark.parametrize("name", [n for n, p in PROVIDERS.items() if not p.keyless])
def test_a_missing_key_names_the_variable_to_set(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider = PROVIDERS[name]
    if not provider.base_url:
        monkeypatch.setenv(str(provider.url_variable), "https://me.example")
    with pytest.raises(AuthenticationError, match=provider.key_variables[0]):
        model(f"{name}:m")


@pytest.mark.parametrize("name", [n for n, p in PROVIDERS.items() if p.keyless])
def test_servers_of_ones_own_need_no_key(name: str) -> None:
    assert model(f"{name}:m").name == "m"


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("opnai:gpt-5", "did you mean 'openai'"),
        ("olama:qwen3", "did you mean 'ollama'"),
        ("gpt-6.1-terra", "write 'openai:gpt-6.1-terra'"),
        ("o3-mini", "write 'openai:o3-mini'"),
        ("claude-opus-4-5", "write 'anthropic:claude-opus-4-5'"),
        ("gemma-3", "write 'gemini:gemma-3'"),
        ("deepseek-chat", "write 'deepseek:deepseek-chat'"),
        ("mistral-large-latest", "write 'mistral:mistral-large-latest'"),
        ("grok-4", "write 'xai:grok-4'"),
        ("qwen3", "write 'ollama:qwen3'"),
        ("claude-sonnet-5-5", "write 'anthropic:claude-sonnet-5-5'"),
        ("qwen3:8b", "write 'ollama:qwen3:8b'"),
        ("openai", "'openai:gpt-6.1-terra'"),
        ("ollama:", "names no model"),
        ("", "known are openai"),
        (":", "known are openai"),
        ("azure:mine", "AZURE_OPENAI_ENDPOINT"),
    ],
)
def test_a_wrong_name_says_what_to_write(name: str, says: str) -> None:
    with pytest.raises(UnknownModelError, match=says) as caught:
        model(name)
    assert isinstance(caught.value, MisuseError)
    assert isinstance(caught.value, ValueError)


def test_the_environment_says_where(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://gpu-7:8000/v1/")
    assert "base_url='http://gpu-7:8000/v1'" in repr(model("openai:m"))  # and needs no key there
    monkeypatch.setenv("OLLAMA_HOST", "gpu-7:11434")
    assert "base_url='http://gpu-7:11434" in repr(model("ollama:m"))
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", "https://me.openai.azure.com/")
    shown = repr(model("azure:m", api_key="k"))
    assert "base_url='https://me.openai.azure.com/openai/v1'" in shown


@pytest.mark.anyio
async def test_what_a_provider_does_not_take_is_refused_before_it_is_sent() -> None:
    request = Request(messages=ASK.messages, seed=1)
    found = model("deepseek:deepseek-flash", api_key="k", base_url="http://127.0.0.1:9")
    with pytest.raises(UnsupportedError, match="seed"):
        await found.reply(request)


@pytest.mark.anyio
async def test_a_seed_goes_by_the_name_its_provider_has_for_it() -> None:
    request = Request(messages=ASK.messages, seed=1)
    async with LoopbackProvider(["hi"]) as server:
        await model("mistral:m", api_key="k", base_url=server.url("openai")).reply(request)
    assert server.requests[0].json["random_seed"] == 1


@pytest.mark.anyio
async def test_a_server_that_only_knows_json_is_told_no_more() -> None:
    request = Request(messages=ASK.messages, schema={"type": "object"})
    async with LoopbackProvider(["{}"]) as server:
        await model("deepseek:m", api_key="k", base_url=server.url("openai")).reply(request)
    assert server.requests[0].json["response_format"] == {"type": "json_object"}


@pytest.mark.parametrize("name", PROVIDERS)
def test_each_row_is_whole(name: str) -> None:
    provider = PROVIDERS[name]
    assert provider.base_url.startswith(("https://", "http://localhost")) or provider.url_variable
    assert provider.keyless or provider.key_variables
    assert not provider.base_url.endswith("/")
    assert os.environ.get("PLANISH_MODEL") is None


@pytest.mark.anyio
@pytest.mark.parametrize("status", [404, 410])
async def test_a_default_that_is_gone_says_how_to_name_another(status: int) -> None:
    fault = Fault.error(status, "no such model")
    async with LoopbackProvider("hi", faults=[fault, fault, fault]) as server:
        url = server.url("openai")
        gone = model(f"openai:{PROVIDERS['openai'].default}", base_url=url, api_key="k")
        with pytest.raises(RequestError, match="OPENAI_MODEL=<model>") as caught:
            await gone.reply(ASK)
        assert "model('openai:<model>')" in str(caught.value)
        assert "PLANISH_MODEL=openai:<model>" in str(caught.value)
        other = model("groq:openai/gpt-oss-120b", base_url=url, api_key="k")
        with pytest.raises(RequestError, match="PLANISH_MODEL=groq:<model>"):
            await other.reply(ASK)
        named = model("openai:mine", base_url=url, api_key="k")
        with pytest.raises(RequestError) as plain:
            await named.reply(ASK)
    assert "default" not in str(plain.value)


@pytest.mark.anyio
async def test_what_a_provider_refuses_for_another_reason_says_nothing_of_defaults() -> None:
    async with LoopbackProvider("hi", faults=Fault.error(400, "too long")) as server:
        found = model(
            f"openai:{PROVIDERS['openai'].default}", base_url=server.url("openai"), api_key="k"
        )
        with pytest.raises(RequestError) as caught:
            await found.reply(ASK)
    assert "default" not in str(caught.value)


@pytest.mark.anyio
@pytest.mark.parametrize(
    "name",
    [
        "claude-haiku-4-5",
        "claude-sonnet-4-20250514",
        "claude-opus-4-6",
        "claude-3-5-haiku-latest",
        "deepseek-flash",
    ],
)
async def test_a_temperature_goes_to_models_that_take_one(name: str) -> None:
    async with LoopbackProvider(["hi"]) as server:
        found = model(f"anthropic:{name}", base_url=server.url("anthropic"), api_key="k")
        await found.reply(Request(messages=ASK.messages, temperature=0.2))
    assert server.requests[0].json["temperature"] == 0.2


@pytest.mark.anyio
@pytest.mark.parametrize("name", ["claude-sonnet-5-5", "claude-opus-4-7", "claude-fable-5-1"])
async def test_models_that_take_no_temperature_are_not_sent_one(name: str) -> None:
    async with LoopbackProvider(["hi", "hi"]) as server:
        found = model(f"anthropic:{name}", base_url=server.url("anthropic"), api_key="k")
        with pytest.raises(UnsupportedError, match="temperature"):
            await found.reply(Request(messages=ASK.messages, temperature=0.2))
        for default in (None, 1.0):  # which they all accept
            await found.reply(Request(messages=ASK.messages, temperature=default))
    assert [request.json.get("temperature") for request in server.requests] == [None, 1.0]


def test_no_name_is_refused_as_a_wrong_name_is() -> None:
    nothing: Any = None
    with pytest.raises(UnknownModelError, match=r"model\(None\): give a text"):
        model(nothing)


@pytest.mark.anyio
async def test_a_wrong_key_is_refused_with_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    async with LoopbackProvider("hi", faults=Fault.error(401, "No such key.")) as server:
        url = server.url("openai")
        monkeypatch.setenv("OPENAI_API_KEY", "CANARY-CANARY")
        with pytest.raises(AuthenticationError, match=r"; the key is the value of OPENAI_API_KEY$"):
            await model("openai:m", base_url=url).reply(ASK)
        with pytest.raises(AuthenticationError) as caught:
            await model("openai:m", base_url=url, api_key="CANARY-CANARY").reply(ASK)
    assert "OPENAI_API_KEY" not in str(caught.value)


@pytest.mark.anyio
async def test_a_wait_that_is_too_long_is_in_the_error() -> None:
    async with LoopbackProvider("hi", faults=Fault.rate_limit(500)) as server:
        with pytest.raises(RateLimitError, match="; it asks to wait 500 s"):
            await model("openai:m", base_url=server.url("openai"), api_key="k").reply(ASK)
