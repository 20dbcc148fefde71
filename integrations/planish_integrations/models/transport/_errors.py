"""Parse a provider's error responses and map them to planish's errors."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from http import HTTPStatus

import httpx

from planish.errors import (
    AuthenticationError,
    ModelError,
    OverloadedError,
    PlanishError,
    RateLimitError,
    RequestError,
)
from planish_integrations.models.transport._endpoint import Endpoint
from planish_integrations.models.transport._retry_after import find_retry_after, parse_duration
from planish_integrations.models.transport._secret import Secret
from planish_integrations.models.transport.json_values import (
    as_count,
    as_list,
    as_map,
    as_text,
    decode,
    repair_surrogates,
)

__all__ = [
    "ErrorBody",
    "InBandError",
    "RetryableError",
    "find_error_body",
    "in_band_error",
    "parse_error_body",
    "status_error",
]

_STATUS = re.compile("[45][0-9][0-9]")
_STATUSES = range(400, 600)  # HTTP's client and server errors
_REPLY_FIELDS = frozenset({"choices", "output", "content", "candidates", "done"})
_MAX_MESSAGE = 1_000  # characters: enough for a real message, too few for a whole page
_MAX_PARSED = 64 * 1024  # characters of a message that are read at all


@dataclass(frozen=True, slots=True)
class ErrorBody:
    """The error object in a response of any provider.

    Attributes:
        message: The error message; may be empty. It may quote the key, until `redacted`.
        codes: `code`, `type` and `status` in lower case, if they are strings.
        status: `code` if it is an HTTP status, as OpenRouter sends it.
        retry_after: Seconds to wait, from a field of the error object.
        request_id: The provider's id of the request, if the body has it (Anthropic).
    """

    message: str
    codes: frozenset[str] = frozenset()
    status: int | None = None
    retry_after: float | None = None
    request_id: str | None = None

    def redacted(self, redact: Callable[[str], str]) -> "ErrorBody":
        """Return it without secrets, and with at most 1,000 characters of the message.

        In this order: half a key, cut off at the end, could not be found.
        """
        return replace(
            self,
            message=_shorten(redact(self.message)),
            codes=frozenset(map(redact, self.codes)),
            request_id=self.request_id and redact(self.request_id),
        )


class InBandError(Exception):
    """A response with HTTP status 200 holds an error object."""

    def __init__(self, error_body: ErrorBody) -> None:
        super().__init__(error_body.message)
        self.error_body = error_body


def parse_error_body(body: bytes) -> ErrorBody:
    """Return the error object in the body of an error response, which may be any text."""
    try:
        found = find_error_body(decode(body)) or ErrorBody("")
    except ValueError:
        found = ErrorBody("")
    return replace(found, message=found.message or _clean(body.decode("utf-8", "replace")))


def find_error_body(value: object) -> ErrorBody | None:
    """Return the error object in a decoded body or event; None if there is none.

    Recorded forms: `{"error": {"message", "type", "code"}}` (OpenAI and most), the inner object
    alone, `{"error": "text", "code"}` (xAI), `{"detail": "text"}` (Mistral),
    `{"message": "text"}` (Cohere, Bedrock), `{"error": "text"}` (Ollama), and a list of one of
    them (Gemini). Error events of the Responses API have a `message` beside `"type": "error"`.
    """
    fields = as_map(next(iter(as_list(value)), value))
    if fields.get("error"):
        inner = as_map(fields["error"]) or fields
    elif not _REPLY_FIELDS & fields.keys() and (
        as_text(fields.get("message")) or fields.get("detail")
    ):
        inner = fields
    else:
        return None
    return ErrorBody(
        _message(inner),
        _codes(inner),
        _http_status(inner),
        _retry_after(inner),
        as_text(fields.get("request_id")) or None,
    )


def _message(fields: Mapping[str, object]) -> str:
    texts = (as_text(fields.get(name)) for name in ("message", "error", "detail"))
    # OpenRouter's own message is "Provider returned error"; `raw` has the provider's message.
    raw = as_text(as_map(fields.get("metadata")).get("raw"))
    return _clean(": ".join(part for part in (next(filter(None, texts), ""), raw) if part))


def _codes(fields: Mapping[str, object]) -> frozenset[str]:
    codes = [as_text(fields.get(name)).lower() for name in ("code", "type", "status")]
    # Google's ErrorInfo gives the specific reason of a 400 in `details`.
    codes += [as_text(as_map(d).get("reason")).lower() for d in as_list(fields.get("details"))]
    return frozenset(code for code in codes if code)


def _retry_after(fields: Mapping[str, object]) -> float | None:
    """Return the longest wait in seconds: Google sends `retryDelay: "48s"`, others a number."""
    delays = (as_map(d).get("retryDelay") for d in as_list(fields.get("details")))
    others = (fields.get(name) for name in ("retry_after", "estimated_time"))
    waits = (parse_duration(str(value)) for value in (*delays, *others) if value is not None)
    return max((seconds for seconds in waits if seconds is not None), default=None)


def _http_status(fields: Mapping[str, object]) -> int | None:
    code = fields.get("code")
    number = int(code) if isinstance(code, str) and _STATUS.fullmatch(code) else as_count(code)
    return number if number in _STATUSES else None


def _clean(text: str) -> str:
    return repair_surrogates(text[:_MAX_PARSED]).strip()


def _shorten(text: str) -> str:
    if len(text) <= _MAX_MESSAGE:
        return text
    return f"{text[:_MAX_MESSAGE]}... ({len(text)} characters)"


_SERVER_ERROR = 500  # statuses from here on are errors of the server; 529 is Anthropic's overload
# Request timeout, conflict (a lock), too early: the clients of OpenAI and Anthropic resend them.
_RETRYABLE = (408, 409, 425)
_REFUSALS = (503, 529)  # and 429: come back later
_QUOTA_CODES = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})
# Google and xAI reject an invalid key with 400.
_INVALID_KEY_CODES = frozenset({"invalid_api_key", "api_key_invalid"})
_INVALID_KEY = re.compile(r"(?i:(?:incorrect|invalid) api key|api key (?:not valid|expired))")
# The HTTP status that each code of an error object in a response with status 200 stands for.
_STATUS_BY_CODE = {
    "rate_limit_exceeded": 429,
    "rate_limit_error": 429,
    "too_many_requests": 429,
    "resource_exhausted": 429,
    "tokens": 429,
    "requests": 429,
    **dict.fromkeys(_QUOTA_CODES, 429),
    "overloaded_error": 529,
    "server_error": 500,
    "internal_server_error": 500,
    "internal_error": 500,
    "internal": 500,
    "api_error": 500,
    "vector_store_timeout": 504,
    "service_unavailable": 503,
    "unavailable": 503,
    "engine_overloaded": 503,
    "timeout": 504,
    "timeout_error": 504,
    "deadline_exceeded": 504,
    "authentication_error": 401,
    "unauthenticated": 401,
    **dict.fromkeys(_INVALID_KEY_CODES, 401),
    "permission_error": 403,
    "permission_denied": 403,
    "not_found_error": 404,
    "not_found": 404,
    "model_not_found": 404,
    "context_length_exceeded": 400,
    "invalid_request_error": 400,
    "invalid_argument": 400,
    "invalid_prompt": 400,
    "failed_precondition": 400,
}


class RetryableError(Exception):
    """A failure that may not occur again; raised and caught inside this package only.

    Attributes:
        error: The error to raise if no retry follows.
        retry_after: Seconds the provider asks to wait; None if it does not say.
        is_refusal: The provider asked to come back later (429, 503, 529) and did no work.
        is_unreadable: There was a response, most likely paid for, that cannot be read.
        is_absent: The server would be on this machine, and nothing listens at its port.
    """

    def __init__(
        self,
        error: ModelError,
        retry_after: float | None = None,
        *,
        is_refusal: bool = False,
        is_unreadable: bool = False,
        is_absent: bool = False,
    ) -> None:
        super().__init__(str(error))
        self.error = error
        self.retry_after = retry_after
        self.is_refusal = is_refusal
        self.is_unreadable = is_unreadable
        self.is_absent = is_absent


def status_error(
    endpoint: Endpoint, response: httpx.Response, error_body: ErrorBody
) -> PlanishError | RetryableError:
    """Return the error to raise for a response whose status is not 2xx."""
    return _error(endpoint, response, error_body, response.status_code)


def in_band_error(
    endpoint: Endpoint, response: httpx.Response, error_body: ErrorBody
) -> PlanishError | RetryableError:
    """Return the error to raise for an error object in a response with status 200."""
    known = (_STATUS_BY_CODE[code] for code in error_body.codes if code in _STATUS_BY_CODE)
    # The higher of two is more specific: "rate_limit_error" beside "invalid_request_error".
    status = error_body.status or max(known, default=None)
    return _error(endpoint, response, error_body, status)


def _error(
    endpoint: Endpoint, response: httpx.Response, error_body: ErrorBody, meaning: int | None
) -> PlanishError | RetryableError:
    status, headers = response.status_code, response.headers
    error_body = error_body.redacted(endpoint.redact)
    wait = find_retry_after(headers, error_body.message, error_body.retry_after)
    reason = _describe(endpoint, response, error_body)
    if wait:
        reason += f"; it asks to wait {wait:.3g} s"
    message = endpoint.message(reason, headers, error_body.request_id)
    request_id = endpoint.request_id(headers) or error_body.request_id
    may_retry = headers.get("x-should-retry") != "false"  # sent by Anthropic and OpenAI
    match _corrected(meaning, error_body):
        case None:  # a 200 that broke off for an unknown reason: most likely not the request's
            unknown = ModelError(message, status=status, request_id=request_id)
            return RetryableError(unknown, wait) if may_retry else unknown
        case 429:
            limit = RateLimitError(message, retry_after=wait, status=status, request_id=request_id)
            no_quota = error_body.codes & _QUOTA_CODES
            if no_quota or not may_retry:
                return limit
            return RetryableError(limit, wait, is_refusal=True)
        case 401 | 403:
            source = endpoint.key.variable if isinstance(endpoint.key, Secret) else None
            message += f"; the key is the value of {source}" if source else ""
            return AuthenticationError(message, status=status, request_id=request_id)
        case code if code >= _SERVER_ERROR or code in _RETRYABLE:
            overload = OverloadedError(message, status=status, request_id=request_id)
            is_refusal = code in _REFUSALS
            return RetryableError(overload, wait, is_refusal=is_refusal) if may_retry else overload
        case _:
            return RequestError(message, status=status, request_id=request_id)


def _corrected(status: int | None, error_body: ErrorBody) -> int | None:
    """Return the status, with 401 in place of a 400 for an invalid key."""
    invalid_key = error_body.codes & _INVALID_KEY_CODES or _INVALID_KEY.search(error_body.message)
    return HTTPStatus.UNAUTHORIZED if status == HTTPStatus.BAD_REQUEST and invalid_key else status


def _describe(endpoint: Endpoint, response: httpx.Response, error_body: ErrorBody) -> str:
    reason = error_body.message or "no reason given"
    if response.has_redirect_location:
        reason = f"it has moved to {endpoint.redact(response.headers['location'])[:200]}"
    codes = f" ({', '.join(sorted(error_body.codes))})" if error_body.codes else ""
    return f"answered {response.status_code}: {reason}{codes}"
