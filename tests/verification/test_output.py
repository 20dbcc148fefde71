"""Output of programs: bounded, decoded, and compared as the pairs' options say."""

import time
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from planish.data.tests import Compare, StdioPairs, Tolerance
from planish.verification import bounded, decode_output
from planish.verification._output import output_difference, shorten_paths

WORD = st.text(st.characters(codec="ascii", exclude_categories=["Z", "Cc"]), min_size=1, max_size=5)
LINES = st.lists(st.lists(WORD, min_size=1, max_size=4).map(" ".join), max_size=6)
FAR = "differs by 0.25, more than the tolerance of 1e-06"
ALL: tuple[Compare, ...] = ("exact", "tokens", "floats", "lines_any_order")


def wrong(got: str, wanted: str, compare: Compare = "exact", **options: Any) -> str | None:
    return output_difference(StdioPairs([("", wanted)], compare=compare, **options), got, wanted)


@given(LINES, st.sampled_from(ALL))
def test_an_output_is_equal_to_itself_with_white_space_at_the_end(
    lines: list[str], compare: Compare
) -> None:
    text = "\n".join(lines)
    for end in ("", "\n", " \t\r\n\n"):
        assert wrong(text + end, text, compare) is None


@given(LINES, LINES, st.sampled_from(ALL))
def test_what_exact_takes_all_take_and_each_names_a_difference(
    one: list[str], other: list[str], compare: Compare
) -> None:
    got, wanted = "\n".join(one), "\n".join(other)
    reason = wrong(got, wanted, compare)
    if wrong(got, wanted) is None:
        assert reason is None
    assert reason is None or " output " in reason


@given(st.lists(WORD, max_size=8), st.data())
def test_tokens_may_stand_anywhere_in_their_order(words: list[str], data: st.DataObject) -> None:
    blank = st.sampled_from([" ", "\n", "\n\n  ", "\t"])
    got = "".join(word + data.draw(blank) for word in words)
    for compare in ("tokens", "floats"):
        assert wrong(got, " ".join(words), compare) is None
        assert wrong(f"{got}more", " ".join(words), compare) is not None


@given(LINES, st.randoms(use_true_random=False))
def test_lines_may_be_in_any_order_as_often_as_expected(lines: list[str], random: Any) -> None:
    mixed = list(lines)
    random.shuffle(mixed)
    assert wrong("\n\n".join(mixed), "\n".join(lines), "lines_any_order") is None
    if lines:
        twice = "\n".join([*mixed, lines[0]])
        assert "a line too many" in (wrong(twice, "\n".join(lines), "lines_any_order") or "")
        assert "lacks the line" in (wrong("\n".join(lines), twice, "lines_any_order") or "")


@given(st.floats(-1e12, 1e12), st.floats(-1e12, 1e12), st.floats(0, 1), st.floats(0, 1))
def test_floats_are_equal_within_the_tolerance(
    got: float, wanted: float, absolute: float, relative: float
) -> None:
    right = abs(got - wanted) <= max(absolute, relative * abs(wanted))
    tolerance = Tolerance(absolute, relative)
    reason = wrong(f"x {got!r}", f"x {wanted!r}\n", "floats", tolerance=tolerance)
    assert (reason is None) == (right or got == wanted)


@given(st.integers(), st.integers())
def test_whole_numbers_are_exact_whatever_the_tolerance(one: int, other: int) -> None:
    assert (wrong(str(one), str(other), "floats", tolerance=0.5) is None) == (one == other)


@given(st.text(max_size=8))
def test_case_does_not_count_where_that_is_asked_for(text: str) -> None:
    assume(text.upper().casefold() == text.casefold())
    assert wrong(text.upper(), text, ignore_case=True) is None


@pytest.mark.parametrize(
    ("got", "wanted", "compare", "reason"),
    [
        ("1\n3", "1\n2", "exact", "line 2 of the output is '3', expected '2'"),
        ("1", "1\n2", "exact", "line 2 of the output is nothing more, expected '2'"),
        ("a c", "a\nb", "tokens", "token 2 of the output is 'c', expected 'b'"),
        (
            "0.5",
            "0.25",
            "floats",
            f"token 1 of the output is '0.5', expected '0.25': {FAR}",
        ),
        ("b\nx", "a\nb", "lines_any_order", "the output lacks the line 'a'"),
        ("a\nb\nb", "a\nb", "lines_any_order", "the output has a line too many: 'b'"),
    ],
)
def test_the_reason_names_the_place(got: str, wanted: str, compare: Compare, reason: str) -> None:
    assert wrong(got, wanted, compare) == reason


@pytest.mark.parametrize(
    ("got", "wanted", "right"),
    [
        ("1.0000001", "1", True),
        ("1e0", "1.0", True),
        (".5", "0.5", True),
        ("5.", "5", True),
        ("+007", "7", True),
        ("-0", "0", True),
        ("0.0", "-0.0", True),
        ("1_0.0", "10.0", False),
        ("٣.0", "3.0", False),
        ("nan", "nan", True),
        ("nan", "1.0", False),
        ("inf", "1.0", False),
        ("1e999", "1.0", False),
        ("1e999", "1e998", False),
        ("1.0", "1e999", False),
        ("9007199254740993", "9007199254740992", False),
        ("0x10", "16.0", False),
    ],
)
def test_what_counts_as_a_number(got: str, wanted: str, right: bool) -> None:  # noqa: FBT001
    assert (wrong(got, wanted, "floats") is None) == right


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
    assert bounded(kept, limit) == kept


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


@pytest.mark.parametrize(
    ("path", "short"),
    [
        (
            "/outside/tmp/v/lib/python3.11/site-packages/pandas/frame.py",
            "site-packages/pandas/frame.py",
        ),
        ("/usr/lib/python3/dist-packages/yaml/reader.py", "site-packages/yaml/reader.py"),
        (f"/home/me/{'0a' * 16}/site/numpy/a.py", "site-packages/numpy/a.py"),
        (
            "/root/.pyenv/versions/3.11.7/lib/python3.11/json/decoder.py",
            "python3.11/json/decoder.py",
        ),
        ("solution.py", "solution.py"),
        ("/srv/site/own.py", "/srv/site/own.py"),
    ],
)
def test_a_traceback_says_nothing_of_where_packages_are(path: str, short: str) -> None:
    for indent in ("  ", "  |   "):
        text = f'{indent}File "{path}", line 3, in f\n    see("{path}")\n'
        assert shorten_paths(text) == f'{indent}File "{short}", line 3, in f\n    see("{path}")\n'


@pytest.mark.parametrize("text", ["1" * 130_000 + "x", f"{'1' * 65_000}.{'1' * 65_000}x"])
def test_hostile_numbers_take_linear_time(text: str) -> None:
    started = time.process_time()
    assert wrong(text, "1.5", "floats") is not None
    assert time.process_time() - started < 5  # a pattern that goes back takes ten minutes
