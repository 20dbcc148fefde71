"""Waiting is a pure function of what happened and of chance."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planish_integrations.models.transport import Backoff

CHANCE = st.floats(0, 1, exclude_max=True)


def test_waits_double_up_to_the_longest() -> None:
    backoff = Backoff(tries=9, first=1.0, longest=10.0)
    assert [backoff.wait(n, None, 1.0) for n in range(1, 10)] == [1, 2, 4, 8, 10, 10, 10, 10, None]


def test_chance_draws_from_nothing_to_the_whole_wait() -> None:
    assert Backoff(first=1.0).wait(2, None, 0.0) == 0.0
    assert Backoff(first=1.0).wait(2, None, 0.5) == 1.0


def test_one_try_never_waits() -> None:
    assert Backoff(tries=1).wait(1, None, 0.5) is None
    assert Backoff(tries=1).wait(1, 0.0, 0.5) is None


@settings(deadline=None)  # a loaded machine is no bug
@given(
    failures=st.integers(1, 5000),
    retry_after=st.floats(0, 60),
    chance=CHANCE,
    first=st.floats(0, 100),
)
def test_a_provider_is_never_asked_again_before_it_said(
    failures: int, retry_after: float, chance: float, first: float
) -> None:
    wait = Backoff(tries=10_000, first=first).wait(failures, retry_after, chance)
    assert wait is not None
    assert retry_after <= wait <= retry_after + first


def test_those_who_were_told_the_same_do_not_come_back_at_once() -> None:
    assert Backoff(first=2.0).wait(1, 5.0, 0.0) == 5.0
    assert Backoff(first=2.0).wait(1, 5.0, 0.5) == 6.0


def test_a_longer_wait_than_the_longest_is_not_waited_for() -> None:
    assert Backoff(longest=60.0).wait(1, 60.1, 0.0) is None
    assert Backoff(longest=60.0).wait(1, 60.0, 0.0) == 60.0


@settings(deadline=None)  # a loaded machine is no bug
@given(failures=st.integers(1, 10**6), chance=CHANCE)
def test_a_wait_is_never_longer_than_the_longest(failures: int, chance: float) -> None:
    wait = Backoff(tries=10**7, longest=7.0).wait(failures, None, chance)
    assert wait is not None
    assert 0 <= wait <= 7.0


@pytest.mark.parametrize(
    "wrong", [{"tries": 0}, {"first": -1.0}, {"longest": float("inf")}, {"first": float("nan")}]
)
def test_a_wrong_setting_is_refused_by_name(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Backoff(**wrong)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
