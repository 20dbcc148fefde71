"""`FakeClock`: its time advances only by calls."""

import time

import pytest

from planish.abc import Clock
from planish.clock import SYSTEM_CLOCK
from planish.testing.clock import FakeClock


@pytest.mark.anyio
async def test_sleeping_takes_no_time_and_is_remembered() -> None:
    clock = FakeClock(100.0)
    begin = time.monotonic()
    await clock.sleep(3600)
    await clock.sleep(0.5)
    assert time.monotonic() - begin < 10
    assert clock.now() == 3700.5
    assert clock.sleeps == [3600, 0.5]


def test_it_passes_when_told_to() -> None:
    clock = FakeClock()
    assert clock.now() == 0.0
    clock.advance(2.5)
    assert clock.now() == 2.5
    assert clock.sleeps == []


@pytest.mark.anyio
async def test_real_time_passes_by_itself() -> None:
    before = SYSTEM_CLOCK.now()
    await SYSTEM_CLOCK.sleep(0.01)
    assert SYSTEM_CLOCK.now() - before >= 0.01
    assert repr(SYSTEM_CLOCK) == "SYSTEM_CLOCK"


@pytest.mark.parametrize("clock", [SYSTEM_CLOCK, FakeClock()])
def test_both_are_clocks(clock: object) -> None:
    assert isinstance(clock, Clock)
