"""What a provider says of a request it did not answer."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from planish_integrations.models.transport._retry_after import duration
from planish_integrations.models.transport._text import mend
from planish_integrations.models.transport.decoded import as_count, as_list, as_map, as_text, decode

__all__ = ["Complaint", "ComplaintError", "complaint_in", "complaint_of"]

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
