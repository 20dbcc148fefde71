"""How long a provider asks to wait, wherever it says so."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

__all__ = ["asked_wait", "duration"]

_NUMBER = re.compile(r"\d{1,9}(?:\.\d{1,9})?")
_STEPS = r"(?:\d{1,9}(?:\.\d{1,9})?\s?(?:ms|[dhms]|seconds?|minutes?)\s?)+"
# OpenAI: "Please try again in 6ms", "in 1.574s"; Groq: "in 2m59.56s"; Gemini: "retry in 23.9s";
# Azure: "retry after 8 seconds".
_IN_MESSAGE = re.compile(rf"(?:try again|retry) (?:in|after) ({_STEPS})", re.IGNORECASE)
_DURATION = re.compile(_STEPS, re.IGNORECASE)
_STEP = re.compile(r"(\d+(?:\.\d+)?)\s?(ms|[dhms])", re.IGNORECASE)
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_RESET = re.compile(r"(?:x-|anthropic-)ratelimit-(?:(.+)-)?reset(?:-(.+))?")
_MOMENT = re.compile(r"\d{10,13}")  # seconds since 1970, or milliseconds as OpenRouter sends
_MILLIS = 1e11  # a moment from here on is in milliseconds


def asked_wait(headers: Mapping[str, str], message: str, told: float | None = None) -> float | None:
    """Seconds the provider asks to wait; None where it does not say.

    Read, first found first: `retry-after-ms` (milliseconds), `retry-after` (seconds, or an
    HTTP date, compared with the answer's own `date` where it has one, so that a wrong clock
    here does no harm), then the error object's own field or the words of its message, whichever
    is longer, then the rate-limit headers of those limits that are used up.

    Args:
        headers: Of the answer, with lower-case names.
        message: What the provider's error object says.
        told: What a field of the error object says, in seconds.
    """
    if _NUMBER.fullmatch(milliseconds := headers.get("retry-after-ms", "").strip()):
        return float(milliseconds) / 1000
    after = headers.get("retry-after", "").strip()
    if _NUMBER.fullmatch(after):
        return float(after)
    now = _date(headers.get("date", "")) or datetime.now(UTC)
    if (then := _date(after)) is not None:
        return max(0.0, (then - now).total_seconds())
    said = _IN_MESSAGE.search(message)
    waits = [wait for wait in (told, duration(said[1]) if said else None) if wait is not None]
    return max(waits, default=None) if waits else _reset(headers, now)


def duration(text: str) -> float | None:
    """Seconds in "48s", "6m0s", "4ms" or a plain number; None where it is something else.

    >>> duration("1m30s"), duration("250ms"), duration("1.5"), duration("soon")
    (90.0, 0.25, 1.5, None)
    """
    text = text.strip()
    if _NUMBER.fullmatch(text):
        return float(text)
    if not _DURATION.fullmatch(text):
        return None
    return sum(float(n) * _SECONDS[unit.lower()] for n, unit in _STEP.findall(text))


def _reset(headers: Mapping[str, str], now: datetime) -> float | None:
    """The longest wait for a limit of which nothing remains."""
    waits: list[float] = []
    for name, value in headers.items():
        found = _RESET.fullmatch(name)
        if found is None:
            continue
        left = headers.get(name.replace("reset", "remaining"), "").strip()
        if _NUMBER.fullmatch(left) and float(left) == 0:
            wait = _until(value.strip(), now)
            waits += [] if wait is None else [wait]
    return max(waits, default=None)


def _until(text: str, now: datetime) -> float | None:
    if (span := duration(text)) is not None:
        return span
    if _MOMENT.fullmatch(text):
        number = float(text)
        return max(0.0, (number / 1000 if number >= _MILLIS else number) - now.timestamp())
    try:
        then = datetime.fromisoformat(text)  # Anthropic: RFC 3339
    except ValueError:
        return None
    return max(0.0, (then.replace(tzinfo=then.tzinfo or UTC) - now).total_seconds())


def _date(text: str) -> datetime | None:
    try:
        date = parsedate_to_datetime(text)
    except ValueError:
        return None
    return date if date.tzinfo else date.replace(tzinfo=UTC)
