"""A recorded error response becomes the planish error of its kind, over every protocol."""

import json
from collections.abc import Mapping, Sequence

import pytest
from tests.integrations.models.openai.loopback import EVENTS, JSON, Answer, Loopback
from tests.integrations.models.transport.protocols import LOOPBACK_NAMES, MODELS
from tests.integrations.models.transport.recorded import APIS, Exchange, Shared, exchanges

from planish import PlanishError
from planish.data import Message, Request
from planish.errors import (
    AuthenticationError,
    ModelError,
    OverloadedError,
    RateLimitError,
    RequestError,
)
from planish.testing.clock import FakeClock
from planish_integrations.models.transport import Backoff, HttpModel
from planish_integrations.testing import Answer as ProviderAnswer
from planish_integrations.testing import Fault, LoopbackProvider, RetryForm, recorded_answers

ASK = Request(messages=(Message("user", "hello"),))
EXPECTED: Mapping[int, type[PlanishError]] = {
    400: RequestError,
    401: AuthenticationError,
    403: AuthenticationError,
    404: RequestError,
    422: RequestError,
    429: RateLimitError,
}
STATUSES = [
    *((status, RequestError) for status in (400, 402, 404, 405, 413, 415, 422)),
    *((status, AuthenticationError) for status in (401, 403)),
    (429, RateLimitError),
    *((status, OverloadedError) for status in (408, 409, 425, 500, 502, 503, 504, 520, 529)),
]


def expected(row: Exchange) -> type[PlanishError]:
    wrong_key = b"API key" in row.body  # xAI and Google refuse one with 400
    return AuthenticationError if wrong_key else EXPECTED[row.status]


def model_at(protocol: str, url: str) -> HttpModel:
    once = Backoff(tries=1)
    return MODELS[protocol]("m", base_url=url, api_key="", backoff=once, clock=FakeClock())


async def refused(model: HttpModel) -> PlanishError:
    with pytest.raises(PlanishError) as caught:
        await model.reply(ASK)
    return caught.value


@pytest.mark.anyio
@pytest.mark.parametrize("protocol", MODELS)
async def test_every_recorded_refusal_becomes_its_error(
    protocol: str, server: Loopback, shared_data: Shared
) -> None:
    rows = [row for row in exchanges(shared_data) if row.status >= 400]
    own = [row for row in rows if row.api in APIS[protocol]]
    right = 0
    async with model_at(protocol, server.url) as model:
        for row in rows:
            server.answers.append(row.answer())
            error = await refused(model)
            assert type(error) is expected(row), row.id
            assert getattr(error, "status", None) == row.status
            right += row in own
    print(f"{protocol}: {right} / {len(own)} recorded refusals of its own, {len(rows)} of all")  # noqa: T201
    assert right == len(own)
    assert len(rows) >= 38


@pytest.mark.anyio
@pytest.mark.parametrize("protocol", MODELS)
async def test_every_attested_error_becomes_its_error(
    protocol: str, server: Loopback, shared_data: Shared
) -> None:
    lines = shared_data("wire/attested_errors.jsonl").read_text().splitlines()
    seen: list[tuple[str, float | None]] = []
    for row in map(json.loads, lines):
        if row["status"] is None:  # delivered inside a stream, as the bare error object
            body, headers = b"data: " + json.dumps(row["body"]).encode() + b"\n\n", EVENTS
        else:
            body = row.get("body_sse", json.dumps(row.get("body"))).encode()
            headers = row["headers"] or JSON
        server.answers.append(Answer(body, row["status"] or 200, headers))
        error = await refused(model_at(protocol, server.url))
        seen.append((type(error).__name__, getattr(error, "retry_after", None)))
    assert seen == [
        ("OverloadedError", None),
        ("OverloadedError", None),
        ("RateLimitError", 0.006),
        ("RateLimitError", 1.574),
        ("RateLimitError", None),
    ]


@pytest.mark.anyio
@pytest.mark.parametrize("protocol", MODELS)
@pytest.mark.parametrize(("status", "kind"), STATUSES)
async def test_each_status_has_its_error(
    protocol: str, status: int, kind: type[PlanishError]
) -> None:
    async with LoopbackProvider("hi", faults=Fault.error(status, "no")) as server:
        error = await refused(model_at(protocol, server.url(LOOPBACK_NAMES[protocol])))
    assert type(error) is kind
    assert "no" in str(error)
    assert len(server.requests) == 1


