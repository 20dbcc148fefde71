"""Find how long a provider asks to wait: in headers, error objects and error messages."""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

__all__ = ["find_retry_after", "parse_duration"]

_NUMBER = re.compile(r"\d{1,9}(?:\.\d{1,9})?")
_STEPS = r"(?:\d{1,9}(?:\.\d{1,9})?\s?(?:ms|[dhms]|seconds?|minutes?)\s?)+"
# OpenAI: "Please try again in 6ms", "in 1.574s"; Groq: "in 2m59.56s"; Gemini: "retry in 23.9s";
# Azure: "retry after 8 seconds".
_IN_MESSAGE = re.compile(rf"(?:try again|retry) (?:in|after) ({_STEPS})", re.IGNORECASE)
_DURATION = re.compile(_STEPS, re.IGNORECASE)
_STEP = re.compile(r"(\d+(?:\.\d+)?)\s?(ms|[dhms])", re.IGNORECASE)
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_RESET = re.compile(r"(?:x-|anthropic-)?ratelimit-(?:(.+)-)?reset(?:-(.+))?")
# IETF's draft "RateLimit header fields": `"per-minute";r=0;t=30`, and until its version 07
# `limit=100, remaining=0, reset=30`.
_ITEM = re.compile(r"(?:^|[;,\s])(r|t|remaining|reset)\s?=\s?(\d{1,9})(?=$|[;,\s])")
_TIMESTAMP = re.compile(r"\d{10,13}")  # seconds since 1970, or milliseconds as OpenRouter sends
_MIN_MILLISECONDS = 1e11  # timestamps from here on are in milliseconds


def find_retry_after(
    headers: Mapping[str, str], message: str, body_seconds: float | None = None
) -> float | None:
    """Return how many seconds the provider asks to wait; None if it does not say.

    The first of these that is present: the header `retry-after-ms` (milliseconds); the header
    `retry-after` (seconds, or an HTTP date, compared with the response's `date` header if it has
    one, because the local clock may be wrong); the longer of `body_seconds` and the wait in
    `message`; the longest wait in the rate-limit headers of exhausted limits (providers' own and
    IETF's `RateLimit`).

    Args:
        headers: The response's headers, with lower-case names.
        message: The error message.
        body_seconds: The wait in a field of the error object.
    """
    if _NUMBER.fullmatch(milliseconds := headers.get("retry-after-ms", "").strip()):
        return float(milliseconds) / 1000
    after = headers.get("retry-after", "").strip()
    if _NUMBER.fullmatch(after):
        return float(after)
    now = _parse_date(headers.get("date", "")) or datetime.now(UTC)
    if (then := _parse_date(after)) is not None:
        return max(0.0, (then - now).total_seconds())
    match = _IN_MESSAGE.search(message)
    in_message = parse_duration(match[1]) if match else None
    waits = [wait for wait in (body_seconds, in_message) if wait is not None]
    return max(waits, default=None) if waits else _longest_reset(headers, now)


def parse_duration(text: str) -> float | None:
    """Return the seconds in "48s", "6m0s", "4ms" or a plain number; None for other text.

    >>> parse_duration("1m30s"), parse_duration("250ms"), parse_duration("1.5")
    (90.0, 0.25, 1.5)
    >>> parse_duration("soon") is None
    True
    """
    text = text.strip()
    if _NUMBER.fullmatch(text):
        return float(text)
    if not _DURATION.fullmatch(text):
        return None
    return sum(float(n) * _SECONDS[unit.lower()] for n, unit in _STEP.findall(text))


def _longest_reset(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return the longest wait until an exhausted limit is reset."""
    waits = list(_ietf_resets(headers.get("ratelimit", "")))
    for name, value in headers.items():
        if _RESET.fullmatch(name) is None:
            continue
        remaining = headers.get(name.replace("reset", "remaining"), "").strip()
        if _NUMBER.fullmatch(remaining) and float(remaining) == 0:
            wait = _seconds_until(value.strip(), now)
            waits += [] if wait is None else [wait]
    return max(waits, default=None)


def _ietf_resets(header: str) -> Iterator[float]:
    """Yield the seconds until each exhausted limit of a `RateLimit` header is reset."""
    # Version 07 has one limit in three parts; later ones have a comma between limits.
    limits = [header] if "remaining" in header else header.split(",")
    for limit in limits:
        items = {name: float(number) for name, number in _ITEM.findall(limit.lower())}
        remaining = items.get("r", items.get("remaining"))
        seconds = items.get("t", items.get("reset"))
        if remaining == 0 and seconds is not None:
            yield seconds


def _seconds_until(text: str, now: datetime) -> float | None:
    if (span := parse_duration(text)) is not None:
        return span
    if _TIMESTAMP.fullmatch(text):
        number = float(text)
        seconds = number / 1000 if number >= _MIN_MILLISECONDS else number
        return max(0.0, seconds - now.timestamp())
    try:
        then = datetime.fromisoformat(text)  # Anthropic: RFC 3339
    except ValueError:
        return None
    return max(0.0, (then.replace(tzinfo=then.tzinfo or UTC) - now).total_seconds())


def _parse_date(text: str) -> datetime | None:
    try:
        date = parsedate_to_datetime(text)
    except ValueError:
        return None
    return date if date.tzinfo else date.replace(tzinfo=UTC)
