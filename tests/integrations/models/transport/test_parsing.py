"""The event parser follows the HTML standard, wherever the bytes are cut."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planish_integrations.models.transport._parsing import EventParser


def parse(*pieces: bytes) -> list[str]:
    parser = EventParser()
    return [data for piece in pieces for data in parser.feed(piece)]


@pytest.mark.parametrize(
    ("stream", "events"),
    [
        (b"data: a\n\n", ["a"]),
        (b"data:a\n\n", ["a"]),
        (b"data:  a\n\n", [" a"]),
        (b"data: a\ndata: b\n\n", ["a\nb"]),
        (b"data\n\n", [""]),
        (b"data: a\r\n\r\ndata: b\r\n\r\n", ["a", "b"]),
        (b"data: a\r\ndata: b\r\n\r\n", ["a\nb"]),
        (b"data: a\r\rdata: b\r\r", ["a", "b"]),
        (b": a comment\n\n: another\n\ndata: a\n\n", ["a"]),
        (b"event: error\nid: 7\nretry: 10\ndata: a\n\n", ["a"]),
        (b"\xef\xbb\xbfdata: a\n\n", ["a"]),
        (b"\n\n\ndata: a\n\n\n\n", ["a"]),
        (b"data: a: b\n\n", ["a: b"]),
        ("data: \u2028\x85\n\n".encode(), ["\u2028\x85"]),
        (b"data: never ended\n", []),
        (b"datum: a\n\n", []),
    ],
)
def test_events_are_those_of_the_standard(stream: bytes, events: list[str]) -> None:
    assert parse(stream) == events
    assert parse(*(stream[i : i + 1] for i in range(len(stream)))) == events


def test_an_event_is_given_as_soon_as_its_last_byte_is_there() -> None:
    parser = EventParser()
    assert parser.feed(b"data: a\r\n") == []
    assert parser.feed(b"\r") == ["a"]
    assert parser.feed(b"\n") == []
    assert parser.feed(b"data: b\n\n") == ["b"]


def test_a_cut_inside_a_character_does_no_harm() -> None:
    stream = "data: über 😀\n\n".encode()
    for cut in range(len(stream)):
        assert parse(stream[:cut], stream[cut:]) == ["über 😀"]


def test_the_end_gives_an_event_whose_empty_line_never_came() -> None:
    parser = EventParser()
    assert parser.feed(b"data: [DONE]") == []
    assert parser.end() == ["[DONE]"]
    assert parser.end() == []


@settings(deadline=None)  # a loaded machine is no bug
@given(
    texts=st.lists(st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]))),
    line_end=st.sampled_from(["\n", "\r\n", "\r"]),
    data=st.data(),
)
def test_what_is_sent_arrives_however_it_is_cut(
    texts: list[str], line_end: str, data: st.DataObject
) -> None:
    stream = "".join(f": x{line_end}data: {t}{line_end}{line_end}" for t in texts).encode()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)))))
    edges = [0, *cuts, len(stream)]
    pieces = [stream[a:b] for a, b in pairwise(edges)]
    assert parse(*pieces) == texts