@pytest.mark.anyio
@pytest.mark.parametrize("protocol", MODELS)
@pytest.mark.parametrize("status", [429, 500, 503, 529])
async def test_an_error_after_200_takes_the_same_road(protocol: str, status: int) -> None:
    fault = Fault.error_event(status, "busy")
    async with LoopbackProvider(["hello"], faults=[fault, fault]) as server:
        model = MODELS[protocol](
            "m", base_url=server.url(LOOPBACK_NAMES[protocol]), api_key="", clock=FakeClock()
        )
        pieces: list[str] = []
        reply = await model.reply(ASK, pieces.append)
    assert (reply.text, reply.resends, "".join(pieces)) == ("hello", 2, "hello")


@pytest.mark.anyio
@pytest.mark.parametrize("protocol", MODELS)
async def test_an_error_after_text_was_told_is_raised(protocol: str) -> None:
    fault = Fault.error_event(529, "busy", after=None)
    async with LoopbackProvider("hello " * 20, faults=fault) as server:
        model = model_at(protocol, server.url(LOOPBACK_NAMES[protocol]))
        pieces: list[str] = []
        with pytest.raises(ModelError, match="busy"):
            await model.reply(ASK, pieces.append)
    assert "".join(pieces)
    assert len(server.requests) == 1


@pytest.mark.anyio
@pytest.mark.parametrize("protocol", MODELS)
@pytest.mark.parametrize("form", ["seconds", "date", "milliseconds", "words", "retry_info"])
async def test_the_wait_asked_for_is_kept_in_every_form(protocol: str, form: RetryForm) -> None:
    if (protocol, form) == ("ollama", "retry_info"):
        pytest.skip("Ollama's errors are one text, with no place for it")
    clock = FakeClock()
    faults = [Fault.rate_limit(7, form=form)]
    async with LoopbackProvider(["hi"], faults=faults) as server:
        url = server.url(LOOPBACK_NAMES[protocol])
        model = MODELS[protocol]("m", base_url=url, api_key="", clock=clock)
        await model.reply(ASK)
    assert len(clock.sleeps) == 1
    assert 5.9 <= clock.sleeps[0] <= 7.6  # a date has whole seconds; and half a second of jitter


SPOILT = [
    Fault.dropped(),
    Fault.reset(),
    Fault.closed(),
    Fault.truncated(),
    Fault.malformed(),
    Fault.mistyped(),
    Fault.reset(after=0),
    Fault.closed(after=3),
]


@pytest.mark.anyio
@pytest.mark.parametrize("protocol", MODELS)
@pytest.mark.parametrize("fault", SPOILT, ids=repr)
async def test_a_broken_world_is_not_seen_when_it_passes(protocol: str, fault: Fault) -> None:
    # A response that cannot be read is paid for, so it is requested only once more.
    times = 1 if fault.kind == "malformed" else 2
    async with LoopbackProvider(["héllo 😀"], faults=[fault] * times) as server:
        model = MODELS[protocol](
            "m", base_url=server.url(LOOPBACK_NAMES[protocol]), api_key="", clock=FakeClock()
        )
        reply = await model.reply(ASK)
    assert (reply.text, reply.resends, reply.usage.model_calls) == ("héllo 😀", times, 1)
    assert reply.failed_usage.failed_calls == times


@pytest.mark.anyio
@pytest.mark.parametrize("protocol", MODELS)
@pytest.mark.parametrize("fault", [Fault.ended(), Fault.half_character()], ids=repr)
async def test_a_stream_that_ends_early_is_an_error_and_never_half_an_answer(
    protocol: str, fault: Fault
) -> None:
    async with LoopbackProvider("héllo 😀 " * 8, faults=fault) as server:
        model = model_at(protocol, server.url(LOOPBACK_NAMES[protocol]))
        pieces: list[str] = []
        try:
            reply = await model.reply(ASK, pieces.append)
        except ModelError:
            assert len("".join(pieces)) <= len("héllo 😀 " * 8)
        else:  # where all that was missing said nothing more
            assert fault.kind == "ended"
            assert reply.text == "héllo 😀 " * 8
            assert reply.usage.tokens > 0


