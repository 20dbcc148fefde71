"""Values on the pipe between verifier and candidate: they come back, and nonsense is refused."""

from types import SimpleNamespace
from typing import Any

import pytest

from planish.guest.verifier.reader import MalformedError, Reader
from planish.guest.verifier.writer import Writer

BOOK: Any = SimpleNamespace(read={})


def read(text: str) -> object:
    return Reader(text, BOOK).get()


@pytest.mark.parametrize(
    "value",
    [
        *(None, True, False, ..., NotImplemented, 0, -7, 1 << 70, -(1 << 70), 1.5, 2 - 3j),
        *("", "a", "two\nlines \\n \\", "\ud800", b"", b"\x00\n"),
        *((), (1, "a", (2.5,)), tuple(range(20)), tuple("abcdefghij"), tuple(map(float, range(9)))),
        *(range(3), range(5, 1, -2), slice(None), slice(1, None, 2), frozenset({1, 2})),
    ],
)
def test_a_plain_value_comes_back_as_it_was(value: object) -> None:
    writer = Writer(BOOK)
    writer.put(value)
    found = read(writer.text())
    assert (type(found), found) == (type(value), value)


def test_one_object_is_one_object_on_the_other_side() -> None:
    one = (1, 2)
    writer = Writer(BOOK)
    writer.put((one, one))
    found: Any = read(writer.text())
    assert found == (one, one)
    assert found[0] is found[1]


@pytest.mark.parametrize(
    "items",
    ["2\ni1\ni2", "4\ni1\ni2\ni3\ni4", "3\ni1\ni2\nf3.0", "3\nsa\ni2\ni3", "3\nT\ni2\ni3"],
)
def test_a_malformed_range_is_refused(items: str) -> None:
    assert read("r\n3\ni1\ni9\ni2") == range(1, 9, 2)
    with pytest.raises(MalformedError, match="not a range"):
        read(f"r\n{items}")


def test_a_row_of_another_length_is_refused() -> None:
    assert read("t\n8\nI1,2,3,4,5,6,7,8") == (1, 2, 3, 4, 5, 6, 7, 8)
    with pytest.raises(MalformedError, match="the number of items is wrong"):
        read("t\n8\nI1,2,3,4,5,6,7")
