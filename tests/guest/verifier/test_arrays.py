"""Arrays of numpy that exist on both sides."""

from typing import Any

import pytest

from planish.guest.verifier.reader import MalformedError
from planish.guest.verifier.type_codecs import content, fill, fresh, same, shape

np: Any = pytest.importorskip("numpy")
from planish.guest.verifier.arrays import is_array  # noqa: E402

ARRAYS = [
    *(np.arange(6.0).reshape(2, 3), np.array(7), np.zeros((0, 2)), np.array([True, False])),
    *(np.array(["a", "bc"]), np.array([b"x"]), np.array(["2026-01-01"], "M8[D]")),
    *(np.array([1 + 2j]), np.array([[None, [1]], ["a", 2]], dtype=object)),
]


@pytest.mark.parametrize("value", ARRAYS, ids=lambda value: value.dtype.str)
def test_an_array_is_made_again(value: Any) -> None:
    assert is_array(value)
    found = fresh(shape(value))
    fill(found, content(value))
    assert (found.dtype, found.shape, found.tolist()) == (value.dtype, value.shape, value.tolist())


@pytest.mark.parametrize("value", [one.copy() for one in ARRAYS if one.size])
def test_a_change_in_an_array_is_seen(value: Any) -> None:
    known = content(value)
    assert same(value, known)
    value.flat[0] = value.flat[-1] if value.size > 1 else np.zeros(1, value.dtype)[0]
    assert not same(value, known)


def test_an_equal_object_in_an_array_is_another() -> None:
    value = np.array([None, 2], dtype=object)
    value[0] = [1]
    known = content(value)
    value[0] = [1]
    assert not same(value, known)
    assert not same(np.array([None], dtype=object), known)


class Own(np.ndarray):  # type: ignore[misc]
    pass


def test_what_is_no_plain_array_is_none() -> None:
    record = np.zeros(1, dtype=[("a", "i4")])
    for value in (record, np.zeros(2).view(Own), np.float64(1), [1], memoryview(b"a")):
        assert not is_array(value)


@pytest.mark.parametrize(
    "form",
    [
        "ndarray:<f8:134217729",
        "ndarray:|V4:1",
        "ndarray:<f8:65536,65536",
        "ndarray:|u1:2,2000000000",
    ],
)
def test_an_array_that_could_not_have_crossed_is_not_made(form: str) -> None:
    with pytest.raises(MalformedError, match="no array"):
        fresh(form)


def test_content_of_another_size_changes_nothing() -> None:
    numbers, objects = np.arange(3), np.array([1, "a"], dtype=object)
    fill(numbers, b"\x00" * 8)
    fill(objects, (1, 2, 3))
    assert numbers.tolist() == [0, 1, 2]
    assert objects.tolist() == [1, "a"]