@pytest.mark.anyio
@pytest.mark.parametrize("protocol", MODELS)
async def test_ids_of_requests_are_on_errors(protocol: str) -> None:
    row = {"status": 503, "headers": {"request-id": "req_9"}, "body": {"error": {"message": "x"}}}
    async with LoopbackProvider(recorded_answers([row])) as server:
        error = await refused(model_at(protocol, server.url(LOOPBACK_NAMES[protocol])))
    assert isinstance(error, OverloadedError)
    assert error.request_id == "req_9"
    assert "req_9" in str(error)


@pytest.mark.anyio
@pytest.mark.parametrize("body", [b"<html>busy</html>", b"", b"{"])
async def test_ids_of_requests_are_on_errors_that_are_no_json(
    body: bytes, server: Loopback
) -> None:
    headers = {"content-type": "text/html", "x-request-id": "req_5"}
    server.answers.append(Answer(body, 502, headers))
    error = await refused(model_at("chat", server.url))
    assert isinstance(error, OverloadedError)
    assert (error.request_id, error.status) == ("req_5", 502)
    assert str(error).endswith("[request req_5]")
    assert (body.decode() or "no reason given") in str(error)


WORDS: Mapping[type[PlanishError], Sequence[str]] = {
    RateLimitError: (
        *("rate_limit_exceeded", "rate_limit_error", "too_many_requests", "resource_exhausted"),
        *("tokens", "requests", "insufficient_quota", "billing_hard_limit_reached"),
        "billing_not_active",
    ),
    OverloadedError: (
        *("overloaded_error", "server_error", "internal_server_error", "internal_error"),
        *("internal", "api_error", "vector_store_timeout", "service_unavailable", "unavailable"),
        *("engine_overloaded", "timeout", "timeout_error", "deadline_exceeded"),
    ),
    AuthenticationError: (
        *("authentication_error", "unauthenticated", "invalid_api_key", "api_key_invalid"),
        *("permission_error", "permission_denied"),
    ),
    RequestError: (
        *("not_found_error", "not_found", "model_not_found", "context_length_exceeded"),
        *("invalid_request_error", "invalid_argument", "invalid_prompt", "failed_precondition"),
    ),
    ModelError: ("something_new",),
}


@pytest.mark.anyio
@pytest.mark.parametrize(("kind", "word"), [(k, word) for k, row in WORDS.items() for word in row])
async def test_each_word_of_an_error_after_200_has_its_error(
    kind: type[PlanishError], word: str, server: Loopback
) -> None:
    body = json.dumps({"error": {"message": "no", "type": word.upper()}}).encode()
    server.answers.append(Answer(body, 200, JSON))
    error = await refused(model_at("chat", server.url))
    assert type(error) is kind
    assert f"no ({word})" in str(error)


@pytest.mark.anyio
async def test_anthropics_id_of_a_request_may_be_in_the_body() -> None:
    body = {"type": "error", "error": {"type": "overloaded_error"}, "request_id": "req_8"}
    async with LoopbackProvider(recorded_answers([{"status": 529, "body": body}])) as server:
        error = await refused(model_at("anthropic", server.url("anthropic")))
    assert isinstance(error, OverloadedError)
    assert error.request_id == "req_8"


@pytest.mark.anyio
@pytest.mark.parametrize("say", ["true", "false"])
async def test_a_provider_that_says_not_to_come_again_is_believed(say: str) -> None:
    row = {"status": 503, "headers": {"x-should-retry": say}, "body": {"error": {"message": "x"}}}
    replies: list[str | ProviderAnswer] = [*recorded_answers([row])]
    replies += ["hi"] if say == "true" else []
    async with LoopbackProvider(replies) as server:
        model = MODELS["anthropic"](
            "m", base_url=server.url("anthropic"), api_key="", clock=FakeClock()
        )
        if say == "true":
            assert (await model.reply(ASK)).resends == 1
        else:
            assert isinstance(await refused(model), OverloadedError)


@pytest.mark.anyio
async def test_an_unknown_model_is_told_its_near_names() -> None:
    async with LoopbackProvider("hi", faults=Fault.error(404, "no such model")) as server:
        model = MODELS["chat"]("gpt-5-mimi", base_url=server.url("openai"), api_key="")
        error = await refused(model)
    assert isinstance(error, RequestError)
    assert "did you mean 'gpt-5-mini'" in str(error)
