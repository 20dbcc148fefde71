"""The model of the environment is found without waiting, or there is none."""

import json
from collections.abc import Iterator

import pytest
from tests.integrations.models.openai.loopback import Answer, Loopback, error_response

from planish.errors import AuthenticationError, UnknownModelError
from planish_integrations.models import PROVIDERS, model_from_env

VARIABLES = {
    v for p in PROVIDERS.values() for v in (*p.key_variables, p.url_variable, p.model_variable)
}
TAGS = Answer(json.dumps({"models": [{"name": "qwen3:8b"}, {"name": "b"}]}).encode())


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [*filter(None, VARIABLES), "PLANISH_MODEL"]:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:9")  # nobody listens there


@pytest.fixture
def ollama(monkeypatch: pytest.MonkeyPatch) -> Iterator[Loopback]:
    with Loopback() as server:
        monkeypatch.setenv("OLLAMA_HOST", server.url.removesuffix("/v1").removeprefix("http://"))
        yield server


@pytest.mark.anyio
async def test_the_named_one_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLANISH_MODEL", "anthropic:claude-sonnet-5-5")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    found = await model_from_env()
    assert repr(found) == "AnthropicModel('claude-sonnet-5-5', provider='anthropic')"


@pytest.mark.anyio
async def test_a_wrong_name_or_a_missing_key_of_it_fails_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PLANISH_MODEL", "opnai:m")
    with pytest.raises(UnknownModelError, match="openai"):
        await model_from_env()
    monkeypatch.setenv("PLANISH_MODEL", "groq:m")
    with pytest.raises(AuthenticationError, match="GROQ_API_KEY"):
        await model_from_env()


@pytest.mark.anyio
async def test_then_the_first_provider_with_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MISTRAL_API_KEY", "k")
    found = await model_from_env()
    assert found is not None
    assert (found.provider, found.name) == ("mistral_ai", PROVIDERS["mistral"].default)
    monkeypatch.setenv("GOOGLE_API_KEY", "k")
    found = await model_from_env(prices={})
    assert found is not None
    assert found.provider == "gcp.gemini"
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    monkeypatch.setenv("OPENAI_MODEL", "mine")
    found = await model_from_env()
    assert found is not None
    assert (found.provider, found.name) == ("openai", "mine")


@pytest.mark.anyio
async def test_then_an_ollama_that_answers(
    ollama: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    ollama.answers += [TAGS, TAGS]
    found = await model_from_env()
    assert found is not None
    assert (found.provider, found.name) == ("ollama", "qwen3:8b")
    assert ollama.requests[0].path == "/api/tags"
    monkeypatch.setenv("OLLAMA_MODEL", "b")
    found = await model_from_env()
    assert found is not None
    assert found.name == "b"


@pytest.mark.anyio
@pytest.mark.parametrize(
    "answer",
    [
        Answer(b'{"models": []}'),
        Answer(b"<html>somebody else</html>"),
        Answer(b"[]"),
        error_response(404),
        Answer(TAGS.body, status=500),
        Answer(stop_after=-1),
    ],
)
async def test_where_none_is_listed_there_is_none(answer: Answer, ollama: Loopback) -> None:
    ollama.answers.append(answer)
    assert await model_from_env() is None


@pytest.mark.anyio
async def test_where_nobody_listens_there_is_none() -> None:
    assert await model_from_env() is None
