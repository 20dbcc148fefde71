"""What is sent: what was asked for, and nothing that was not."""

from collections.abc import Callable

import pytest
from tests.integrations.models.openai.loopback import DONE, Loopback, chunk, completion, events

from planish.data.message import Message, Request
from planish.fingerprint import fingerprint_of
from planish_integrations.models.openai._chat import ChatProtocol
from planish_integrations.models.openai._model import _variant_at  # pyright: ignore[reportPrivateUsage]
from planish_integrations.openai import OpenAIModel, ProtocolVariant

SYSTEM, USER = Message("system", "Be short."), Message("user", "Grüße 😀")
FULL = Request(
    messages=(SYSTEM, USER),
    temperature=0.0,
    max_tokens=50,
    seed=0,
    stop=("###",),
    task_id="t",
    attempt=3,
)
ModelAt = Callable[..., OpenAIModel]


def sent(request: Request, *, streamed: bool = False) -> dict[str, object]:
    return ChatProtocol(ProtocolVariant()).body(request, "m", streamed=streamed)


def test_a_bare_request_sends_the_model_and_the_messages_only() -> None:
    assert sent(Request(messages=(USER,))) == {
        "model": "m",
        "messages": [{"role": "user", "content": "Grüße 😀"}],
    }


def test_all_that_is_set_is_sent_zeros_too_and_what_is_not_to_be_sent_is_not() -> None:
    assert sent(FULL) == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "Be short."},
            {"role": "user", "content": "Grüße 😀"},
        ],
        "temperature": 0.0,
        "max_tokens": 50,
        "seed": 0,
        "stop": ["###"],
    }


def test_a_stream_asks_for_its_usage() -> None:
    body = sent(FULL, streamed=True)
    assert (body["stream"], body["stream_options"]) == (True, {"include_usage": True})


@pytest.mark.anyio
async def test_extra_fields_are_added_and_win(server: Loopback, model_at: ModelAt) -> None:
    server.answers.append(completion())
    await model_at(extra={"temperature": 1, "reasoning_effort": "low"}).reply(FULL)
    body = server.requests[0].json
    assert (body["temperature"], body["reasoning_effort"]) == (1, "low")


@pytest.mark.anyio
async def test_it_arrives_as_json_with_the_key(server: Loopback, model_at: ModelAt) -> None:
    server.answers += [completion(), events(chunk("a", "stop"), DONE)]
    model = model_at(extra={"top_p": 0.5})
    await model.reply(FULL)
    await model.reply(FULL, list[str]().append)
    whole, streamed = server.requests
    assert whole.path == "/v1/chat/completions"
    assert whole.headers["authorization"].startswith("Bearer sk-")
    assert whole.headers["content-type"] == "application/json"
    assert whole.json["messages"][1]["content"] == "Grüße 😀"
    assert (whole.json["model"], whole.json["top_p"]) == ("loopback-1", 0.5)
    assert "stream" not in whole.json
    assert streamed.json["stream"] is True


@pytest.mark.anyio
async def test_half_a_character_in_a_message_does_not_stop_it(
    server: Loopback, model_at: ModelAt
) -> None:
    server.answers.append(completion())
    await model_at().reply(Request(messages=(Message("user", "a\udcffb"),)))
    assert server.requests[0].json["messages"][0]["content"] == "a?b"


@pytest.mark.parametrize(
    ("url", "field"),
    [
        ("https://api.openai.com/v1", "max_completion_tokens"),
        ("https://me.openai.azure.com/openai/v1", "max_completion_tokens"),
        ("http://localhost:11434/v1", "max_tokens"),
        ("https://api.groq.com/openai/v1", "max_tokens"),
    ],
)
def test_the_most_tokens_go_by_the_name_the_server_knows(url: str, field: str) -> None:
    assert _variant_at(url).max_tokens == field


@pytest.mark.anyio
async def test_the_name_of_the_most_tokens_can_be_said(server: Loopback, model_at: ModelAt) -> None:
    server.answers += [completion(), completion()]
    await model_at().reply(FULL)
    await model_at(max_tokens_field="max_new_tokens").reply(FULL)
    assert server.requests[0].json["max_tokens"] == 50
    assert server.requests[1].json["max_new_tokens"] == 50


@pytest.mark.anyio
async def test_a_query_in_the_url_stays_at_its_end(server: Loopback, model_at: ModelAt) -> None:
    server.answers.append(completion())
    await model_at(base_url=f"{server.url}/?api-version=2024-10-21").reply(FULL)
    assert server.requests[0].path == "/v1/chat/completions?api-version=2024-10-21"


@pytest.mark.anyio
async def test_no_key_is_no_header(server: Loopback, model_at: ModelAt) -> None:
    server.answers.append(completion())
    await model_at(api_key="").reply(FULL)
    assert "authorization" not in server.requests[0].headers


@pytest.mark.parametrize("field", ["model", "messages", "stream"])
def test_extra_cannot_take_over_what_planish_sets(field: str, model_at: ModelAt) -> None:
    with pytest.raises(ValueError, match=field):
        model_at(extra={field: 1})


def test_extra_that_is_not_json_fails_at_construction(model_at: ModelAt) -> None:
    with pytest.raises(TypeError):
        model_at(extra={"metadata": object()})
    with pytest.raises(ValueError, match="JSON"):
        model_at(extra={"top_p": float("nan")})


@pytest.mark.anyio
async def test_extra_is_copied(server: Loopback, model_at: ModelAt) -> None:
    server.answers.append(completion())
    metadata = {"run": "1"}
    model = model_at(extra={"metadata": metadata})
    metadata["run"] = "2"
    await model.reply(FULL)
    assert server.requests[0].json["metadata"] == {"run": "1"}


def test_the_fingerprint_has_the_query_without_its_secrets() -> None:
    def fingerprint(query: str) -> str:
        url = f"http://127.0.0.1:9/v1?{query}"
        return fingerprint_of(OpenAIModel("m", api_key="k", base_url=url))

    one = fingerprint("api-version=1&api_key=aaaa1111")
    assert one == fingerprint("api-version=1&api_key=bbbb2222")
    assert one != fingerprint("api-version=2&api_key=aaaa1111")
