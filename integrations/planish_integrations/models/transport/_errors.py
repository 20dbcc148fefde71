"""Map a provider's error responses to planish's errors."""

import re
from collections.abc import Mapping
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
from planish_integrations.models.transport._endpoint import Endpoint, request_id_of
from planish_integrations.models.transport._retry_after import asked_wait, duration
from planish_integrations.models.transport.json_values import (
    as_count,
    as_list,
    as_map,
    as_text,
    decode,
    mend,
)

__all__ = [
    "Complaint",
    "ComplaintError",
    "Trouble",
    "complaint_in",
    "complaint_of",
    "refusal",
    "refusal_within",
]

_STATUS = re.compile("[45][0-9][0-9]")
_STATUSES = range(400, 600)  # HTTP's client and server errors
_LONGEST = 1_000  # characters of a message: room for any real one, none for a whole page


@dataclass(frozen=True, slots=True)
class Complaint:
    """An error object, of whichever provider.

    Attributes:
        message: What it says, at most 1,000 characters; may be empty.
        words: Its `code`, `type` and `status` in lower case, as far as they are words.
        number: Its `code` where that is an HTTP status, as OpenRouter sends it.
        asked: Seconds it asks to wait, in a field of its own.
        request_id: The provider's id of the request, where the body has it (Anthropic).
    """

    message: str
    words: frozenset[str] = frozenset()
    number: int | None = None
    asked: float | None = None
    request_id: str | None = None


class ComplaintError(Exception):
    """An answer that began well (HTTP 200) holds an error object instead of text."""

    def __init__(self, complaint: Complaint) -> None:
        super().__init__(complaint.message)
        self.complaint = complaint


def complaint_of(body: bytes) -> Complaint:
    """What the body of an error response says: JSON of some shape, or any text at all."""
    try:
        found = complaint_in(decode(body)) or Complaint("")
    except ValueError:
        found = Complaint("")
    return replace(found, message=found.message or _short(body.decode("utf-8", "replace")))


def complaint_in(value: object) -> Complaint | None:
    """The error object in a decoded body or event; None where there is none.

    Recorded shapes: `{"error": {"message", "type", "code"}}` (OpenAI and most), the same
    object bare, `{"error": "text", "code"}` (xAI), `{"detail": "text"}` (Mistral),
    `{"message": "text"}` (Cohere, Bedrock), `{"error": "text"}` (Ollama), and a list of one of
    them (Gemini). Events of the Responses API have a `message` beside their `type` "error".
    """
    fields = as_map(next(iter(as_list(value)), value))
    if fields.get("error"):
        inner = as_map(fields["error"]) or fields
    elif "choices" not in fields and (as_text(fields.get("message")) or fields.get("detail")):
        inner = fields
    else:
        return None
    return Complaint(
        _message(inner),
        _words(inner),
        _number(inner),
        _asked(inner),
        as_text(fields.get("request_id")) or None,
    )


def _message(fields: Mapping[str, object]) -> str:
    said = (as_text(fields.get(name)) for name in ("message", "error", "detail"))
    # OpenRouter's own message is "Provider returned error"; the provider's is in here.
    raw = as_text(as_map(fields.get("metadata")).get("raw"))
    return _short(": ".join(part for part in (next(filter(None, said), ""), raw) if part))


def _words(fields: Mapping[str, object]) -> frozenset[str]:
    words = [as_text(fields.get(name)).lower() for name in ("code", "type", "status")]
    # Google's ErrorInfo says in a detail which of many reasons a 400 has.
    words += [as_text(as_map(d).get("reason")).lower() for d in as_list(fields.get("details"))]
    return frozenset(word for word in words if word)


def _asked(fields: Mapping[str, object]) -> float | None:
    """Google's RetryInfo has a `retryDelay` of "48s"; others a number of seconds."""
    delays = (as_map(d).get("retryDelay") for d in as_list(fields.get("details")))
    others = (fields.get(name) for name in ("retry_after", "estimated_time"))
    said = (duration(str(value)) for value in (*delays, *others) if value is not None)
    return max((seconds for seconds in said if seconds is not None), default=None)


def _number(fields: Mapping[str, object]) -> int | None:
    code = fields.get("code")
    number = int(code) if isinstance(code, str) and _STATUS.fullmatch(code) else as_count(code)
    return number if number in _STATUSES else None


def _short(text: str) -> str:
    text = mend(text).strip()
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}... ({len(text)} characters)"


_SERVER = 500  # from here on it is the server's trouble; 529 is Anthropic's "overloaded"
# The server gave up waiting for the request, or somebody held a lock, or it was too early:
# the clients of OpenAI and Anthropic send these again too.
_PASSING = (408, 409, 425)
_SPENT = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})
# Google and xAI refuse a wrong key with 400.
_KEY_WORDS = frozenset({"invalid_api_key", "api_key_invalid"})
_WRONG_KEY = re.compile(r"(?i:(?:incorrect|invalid) api key|api key (?:not valid|expired))")
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
    **dict.fromkeys(_KEY_WORDS, 401),
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
    message = endpoint.says(_what(response, complaint), headers, complaint.request_id)
    request_id = request_id_of(headers) or complaint.request_id
    asked = asked_wait(headers, complaint.message, complaint.asked)
    again = headers.get("x-should-retry") != "false"  # Anthropic and OpenAI say so themselves
    match _told(meant, complaint):
        case None:  # it began well and broke for a reason of its own: the world's, most likely
            broken = ModelError(message, status=status, request_id=request_id)
            return Trouble(broken, asked) if again else broken
        case 429:
            limit = RateLimitError(message, retry_after=asked, status=status, request_id=request_id)
            spent = complaint.words & _SPENT
            return limit if spent or not again else Trouble(limit, asked)
        case 401 | 403:
            return AuthenticationError(message, status=status, request_id=request_id)
        case told if told >= _SERVER or told in _PASSING:
            overload = OverloadedError(message, status=status, request_id=request_id)
            return Trouble(overload, asked) if again else overload
        case _:
            return RequestError(message, status=status, request_id=request_id)


def _told(meant: int | None, complaint: Complaint) -> int | None:
    """The status, but where a wrong key goes by that of a bad request."""
    wrong_key = complaint.words & _KEY_WORDS or _WRONG_KEY.search(complaint.message)
    return HTTPStatus.UNAUTHORIZED if meant == HTTPStatus.BAD_REQUEST and wrong_key else meant


def _what(response: httpx.Response, complaint: Complaint) -> str:
    reason = complaint.message or "no reason given"
    if response.has_redirect_location:
        reason = f"it has moved to {response.headers['location'][:200]}"
    words = f" ({', '.join(sorted(complaint.words))})" if complaint.words else ""
    return f"answered {response.status_code}: {reason}{words}"
