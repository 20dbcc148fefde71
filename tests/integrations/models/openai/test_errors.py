"""Every recorded refusal becomes the error its kind of trouble has."""

import json
from collections.abc import Callable
from pathlib import Path

import anyio
import httpx
import pytest
from tests.integrations.models.openai.loopback import (
    DONE,
    EVENTS,
    JSON,
    Answer,
    Loopback,
    chunk,
    completion,
    error_response,
    events,
)
from tests.integrations.models.transport.recorded import exchanges

from planish.data.message import Message, Request
from planish.errors import (
    AuthenticationError,
    MisuseError,
    ModelError,
    OverloadedError,
    PlanishError,
    RateLimitError,
    RequestError,
)
from planish_integrations.models.transport._errors import parse_error_body
from planish_integrations.openai import Backoff, OpenAIModel

ASK = Request(messages=(Message("user", "hello"),))
ModelAt = Callable[..., OpenAIModel]
EXPECTED = {
    400: RequestError,
    401: AuthenticationError,
    403: AuthenticationError,
    404: RequestError,
    422: RequestError,
    429: RateLimitError,
}


async def refused(server: Loopback, model: OpenAIModel, answer: Answer) -> PlanishError:
    server.answers.append(answer)
    with pytest.raises(PlanishError) as caught:
        await model.reply(ASK)
    return caught.value


@pytest.mark.anyio
async def test_every_recorded_refusal_becomes_its_error(
    server: Loopback, model_at: ModelAt, shared_data: Callable[[str], Path]
) -> None:
    rows = [row for row in exchanges(shared_data) if row.status >= 400]
    of_this_api = [row for row in rows if row.row["api"] == "chat.completions"]
    async with model_at(backoff=Backoff(tries=1)) as model:
        for row in rows:
            error = await refused(server, model, row.answer())
            wrong_key = b"API key" in row.body  # xAI refuses one with 400
            expected = AuthenticationError if wrong_key else EXPECTED[row.status]
            assert type(error) is expected, row.id
            assert_says_what_the_provider_said(str(error), row.body)
            if isinstance(error, ModelError | RequestError):
                assert error.status == row.status
    print(f"{len(of_this_api)} / {len(of_this_api)} refusals of this API, {len(rows)} of all")  # noqa: T201  # the count
    assert len(of_this_api) >= 13
    assert len(rows) >= 38
    assert len(server.requests) == len(rows)


def assert_says_what_the_provider_said(text: str, body: bytes) -> None:
    value = json.loads(body)
    inner = value["error"] if isinstance(value.get("error"), dict) else value
    said = inner.get("message") or inner.get("detail") or inner.get("error")
    assert said[:900].strip() in text


@pytest.mark.anyio
async def test_every_attested_error_becomes_its_error(
    server: Loopback, model_at: ModelAt, shared_data: Callable[[str], Path]
) -> None:
    lines = shared_data("wire/attested_errors.jsonl").read_text().splitlines()
    model, seen = model_at(backoff=Backoff(tries=1)), list[tuple[str, float | None]]()
    for row in map(json.loads, lines):
        if row["status"] is None:  # delivered inside a stream, as the bare error object
            body, headers = b"data: " + json.dumps(row["body"]).encode() + b"\n\n", EVENTS
        else:
            body = row.get("body_sse", json.dumps(row.get("body"))).encode()
            headers = row["headers"] or JSON
        error = await refused(server, model, Answer(body, row["status"] or 200, headers))
        seen.append((type(error).__name__, getattr(error, "retry_after", None)))
    assert seen == [
        ("OverloadedError", None),
        ("OverloadedError", None),
        ("RateLimitError", 0.006),
        ("RateLimitError", 1.574),
        ("RateLimitError", None),
    ]


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ({"error": {"message": "m", "code": 502}}, OverloadedError),
        ({"error": {"message": "m", "code": "429"}}, RateLimitError),
        ({"error": {"message": "m", "type": "server_error"}}, OverloadedError),
        ({"error": {"message": "m", "code": "context_length_exceeded"}}, RequestError),
        ({"error": {"message": "m", "type": "authentication_error"}}, AuthenticationError),
        ({"error": {"message": "m", "code": "never_heard_of"}}, ModelError),
        (
            {
                "error": {
                    "message": "m",
                    "type": "invalid_request_error",
                    "code": "rate_limit_error",
                }
            },
            RateLimitError,
        ),
        ({"choices": [{"index": 0, "error": {"message": "m", "code": 503}}]}, OverloadedError),
    ],
)
@pytest.mark.parametrize("streamed", [False, True])
async def test_an_error_inside_an_answer_of_200_is_an_error(
    body: object,
    kind: type,
    *,
    streamed: bool,
    server: Loopback,
    model_at: ModelAt,
) -> None:
    text = json.dumps(body).encode()
    answer = events(chunk(), b"data: " + text + b"\n\n") if streamed else Answer(text)
    error = await refused(server, model_at(backoff=Backoff(tries=1)), answer)
    assert type(error) is kind
    assert "m" in str(error)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ([{"error": {"code": 400, "message": "m"}}], "m"),
        ({"error": {"message": "m", "metadata": {"raw": "upstream says"}}}, "m: upstream says"),
        ({"error": {"metadata": {"raw": "upstream says"}}}, "upstream says"),
        ({"error": {"message": "\ud83d"}}, "\ufffd"),
        ({"error": {"type": "t"}}, '{"error": {"type": "t"}}'),
        (
            {"detail": [{"loc": ["body"], "msg": "m"}]},
            '{"detail": [{"loc": ["body"], "msg": "m"}]}',
        ),
    ],
)
def test_the_reason_is_found_in_shapes_that_were_not_recorded(body: object, message: str) -> None:
    assert parse_error_body(json.dumps(body).encode()).message == message


