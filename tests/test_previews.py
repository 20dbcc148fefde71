"""Previews: large values in a few lines, and what is left out is said."""

import time
from typing import Any

import pytest

from planish.data import Execution
from planish.data.record import FrozenDict
from planish.previews import is_text, preview


@pytest.mark.parametrize(
    ("value", "options", "text"),
    [
        (b"", {}, ""),
        (b"a\nb", {}, "a\nb"),
        (b"a\r\nb\r\n", {}, "a\nb"),
        (b"a\nb\nc\n", {"rows": 2}, "a\nb\n… 1 more lines"),
        (b"a\nb\nc\nd", {"rows": 2}, "a\nb\n… 2 more lines"),
        (b"a\n\n\nd", {"rows": 9}, "a\n\n\nd"),
        (b"abcdef\nx", {"chars": 2}, "ab … 4 more bytes\nx"),
        ("äöü\n€€".encode(), {"chars": 2}, "äö … 2 more bytes\n€€"),
        ("𝄞𝄞".encode(), {"chars": 2}, "𝄞𝄞"),
        (b"\x89PNG\r\n\x1a\n\0", {}, "<9 bytes, not text>"),
        (b"abc\xc3", {}, "<4 bytes, not text>"),
        ("x" * 200, {"chars": 3}, "'xxx' … 197 more"),
        ([1, 2, 3, 4], {"items": 2}, "[1, 2, … 2 more]"),
        (FrozenDict({"a": b"x"}), {}, "{'a': b'x'}"),
        (Execution, {}, "<class 'planish.data.execution.Execution'>"),
    ],
)
def test_a_value_in_a_few_lines(value: object, options: dict[str, Any], text: str) -> None:
    assert preview(value, **options) == text


def test_a_million_rows_are_under_four_kilobytes_and_stay_as_they_are() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"region": ["north"] * 1_000_000, "amount": range(1_000_000)})
    text = preview(frame)
    assert len(text) < 4_000
    assert "999970 more rows" in text
    assert frame.shape == (1_000_000, 2)


@pytest.mark.parametrize("part", [b"x", b"x,y\n", b"\n"])
def test_a_large_file_is_short_and_fast(part: bytes) -> None:
    content = part * (64_000_000 // len(part))
    started = time.process_time()
    assert len(preview(content)) < 4_100
    assert len(preview(content, rows=10_000, chars=10_000)) < 4_100
    assert time.process_time() - started < 5


def test_a_character_at_the_end_of_the_sample_is_no_fault() -> None:
    for shift in range(4):
        assert is_text(b"x" * shift + "€".encode() * 10_000)
    assert not is_text(b"x" * 7_000 + b"\xe2x" * 10_000)
