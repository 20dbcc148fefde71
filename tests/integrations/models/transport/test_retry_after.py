"""A wait is found wherever the provider says it."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planish_integrations.models.transport._retry_after import find_retry_after

NOON = "Sat, 21 Nov 2026 12:00:00 GMT"


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "20"}, 20.0),
        ({"retry-after": " 1.5 "}, 1.5),
        ({"retry-after": "0"}, 0.0),
        ({"retry-after-ms": "250", "retry-after": "1"}, 0.25),
        ({"retry-after-ms": "soon", "retry-after": "1"}, 1.0),
        ({"retry-after": "Sat, 21 Nov 2026 12:00:30 GMT", "date": NOON}, 30.0),
        ({"retry-after": "Sat, 21 Nov 2026 11:00:00 GMT", "date": NOON}, 0.0),
        ({"retry-after": "Sat, 21 Nov 2026 12:00:30 -0000", "date": NOON}, 30.0),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "1e400"}, None),
        ({"retry-after": "-3"}, None),
    ],
)
def test_headers(headers: dict[str, str], seconds: float | None) -> None:
    assert find_retry_after(headers, "") == seconds


RESETS = [
    ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "4ms"}, 0.004),
    ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "6m0s"}, 360.0),
    ({"x-ratelimit-remaining-tokens": "9", "x-ratelimit-reset-tokens": "6m0s"}, None),
    ({"x-ratelimit-reset-tokens": "6m0s"}, None),
    ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1795262430000"}, 30.0),
    ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1795262430"}, 30.0),
    ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": "12"}, 12.0),
    ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": "soon"}, None),
    ({"ratelimit-remaining": "0", "ratelimit-reset": "12"}, 12.0),
    ({"ratelimit": "limit=100, remaining=0, reset=50"}, 50.0),
    ({"ratelimit": "limit=100, remaining=1, reset=50"}, None),
    ({"ratelimit": '"default";r=0;t=30'}, 30.0),
    ({"ratelimit": '"minute";r=0;t=30, "day";r=0;t=3600;pk=:abc=:, "hour";r=5;t=9999'}, 3600.0),
    ({"ratelimit": '"default";r=0'}, None),
    ({"ratelimit": "limit=5, remaining=none, reset=later"}, None),
    (
        {
            "anthropic-ratelimit-requests-remaining": "0",
            "anthropic-ratelimit-requests-reset": "2026-11-21T12:00:05Z",
            "anthropic-ratelimit-tokens-remaining": "0",
            "anthropic-ratelimit-tokens-reset": "2026-11-21T12:00:09Z",
            "anthropic-ratelimit-input-tokens-remaining": "7",
            "anthropic-ratelimit-input-tokens-reset": "2026-11-21T12:59:00Z",
        },
        9.0,
    ),
]


@pytest.mark.parametrize(("headers", "seconds"), RESETS)
def test_of_limits_that_are_used_up_the_longest_counts(
    headers: dict[str, str], seconds: float | None
) -> None:
    assert find_retry_after(headers | {"date": NOON}, "") == seconds
    assert find_retry_after(headers | {"date": NOON, "retry-after": "2"}, "") == 2.0
    assert find_retry_after(headers | {"date": NOON}, "try again in 3s") == 3.0


def test_of_a_field_and_the_words_of_an_error_the_longer_counts() -> None:
    assert find_retry_after({}, "Please retry in 48.9s.", 48.0) == 48.9
    assert find_retry_after({}, "no words", 48.0) == 48.0


@pytest.mark.parametrize(
    ("message", "seconds"),
    [
        ("Limit: 10000 / min. Please try again in 6ms. Contact us", 0.006),
        ("Used 162960, Requested 42288. Please try again in 1.574s. Visit", 1.574),
        ("Please try again in 2m59.56s. Need more tokens?", 179.56),
        ("please TRY AGAIN IN 1h2m3s", 3723.0),
        ("Please retry in 23.9s.", 23.9),
        ("try again in 20 seconds", 20.0),
        ("try again in 2 minutes", 120.0),
        ("try again in a while", None),
        ("try again later", None),
    ],
)
def test_messages(message: str, seconds: float | None) -> None:
    found = find_retry_after({}, message)
    assert found == (seconds if seconds is None else pytest.approx(seconds))


def test_a_header_is_believed_before_a_message() -> None:
    assert find_retry_after({"retry-after": "2"}, "try again in 9s") == 2.0


def test_a_date_without_a_date_to_compare_is_compared_with_now() -> None:
    then = format_datetime(datetime.now(UTC) + timedelta(seconds=100), usegmt=True)
    wait = find_retry_after({"retry-after": then}, "")
    assert wait is not None
    assert 90 < wait <= 100


@settings(deadline=None)  # a loaded machine is no bug
@given(st.text(), st.text(), st.text())
def test_nothing_a_server_says_breaks_it(after: str, date: str, message: str) -> None:
    wait = find_retry_after({"retry-after": after, "date": date}, f"try again in {message}")
    assert wait is None or wait >= 0