@pytest.mark.parametrize(
    ("size", "end"), [(1_000, ""), (1_001, "... (1001 characters)")], ids=["whole", "cut"]
)
def test_a_reason_has_up_to_a_thousand_characters(size: int, end: str) -> None:
    body = json.dumps({"error": {"message": "x" * size}}).encode()
    assert parse_error_body(body).redacted(str).message == "x" * 1_000 + end


@pytest.mark.anyio
@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 413, 422])
async def test_misuse_is_one_request(status: int, server: Loopback, model_at: ModelAt) -> None:
    error = await refused(server, model_at(), error_response(status, headers={"retry-after": "1"}))
    assert isinstance(error, MisuseError)
    assert len(server.requests) == 1


@pytest.mark.anyio
async def test_an_error_says_who_what_where_and_which_request(
    server: Loopback, model_at: ModelAt
) -> None:
    answer = error_response(
        404, "The model `x` does not exist", code="model_not_found", headers={"x-request-id": "r7"}
    )
    error = await refused(server, model_at(provider="groq"), answer)
    assert str(error) == (
        f"groq at {server.url} answered 404: The model `x` does not exist (model_not_found) "
        "[request r7]"
    )
    assert isinstance(error, RequestError)
    assert (error.status, error.request_id) == (404, "r7")


@pytest.mark.anyio
async def test_a_request_no_http_can_carry_is_misuse(server: Loopback, model_at: ModelAt) -> None:
    async with httpx.AsyncClient(headers={"x-team": "a\nb"}) as client:
        with pytest.raises(RequestError, match="cannot be sent this request"):
            await model_at(client=client).reply(ASK)
    assert server.requests == []


@pytest.mark.anyio
async def test_a_page_instead_of_a_reason_is_cut_short(server: Loopback, model_at: ModelAt) -> None:
    page, html = b"<html>" + b"x" * 200_000, {"content-type": "text/html"}
    endless = Answer(page, 404, html, stop_after=len(page), end="hang")
    with anyio.fail_after(10.0):
        error = await refused(server, model_at(api_key=""), endless)
    assert len(str(error)) < 1200


@pytest.mark.anyio
async def test_a_reason_that_breaks_off_does_not_hide_the_status(
    server: Loopback, model_at: ModelAt
) -> None:
    answer = Answer(b'{"error": {"message": "bad key', 401, stop_after=20)
    assert isinstance(await refused(server, model_at(), answer), AuthenticationError)
    assert len(server.requests) == 1


@pytest.mark.anyio
async def test_a_moved_server_is_misuse_and_says_where_to(
    server: Loopback, model_at: ModelAt
) -> None:
    answer = Answer(status=308, headers={"location": "https://elsewhere.example/v2"})
    error = await refused(server, model_at(), answer)
    assert isinstance(error, RequestError)
    assert "moved to https://elsewhere.example/v2" in str(error)


@pytest.mark.anyio
async def test_a_stop_for_a_filter_or_the_length_is_a_reply(
    server: Loopback, model_at: ModelAt
) -> None:
    choice = {"index": 0, "message": {"content": "cut"}, "finish_reason": "length"}
    server.answers.append(completion(choices=[choice]))
    assert (await model_at().reply(ASK)).finish_reason == "length"
    server.answers.append(events(chunk("x"), chunk(finish="content_filter"), DONE))
    assert (await model_at().reply(ASK, list[str]().append)).finish_reason == "content_filter"
