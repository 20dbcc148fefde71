"""Sets come out in the same order on both sides, also where that is not the order of insertion."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planish.guest.verifier.sets import base_size, fill_set, frozen_set

MEMBERS = st.lists(st.integers(-50, 50) | st.text(max_size=3), max_size=8, unique=True)


@settings(max_examples=25, deadline=None)
@given(MEMBERS)
def test_a_set_made_one_by_one_comes_out_in_its_order(members: list[Any]) -> None:
    other: set[Any] = set()
    for member in members:
        other.add(member)
    for value in (set[Any](), {"what", "was", "there"}):
        fill_set(value, list(other), base_size(other))
        assert list(value) == list(other)
        assert base_size(value) == base_size(other)
    assert frozen_set(list(other), 0) == other


# Members that want the same place in a table of eight: their order follows from the insertion.
COLLIDING = [
    *([0, 8], [8, 0], [16, 8, 0], [8, 1, 16], [0, 8, 16, 24], [24, 16, 8, 0]),
    *([1, 9, 0], [7, 15, 23], [23, 15, 7], [0, 32, 64, 96, 128], [5, 13, 4, 12]),
    [31 * n * n % 101 for n in range(18)],  # one more would not fit into their table
]


@pytest.mark.parametrize("members", COLLIDING, ids=repr)
def test_members_that_want_one_place_keep_their_order(members: list[int]) -> None:
    for other in (set(members), set(frozenset(members)), set(dict.fromkeys(members))):
        wanted = list(other)
        value: set[int] = set()
        fill_set(value, wanted, base_size(other))
        assert (list(value), base_size(value)) == (wanted, base_size(other))
        value = set()
        fill_set(value, wanted)
        assert list(value) == wanted
        frozen = frozenset(other)
        found = frozen_set(list(frozen), frozen.__sizeof__())
        assert (list(found), found.__sizeof__()) == (list(frozen), frozen.__sizeof__())
        assert type(found) is frozenset


@pytest.mark.parametrize("grown", [20, 60, 200])
def test_a_set_that_had_more_members_keeps_their_table(grown: int) -> None:
    other = {100, 3, 70, 9}
    for number in range(1000, 1000 + grown):
        other.add(number)
    for number in range(1000, 1000 + grown):
        other.discard(number)
    assert list(other) != list({100, 3, 70, 9})
    value: set[int] = set()
    fill_set(value, list(other), base_size(other))
    assert (list(value), base_size(value)) == (list(other), base_size(other))


def test_whatever_a_size_says_the_members_are_there() -> None:
    for size in (None, 0, 1, 10**6):
        value = {5}
        fill_set(value, ["a", "b", 3], size)
        assert value == {"a", "b", 3}
        assert frozen_set(["a", "b", 3], size or 0) == {"a", "b", 3}


class Liar(set[Any]):
    def __sizeof__(self) -> int:
        return 7

    def __iter__(self) -> Any:
        raise AssertionError("its own methods must not be used")

    clear = update = discard = __iter__  # type: ignore[assignment]  # pyright: ignore[reportAssignmentType]


def test_a_class_of_the_code_has_no_say_in_its_sets() -> None:
    value = Liar()
    fill_set(value, [8, 0], base_size({8, 0}))
    kind: Any = set
    assert list(kind.__iter__(value)) == list({8, 0})
    assert base_size(value) == base_size({8, 0})


def _shifted(number: int, bits: int) -> int:
    return number << bits


_MEMBERS: st.SearchStrategy[Any] = st.one_of(
    st.integers(-40, 200),
    st.text(max_size=2),
    st.tuples(st.integers(0, 9), st.text(max_size=1)),
    st.builds(_shifted, st.integers(0, 12), st.sampled_from([3, 5, 8, 16, 61])),
)
_STEPS = st.lists(st.tuples(st.integers(0, 3), _MEMBERS), max_size=120)


@settings(max_examples=100, deadline=None)
@given(_STEPS)
def test_a_set_after_any_insertions_and_deletions_iterates_alike(steps: Any) -> None:
    other: set[Any] = set()
    for step, member in steps:
        if step or not other:
            other.add(member)
        else:
            other.discard(sorted(other, key=repr)[hash(member) % len(other)])
    value: set[Any] = set()
    fill_set(value, list(other), base_size(other))
    assert all(one is two for one, two in zip(value, other, strict=True))
    frozen = frozenset(other)
    found = frozen_set(list(frozen), frozen.__sizeof__())
    assert all(one is two for one, two in zip(found, frozen, strict=True))


def test_a_place_that_is_used_again_is_found() -> None:
    other = {0, 32, 64}
    other.discard(0)
    other |= {1 << 62}
    other.add(3 << 16)
    value: set[int] = set()
    fill_set(value, list(other), base_size(other))
    assert list(value) == list(other)
