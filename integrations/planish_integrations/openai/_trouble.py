"""What a server answered instead of a reply, as one of planish's errors."""

import httpx

from planish.errors import (
    AuthenticationError,
    ModelError,
    OverloadedError,
    PlanishError,
    RateLimitError,
    RequestError,
)
from planish_integrations.openai._complaint import Complaint
from planish_integrations.openai._endpoint import Endpoint, request_id_of
from planish_integrations.openai._retry_after import asked_wait

__all__ = ["Trouble", "refusal", "refusal_within"]

_SERVER = 500  # from here on it is the server's trouble; 529 is Anthropic's "overloaded"
_WAITED = 408  # the server gave up waiting for the request
_SPENT = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})
# Words of error objects inside an answer that began with 200, and the status each stands for.
_STATUS_OF_WORD = {
    "rate_limit_exceeded": 429,
    "rate_limit_error": 429,
    "too_many_requests": 429,
    "resource_exhausted": 429,
    "tokens": 429,
    "requests": 429,
    **dict.fromkeys(_SPENT, 429),
    "overloaded_error": 529,
    "server_error": 500,
    "internal_server_error": 500,
    "internal_error": 500,
    "api_error": 500,
    "service_unavailable": 503,
    "engine_overloaded": 503,
    "timeout": 504,
    "authentication_error": 401,
    "invalid_api_key": 401,
    "permission_error": 403,
    "not_found_error": 404,
    "model_not_found": 404,
    "context_length_exceeded": 400,
    "invalid_request_error": 400,
}


class Trouble(Exception):  # noqa: N818  # never leaves this package: `error` does
    """Trouble that may pass.

    Attributes:
        error: What to raise when it does not.
        asked: Seconds the provider asks to wait; None where it does not say.
    """

    def __init__(self, error: ModelError, asked: float | None = None) -> None:
        super().__init__(str(error))
        self.error = error
        self.asked = asked


def refusal(
    endpoint: Endpoint, response: httpx.Response, complaint: Complaint
) -> PlanishError | Trouble:
    """What to raise for an answer whose status is not 2xx."""
    return _error(endpoint, response, complaint, response.status_code)


def refusal_within(
    endpoint: Endpoint, response: httpx.Response, complaint: Complaint
) -> PlanishError | Trouble:
    """What to raise for an error object inside an answer that began with 200."""
    known = (_STATUS_OF_WORD[word] for word in complaint.words if word in _STATUS_OF_WORD)
    # Of two words the graver tells more: "rate_limit_error" beside "invalid_request_error".
    status = complaint.number or max(known, default=None)
    return _error(endpoint, response, complaint, status)


def _error(
    endpoint: Endpoint, response: httpx.Response, complaint: Complaint, meant: int | None
) -> PlanishError | Trouble:
    status, headers = response.status_code, response.headers
    message = endpoint.says(_what(response, complaint), headers)
    request_id = request_id_of(headers)
    asked = asked_wait(headers, complaint.message)
    match meant:
        case None:
            return ModelError(message, status=status, request_id=request_id)
        case 429:
            limit = RateLimitError(message, retry_after=asked, status=status, request_id=request_id)
            return limit if complaint.words & _SPENT else Trouble(limit, asked)
        case 401 | 403:
            return AuthenticationError(message)
        case _ if meant >= _SERVER or meant == _WAITED:
            return Trouble(OverloadedError(message, status=status, request_id=request_id), asked)
        case _:
            return RequestError(message, status=status, request_id=request_id)


def _what(response: httpx.Response, complaint: Complaint) -> str:
    reason = complaint.message or "no reason given"
    if response.has_redirect_location:
        reason = f"it has moved to {response.headers['location'][:200]}"
    words = f" ({', '.join(sorted(complaint.words))})" if complaint.words else ""
    return f"answered {response.status_code}: {reason}{words}"
