"""A loopback server that must be left without open connections."""

from collections.abc import Iterator

import pytest
from tests.integrations.models.openai.loopback import Loopback

from planish.testing.clock import FakeClock


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def server() -> Iterator[Loopback]:
    """Law 4, in every test that uses it: nothing outlives a run."""
    with Loopback() as loopback:
        yield loopback
        assert loopback.closes_within(10.0), f"{loopback.open} connections left open"
        assert not loopback.troubles
        assert not loopback.answers, "answers nobody asked for"
