"""How long a provider asks to wait, wherever it says so."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

__all__ = ["asked_wait"]

_NUMBER = re.compile(r"\d{1,9}(?:\.\d{1,9})?")
# OpenAI: "Please try again in 6ms", "in 1.574s"; Groq: "in 2m59.56s"; Gemini: "retry in 23.9s".
_IN_MESSAGE = re.compile(
    r"(?:try again|retry) in ((?:\d{1,9}(?:\.\d{1,9})?\s?(?:ms|[dhms]|seconds?|minutes?)\s?)+)",
    re.IGNORECASE,
)
_STEP = re.compile(r"(\d+(?:\.\d+)?)\s?(ms|[dhms])", re.IGNORECASE)
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def asked_wait(headers: Mapping[str, str], message: str) -> float | None:
    """Seconds the provider asks to wait; None where it does not say.

    Read, first found first: `retry-after-ms` (milliseconds), `retry-after` (seconds, or an
    HTTP date, compared with the answer's own `date` where it has one, so that a wrong clock
    here does no harm), then the words of the message.

    Args:
        headers: Of the answer, with lower-case names.
        message: What the provider's error object says.
    """
    if _NUMBER.fullmatch(milliseconds := headers.get("retry-after-ms", "").strip()):
        return float(milliseconds) / 1000
    after = headers.get("retry-after", "").strip()
    if _NUMBER.fullmatch(after):
        return float(after)
    if (then := _date(after)) is not None:
        now = _date(headers.get("date", "")) or datetime.now(UTC)
        return max(0.0, (then - now).total_seconds())
    said = _IN_MESSAGE.search(message)
    if said is None:
        return None
    return sum(float(n) * _SECONDS[unit.lower()] for n, unit in _STEP.findall(said[1]))


def _date(text: str) -> datetime | None:
    try:
        date = parsedate_to_datetime(text)
    except ValueError:
        return None
    return date if date.tzinfo else date.replace(tzinfo=UTC)
