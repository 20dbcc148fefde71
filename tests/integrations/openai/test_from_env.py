"""The model of the environment is found without waiting, or there is none."""

import json
import socket
import time

import pytest
from tests.integrations.openai.loopback import Answer, Loopback, complaint, completion

from planish.data.message import Message, Request
from planish_integrations.openai import model_from_env

ASK = Request(messages=(Message("user", "hello"),))
NAMES = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL", "OLLAMA_MODEL")
LISTED = Answer(json.dumps({"object": "list", "data": [{"id": "qwen3:8b"}, {"id": "b"}]}).encode())


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)


@pytest.mark.anyio
async def test_a_key_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1")
    model = await model_from_env()
    assert repr(model) == "OpenAIModel('gpt-5-mini', provider='openai')"


@pytest.mark.anyio
async def test_the_environment_says_which_model_and_where(
    server: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1")
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    monkeypatch.setenv("OPENAI_MODEL", "mine")
    model = await model_from_env(ollama_url="http://127.0.0.1:1/v1")
    assert model is not None
    assert server.requests == []
    server.answers.append(completion())
    await model.reply(ASK)
    assert server.requests[0].json["model"] == "mine"


@pytest.mark.anyio
async def test_without_a_key_it_is_the_first_model_of_a_local_ollama(server: Loopback) -> None:
    server.answers += [LISTED, completion("hi")]
    model = await model_from_env(ollama_url=server.url)
    assert model is not None
    assert (model.name, model.provider) == ("qwen3:8b", "ollama")
    assert (await model.reply(ASK)).text == "hi"
    listing, asking = server.requests
    assert (listing.method, listing.path) == ("GET", "/v1/models")
    assert "authorization" not in asking.headers


@pytest.mark.anyio
async def test_the_name_of_ollamas_model_can_be_said(
    server: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OLLAMA_MODEL", "b")
    server.answers.append(LISTED)
    model = await model_from_env(ollama_url=server.url)
    assert model is not None
    assert model.name == "b"


@pytest.mark.anyio
@pytest.mark.parametrize(
    "answer",
    [
        Answer(b'{"object": "list", "data": null}'),
        Answer(b"<html>somebody else</html>"),
        Answer(b"[]"),
        complaint(404),
        Answer(LISTED.body, status=500),
        Answer(stop_after=-1),
    ],
)
async def test_where_none_is_listed_there_is_none(answer: Answer, server: Loopback) -> None:
    server.answers.append(answer)
    assert await model_from_env(ollama_url=server.url) is None


@pytest.mark.anyio
async def test_where_nobody_listens_there_is_none_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLLAMA_MODEL", "b")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")  # no way to this machine itself
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
        started = time.monotonic()
        assert await model_from_env(ollama_url=url) is None
        assert time.monotonic() - started < 10.0


@pytest.mark.anyio
async def test_a_proxy_of_the_environment_is_not_asked_for_this_machine(
    server: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    server.answers += [LISTED, completion("hi")]
    model = await model_from_env(ollama_url=server.url)
    assert model is not None
    assert (await model.reply(ASK)).text == "hi"
