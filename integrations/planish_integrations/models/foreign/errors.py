"""What the adapters of other libraries share: translated errors, asyncio and package checks."""

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

__all__ = ["require_asyncio", "require_package", "translate_error"]

_SERVER_ERROR = 500  # HTTP statuses from here on are errors of the server
_RETRYABLE = (408, 409, 425)  # request timeout, conflict, too early: another attempt may succeed
_MAX_MESSAGE = 1_000  # characters of another library's message
_SECRET = re.compile(r"\b(?:sk|pk|gsk|xai|hf|AIza)[-_A-Za-z0-9]{12,}")
_NUMBER = re.compile(r"\d{1,9}(?:\.\d{1,9})?")
_REQUEST_IDS = ("x-request-id", "request-id", "apim-request-id")

_Kind = Literal["key", "rate", "overload", "request", "limit", "response"]
# Names of error classes without an HTTP status: openai, anthropic, httpx, aiohttp, botocore,
# google-api-core, pydantic-ai, langchain-core. The first match in an error's MRO is used.
_KIND_BY_CLASS: Mapping[str, _Kind] = {
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
    "APIResponseValidationError": "response",
    "ModelAPIError": "response",
    "OutputParserException": "response",
    "UnexpectedModelBehavior": "response",
}


def translate_error(error: BaseException, model: str) -> PlanishError | None:
    """Return the planish error of the same kind as another library's error.

    Imports none of those libraries: it reads the HTTP status of the error (`status_code`, `code`,
    or that of its `response`), and otherwise the name of its class.

    Args:
        error: The error that was raised.
        model: The name of the model, for the message.

    Returns:
        The error to raise from it; None if it is no provider's error, so most likely a bug.
    """
    if isinstance(error, PlanishError):
        return error
    if isinstance(error, BaseExceptionGroup):
        # pydantic-ai's fallback model raises a group; the error of the last model is reported.
        last = cast("BaseExceptionGroup[BaseException]", error).exceptions[-1]
        return translate_error(last, model)
    message = _SECRET.sub("***", f"{model}: {type(error).__name__}: {str(error)[:_MAX_MESSAGE]}")
    status, headers = _status(error), _headers(error)
    kind = _kind_by_status(status) if status is not None else _kind_by_class(error)
    request_id = next((headers[n] for n in _REQUEST_IDS if n in headers), None)
    match kind:
        case "key":
            return AuthenticationError(message, status=status, request_id=request_id)
        case "rate":
            wait = _retry_after(error, headers)
            return RateLimitError(message, retry_after=wait, status=status, request_id=request_id)
        case "overload":
            return OverloadedError(message, status=status, request_id=request_id)
        case "request":
            return RequestError(message, status=status, request_id=request_id)
        case "limit":
            return LimitError(message)
        case "response":
            return ModelError(message, status=status, request_id=request_id)
        case None:
            return None


def require_asyncio(subject: str) -> None:
    """Raise an error on trio, before a library that needs asyncio fails in the middle.

    Args:
        subject: The library, for the message.

    Raises:
        UnsupportedError: the event loop is trio's.
    """
    trio: Any = sys.modules.get("trio")
    if trio is None:
        return
    try:
        trio.lowlevel.current_trio_token()  # every version of trio has it
    except RuntimeError:
        return
    raise UnsupportedError(f"{subject} runs on asyncio only, and this is trio")


def require_package(module: str, extra: str) -> ModuleType:
    """Import and return a module of an optional dependency.

    Args:
        module: The module.
        extra: planish's extra that installs it, for the message.

    Raises:
        UnsupportedError: it is not installed; the message says how to install it.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != module.partition(".")[0]:
            raise
        raise UnsupportedError(
            f"{module.partition('.')[0]} is not installed: install planish with its extra {extra}"
        ) from None


def _kind_by_status(status: int) -> _Kind:
    match status:
        case 401 | 403:
            return "key"
        case 429:
            return "rate"
        case _:
            return "overload" if status >= _SERVER_ERROR or status in _RETRYABLE else "request"


def _kind_by_class(error: BaseException) -> _Kind | None:
    names = (kind.__name__ for kind in type(error).__mro__)
    return next((_KIND_BY_CLASS[name] for name in names if name in _KIND_BY_CLASS), None)


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
    return {name.lower(): value for name, value in _header_pairs(error)}


def _header_pairs(error: BaseException) -> Iterator[tuple[str, str]]:
    holders: tuple[Any, ...] = (error, getattr(error, "response", None))
    candidates = [getattr(holder, "headers", None) for holder in holders]
    # LiteLLM stores the headers of the provider's response in an attribute of its own.
    for headers in (*candidates, getattr(error, "litellm_response_headers", None)):
        if isinstance(headers, Mapping):
            pairs = cast("Mapping[object, object]", headers).items()
            yield from ((str(name), str(value)) for name, value in pairs)


def _retry_after(error: BaseException, headers: Mapping[str, str]) -> float | None:
    """Return how many seconds the provider asks to wait; None if it does not say."""
    attribute = getattr(error, "retry_after", None)
    if isinstance(attribute, int | float):
        return float(attribute)
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
