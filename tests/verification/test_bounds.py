"""Evidence is bounded, and readable."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planish.verification import bounded, decode_output


def test_a_short_text_stays_as_it_is() -> None:
    assert bounded("abc", 3) == "abc"


def test_the_first_quarter_and_the_last_three_quarters_are_kept() -> None:
    assert bounded("0123456789" * 10, 8) == "01\n... 92 characters left out ...\n456789"


@settings(deadline=None)
@given(st.text(), st.integers(min_value=1, max_value=50))
def test_what_is_kept_and_left_out_is_the_whole(whole: str, limit: int) -> None:
    kept = bounded(whole, limit)
    if len(whole) <= limit:
        assert kept == whole
        return
    marker = f"\n... {len(whole) - limit} characters left out ...\n"
    head, tail = whole[: limit // 4], whole[len(whole) - (limit - limit // 4) :]
    assert kept == head + marker + tail
    assert len(head) + len(tail) == limit


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        (b"plain\ttext\n", "plain\ttext\n"),
        ("é\U0001f600".encode(), "é\U0001f600"),
        (b"\xff\xfe a\x80", "\ufffd\ufffd a\ufffd"),
        (b"a\r\nb\rc", "a\nb\nc"),
        (b"a\x00b\x07\x08\x7fc", "abc"),
        (b"\x1b[1;31mred\x1b[0m \x1b]0;title\x07x \x1b(B y \x1bM", "red x  y "),
        ("a\x9bb\x85c".encode(), "abc"),
        (b"\x1b", ""),
    ],
)
def test_output_is_made_readable(data: bytes, shown: str) -> None:
    assert decode_output(data, 1_000) == shown


def test_output_is_bounded() -> None:
    assert decode_output(b"x" * 100, 4) == "x\n... 96 characters left out ...\nxxx"


@settings(deadline=None)
@given(st.binary())
def test_no_output_breaks_it(data: bytes) -> None:
    shown = decode_output(data, 100)
    assert all(char in "\n\t" or char.isprintable() or ord(char) > 0x9F for char in shown)
    shown.encode()
