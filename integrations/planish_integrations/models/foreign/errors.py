"""What every adapter of another library needs: its errors on our roads, and its absence said."""

import re
import sys
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from importlib import import_module
from types import ModuleType
from typing import Any, Literal, cast

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

__all__ = ["error_of", "must_run_on_asyncio", "needed"]

_SERVER = 500  # HTTP: from here on it is the server's trouble
_PASSING = (408, 409, 425)  # time-out, lock, too early: it may go better next time
_LONGEST = 1_000  # characters of another library's message
_SECRET = re.compile(r"\b(?:sk|pk|gsk|xai|hf|AIza)[-_A-Za-z0-9]{12,}")
_NUMBER = re.compile(r"\d{1,9}(?:\.\d{1,9})?")
_REQUEST_IDS = ("x-request-id", "request-id", "apim-request-id")

_Road = Literal["key", "rate", "overload", "request", "limit", "nonsense"]
# What libraries call what has no HTTP status: openai, anthropic, httpx, aiohttp, botocore,
# google-api-core, pydantic-ai, langchain-core. Of an error's classes the nearest counts.
_ROADS: Mapping[str, _Road] = {
    "ModelAuthenticationError": "key",
    "NoCredentialsError": "key",
    "ModelRateLimitError": "rate",
    "ModelQuotaExceededError": "rate",
    "APIConnectionError": "overload",
    "ClientConnectionError": "overload",
    "ConcurrencyLimitExceeded": "overload",
    "EndpointConnectionError": "overload",
    "ModelConnectionError": "overload",
    "ModelRequestTimeout": "overload",
    "ModelServerError": "overload",
    "ModelUnavailableError": "overload",
    "OSError": "overload",
    "TransportError": "overload",
    "ModelRequestRejectedError": "request",
    "UserError": "request",
    "UsageLimitExceeded": "limit",
    "APIResponseValidationError": "nonsense",
    "ModelAPIError": "nonsense",
    "OutputParserException": "nonsense",
    "UnexpectedModelBehavior": "nonsense",
}


def error_of(error: BaseException, who: str) -> PlanishError | None:
    """The planish error of the road another library's error belongs on.

    Nothing of those libraries is imported: what counts is the HTTP status an error carries
    (`status_code`, `code`, or that of its `response`), and else the name of its class.

    Args:
        error: What was raised.
        who: Which model was asked, for the message.

    Returns:
        The error to raise from it; None where it says nothing of a provider: a bug, mostly.
    """
    if isinstance(error, PlanishError):
        return error
    if isinstance(error, BaseExceptionGroup):
        # pydantic-ai's fallback: the last model that was tried is the one to speak of.
        inner = cast("BaseExceptionGroup[BaseException]", error).exceptions[-1]
        return error_of(inner, who)
    message = _SECRET.sub("***", f"{who}: {type(error).__name__}: {str(error)[:_LONGEST]}")
    status, headers = _status(error), _headers(error)
    road = _by_status(status) if status is not None else _by_name(error)
    request_id = next((headers[n] for n in _REQUEST_IDS if n in headers), None)
    match road:
        case "key":
            return AuthenticationError(message, status=status, request_id=request_id)
        case "rate":
            wait = _wait(error, headers)
            return RateLimitError(message, retry_after=wait, status=status, request_id=request_id)
        case "overload":
            return OverloadedError(message, status=status, request_id=request_id)
        case "request":
            return RequestError(message, status=status, request_id=request_id)
        case "limit":
            return LimitError(message)
        case "nonsense":
            return ModelError(message, status=status, request_id=request_id)
        case None:
            return None


def must_run_on_asyncio(what: str) -> None:
    """Refuse at once where a library that knows only asyncio would fail in the middle.

    Raises:
        UnsupportedError: this is trio.
    """
    trio: Any = sys.modules.get("trio")
    if trio is not None and trio.lowlevel.in_trio_run():
        raise UnsupportedError(f"{what} runs on asyncio only, and this is trio")


def needed(module: str, extra: str) -> ModuleType:
    """A module of an optional dependency.

    Raises:
        UnsupportedError: it is not installed; the message says how to install it.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != module.partition(".")[0]:
            raise
        raise UnsupportedError(
            f'{module.partition(".")[0]} is not installed: pip install "planish[{extra}]"'
        ) from None


def _by_status(status: int) -> _Road:
    match status:
        case 401 | 403:
            return "key"
        case 429:
            return "rate"
        case _:
            return "overload" if status >= _SERVER or status in _PASSING else "request"


def _by_name(error: BaseException) -> _Road | None:
    names = (kind.__name__ for kind in type(error).__mro__)
    return next((_ROADS[name] for name in names if name in _ROADS), None)


def _status(error: BaseException) -> int | None:
    response: Any = getattr(error, "response", None)
    if isinstance(response, Mapping):  # botocore's
        response = cast("Mapping[str, Any]", response).get("ResponseMetadata", {})
        places = [response.get("HTTPStatusCode")]
    else:
        places = [
            getattr(error, "status_code", None),
            getattr(response, "status_code", None),
            getattr(error, "code", None),
        ]
    return next((int(p) for p in places if isinstance(p, int) and 400 <= p < 600), None)  # noqa: PLR2004  # HTTP's errors


def _headers(error: BaseException) -> dict[str, str]:
    return {name.lower(): value for name, value in _pairs(error)}


def _pairs(error: BaseException) -> Iterator[tuple[str, str]]:
    holders: tuple[Any, ...] = (error, getattr(error, "response", None))
    found = [getattr(holder, "headers", None) for holder in holders]
    # LiteLLM keeps those of the provider's answer in a place of its own.
    for headers in (*found, getattr(error, "litellm_response_headers", None)):
        if isinstance(headers, Mapping):
            told = cast("Mapping[object, object]", headers)
            yield from ((str(name), str(value)) for name, value in told.items())


def _wait(error: BaseException, headers: Mapping[str, str]) -> float | None:
    """Seconds the provider asks to wait."""
    said = getattr(error, "retry_after", None)
    if isinstance(said, int | float):
        return float(said)
    if _NUMBER.fullmatch(milliseconds := headers.get("retry-after-ms", "")):
        return float(milliseconds) / 1000
    after = headers.get("retry-after", "")
    if _NUMBER.fullmatch(after):
        return float(after)
    try:
        then = parsedate_to_datetime(after)
    except ValueError:
        return None
    return max(0.0, (then - datetime.now(UTC)).total_seconds()) if then.tzinfo else None
