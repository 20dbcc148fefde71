"""What a model is made of: keys, urls, prices; and the key is never shown."""

import pickle
import traceback
from collections.abc import Callable

import httpx
import pytest
from tests.integrations.models.openai.conftest import KEY
from tests.integrations.models.openai.loopback import (
    DONE,
    Answer,
    Loopback,
    chunk,
    completion,
    error_response,
    events,
)

from planish.abc import Model
from planish.data.message import Message, Request
from planish.errors import AuthenticationError, PlanishError
from planish_integrations.openai import Backoff, OpenAIModel

ASK = Request(messages=(Message("user", "hello"),))
ModelAt = Callable[..., OpenAIModel]


@pytest.fixture
def no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


def test_it_is_a_model() -> None:
    model = OpenAIModel("gpt-6.1-terra", api_key=KEY)
    assert isinstance(model, Model)
    assert (model.name, model.provider) == ("gpt-6.1-terra", "openai")
    assert repr(model) == "OpenAIModel('gpt-6.1-terra', provider='openai')"


@pytest.mark.usefixtures("no_key")
@pytest.mark.parametrize("key", [None, "", "  \n"])
def test_a_missing_key_is_said_at_construction_by_its_name(key: str | None) -> None:
    with pytest.raises(AuthenticationError, match="OPENAI_API_KEY"):
        OpenAIModel("gpt-6.1-terra", api_key=key)


@pytest.mark.usefixtures("no_key")
def test_a_server_of_ones_own_needs_no_key() -> None:
    OpenAIModel("m", base_url="http://localhost:11434/v1")
    OpenAIModel("m", base_url="http://localhost:11434/v1", api_key="")


@pytest.mark.anyio
async def test_the_key_is_read_once_from_the_environment(
    server: Loopback, model_at: ModelAt, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-from-env\n")
    model = model_at(api_key=None)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-other")
    server.answers.append(completion())
    await model.reply(ASK)
    assert server.requests[0].headers["authorization"] == "Bearer sk-from-env"


@pytest.mark.parametrize("key", ["sk-secret\nsk-more", "sk-sécret", "sk-secret\x00"])
def test_a_key_no_header_can_have_is_refused_unshown(key: str) -> None:
    with pytest.raises(AuthenticationError) as caught:
        OpenAIModel("m", api_key=key)
    assert "sk-" not in str(caught.value)


@pytest.mark.parametrize("url", ["", "localhost:11434/v1", "ftp://x/v1", "https://", "http://[::1"])
def test_a_wrong_url_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="base_url"):
        OpenAIModel("m", api_key=KEY, base_url=url)


@pytest.mark.parametrize("timeout", [0.0, -1.0, float("nan")])
def test_a_wrong_timeout_is_refused(timeout: float) -> None:
    with pytest.raises(ValueError, match="timeout"):
        OpenAIModel("m", api_key=KEY, timeout=timeout)


@pytest.mark.anyio
@pytest.mark.parametrize(
    "answer",
    [
        error_response(401, f"Incorrect API key provided: {KEY}."),
        error_response(404, f"{KEY} has no access"),
        error_response(429, f"slow down, {KEY}"),
        Answer(f"<p>{KEY}</p>".encode(), 503),
        Answer(f"<p>{KEY}</p>".encode()),
        Answer(f'{{"error": {{"message": "{KEY}"}}}}'.encode()),
        Answer(stop_after=-1),
    ],
)
async def test_the_key_is_in_no_error_and_no_traceback(
    answer: Answer, server: Loopback, model_at: ModelAt
) -> None:
    server.answers.append(answer)
    with pytest.raises(PlanishError) as caught:
        await model_at(backoff=Backoff(tries=1)).reply(ASK)
    told = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
    shown = "".join(told.format()).replace(repr(answer), "")
    assert KEY not in str(caught.value)
    assert KEY not in repr(caught.value)
    assert f"Bearer {KEY}" not in shown


def test_the_key_and_the_urls_secrets_are_in_no_repr() -> None:
    url = "https://user:hunter2@proxy.example/v1?api-key=s3cret"
    model = OpenAIModel("m", api_key=KEY, base_url=url)
    shown = repr(model) + repr(vars(model))
    assert KEY not in shown
    assert "hunter2" not in shown
    assert "s3cret" not in shown
    assert "https://proxy.example/v1" in repr(model)


@pytest.mark.anyio
async def test_of_several_choices_the_first_is_the_reply(
    server: Loopback, model_at: ModelAt
) -> None:
    other = b'data: {"choices": [{"index": 1, "delta": {"content": "b"}}]}\n\n'
    choices = [{"index": n, "message": {"content": text}} for n, text in ((1, "b"), (0, "a"))]
    server.answers += [completion(choices=choices), events(other, chunk("a"), other, DONE)]
    model = model_at(extra={"n": 2})
    assert (await model.reply(ASK)).text == "a"
    assert (await model.reply(ASK, list[str]().append)).text == "a"


@pytest.mark.anyio
async def test_reasoning_is_kept_apart_in_every_shape(server: Loopback, model_at: ModelAt) -> None:
    parts = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
        {"type": "text", "text": "a"},
        {"type": "text", "text": "b"},
    ]
    for message in (
        {"content": "ab", "reasoning_content": "hm"},
        {"content": "ab", "reasoning": "hm"},
        {"content": "ab", "reasoning_content": "hm", "reasoning": "hm"},
        {"content": parts},
    ):
        server.answers.append(completion(choices=[{"index": 0, "message": message}]))
        reply = await model_at().reply(ASK)
        assert (reply.text, reply.reasoning) == ("ab", "hm")


@pytest.mark.anyio
async def test_a_reply_travels(server: Loopback, model_at: ModelAt) -> None:
    server.answers.append(completion("a\ud83db"))
    reply = await model_at().reply(ASK)
    assert type(reply).from_json(reply.to_json()) == reply
    assert pickle.loads(pickle.dumps(reply)) == reply  # noqa: S301  # our own bytes


@pytest.mark.anyio
async def test_a_users_client_is_used_and_left_open(server: Loopback, model_at: ModelAt) -> None:
    server.answers += [completion("one"), completion("two")]
    async with httpx.AsyncClient(headers={"x-team": "7"}) as client:
        model = model_at(client=client)
        assert (await model.reply(ASK)).text == "one"
        assert (await model.reply(ASK)).text == "two"
        assert not client.is_closed
    assert [r.headers["x-team"] for r in server.requests] == ["7", "7"]
    assert server.connections == 1
