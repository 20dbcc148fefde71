"""One clock for all supervisors, which the tests of `guest/unsafe` judge."""

import pytest

from planish.guest import protocol


@pytest.mark.parametrize("module", ["zygote/_clock", "session/clock"])
def test_all_supervisors_count_time_by_the_same_code(module: str) -> None:
    assert protocol.source(module) == protocol.source("unsafe/planish_warden/_clock")
