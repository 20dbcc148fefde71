"""Other libraries' errors, on our roads: real ones, of libraries that are here."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import anyio
import httpx
import pytest

from planish.errors import (
    AuthenticationError,
    LimitError,
    ModelError,
    OverloadedError,
    PlanishError,
    RateLimitError,
    RequestError,
    UnsupportedError,
)
from planish_integrations.models.foreign.errors import (
    require_asyncio,
    require_package,
    translate_error,
)

URL = "http://127.0.0.1:9/v1"


def _refused(status: int, **headers: str) -> httpx.HTTPStatusError:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    request = httpx.Request("POST", URL)
    response = httpx.Response(status, headers=named, request=request)
    return httpx.HTTPStatusError(f"status {status}", request=request, response=response)


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (400, RequestError),
        (401, AuthenticationError),
        (403, AuthenticationError),
        (404, RequestError),
        *((passing, OverloadedError) for passing in (408, 409, 425)),
        (422, RequestError),
        (429, RateLimitError),
        (500, OverloadedError),
        (503, OverloadedError),
        (529, OverloadedError),
    ],
)
def test_a_status_is_a_road(status: int, expected: type[PlanishError]) -> None:
    known = translate_error(_refused(status, x_request_id="req-1"), "m")
    assert type(known) is expected
    assert vars(known)["request_id"] == "req-1"
    assert vars(known)["status"] == status


NAMES: dict[type[PlanishError], tuple[str, ...]] = {
    AuthenticationError: ("ModelAuthenticationError", "NoCredentialsError"),
    RateLimitError: ("ModelRateLimitError", "ModelQuotaExceededError"),
    OverloadedError: (
        *("APIConnectionError", "ClientConnectionError", "ConcurrencyLimitExceeded"),
        *("EndpointConnectionError", "ModelConnectionError", "ModelRequestTimeout"),
        *("ModelServerError", "ModelUnavailableError", "OSError", "TransportError"),
    ),
    RequestError: ("ModelRequestRejectedError", "UserError"),
    LimitError: ("UsageLimitExceeded",),
    ModelError: (
        *("APIResponseValidationError", "ModelAPIError", "OutputParserException"),
        "UnexpectedModelBehavior",
    ),
}


@pytest.mark.parametrize(
    ("expected", "name"), [(kind, name) for kind, names in NAMES.items() for name in names]
)
def test_without_a_status_the_nearest_name_of_a_class_counts(
    expected: type[PlanishError], name: str
) -> None:
    named = type(name, (Exception,), {})
    below = type("Special", (named,), {})
    for kind in (named, below):
        known = translate_error(kind("it broke"), "m")
        assert type(known) is expected
        assert str(known).startswith(f"m: {kind.__name__}: it broke")
    assert translate_error(type(f"{name}s", (Exception,), {})(), "m") is None


@pytest.mark.parametrize("name", ["x_request_id", "request_id", "apim_request_id"])
def test_the_id_of_a_request_has_several_names(name: str) -> None:
    assert vars(translate_error(_refused(500, **{name: "req-2"}), "m"))["request_id"] == "req-2"


def test_the_status_may_stand_in_several_places() -> None:
    class OddError(Exception):
        status_code: object = None
        code: object = None
        response: object = None

    for place, value in (("status_code", 401), ("code", 401)):
        error = OddError()
        setattr(error, place, value)
        assert type(translate_error(error, "m")) is AuthenticationError
    botocore = OddError()
    botocore.response = {"ResponseMetadata": {"HTTPStatusCode": 429}}
    assert type(translate_error(botocore, "m")) is RateLimitError
    for number in (399, 600, "401"):
        error = OddError()
        error.code = number
        assert translate_error(error, "m") is None


@pytest.mark.anyio
async def test_what_httpx_raises_of_the_network_is_overload() -> None:
    async with httpx.AsyncClient(trust_env=False) as http:
        with pytest.raises(httpx.ConnectError) as caught:
            await http.get(URL)
    assert type(translate_error(caught.value, "m")) is OverloadedError


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({}, None),
        ({"retry_after": "7"}, 7.0),
        ({"retry_after_ms": "250"}, 0.25),
        ({"retry_after": "soon"}, None),
    ],
)
def test_a_rate_limit_says_how_long(headers: dict[str, str], wait: float | None) -> None:
    known = translate_error(_refused(429, **headers), "m")
    assert isinstance(known, RateLimitError)
    assert known.retry_after == wait


def test_a_rate_limit_says_how_long_as_a_date() -> None:
    then = datetime.now(UTC) + timedelta(seconds=60)
    known = translate_error(_refused(429, retry_after=format_datetime(then, usegmt=True)), "m")
    assert isinstance(known, RateLimitError)
    assert 30 < (known.retry_after or 0) <= 60


def test_of_a_group_the_last_one_counts() -> None:
    group = ExceptionGroup("all failed", [_refused(500), _refused(401)])
    assert type(translate_error(group, "m")) is AuthenticationError


def test_a_bug_is_left_as_it_is() -> None:
    assert translate_error(KeyError("x"), "m") is None
    assert translate_error(AttributeError("x"), "m") is None


def test_our_own_errors_are_what_they_are() -> None:
    error = ModelError("x")
    assert translate_error(error, "m") is error


def test_no_key_and_no_whole_page_is_in_the_message() -> None:
    request = httpx.Request("POST", URL)
    response = httpx.Response(401, request=request)
    text = f"wrong key sk-proj-0123456789abcdef {'x' * 5000}"
    known = translate_error(httpx.HTTPStatusError(text, request=request, response=response), "m")
    assert "0123456789" not in str(known)
    assert "***" in str(known)
    assert len(str(known)) < 1_200


def test_what_is_missing_says_how_to_get_it() -> None:
    with pytest.raises(UnsupportedError, match="install planish with its extra nothing"):
        require_package("planish_no_such_package.inner", "nothing")
    assert require_package("json.decoder", "x").__name__ == "json.decoder"


def test_trio_is_told_from_asyncio() -> None:
    async def check() -> None:
        require_asyncio("This")

    anyio.run(check, backend="asyncio")
    require_asyncio("This")
    with pytest.raises(UnsupportedError, match="This runs on asyncio only"):
        anyio.run(check, backend="trio")
