"""A loopback server that must be left without open connections, and a model of it."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.integrations.models.openai.loopback import Loopback

from planish.testing.clock import FakeClock
from planish_integrations.openai import OpenAIModel

KEY = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789"


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


@pytest.fixture
def model_at(server: Loopback, clock: FakeClock) -> Callable[..., OpenAIModel]:
    """Makes a model of the loopback server."""

    def make(**options: Any) -> OpenAIModel:
        given: dict[str, Any] = {"api_key": KEY, "base_url": server.url, "clock": clock} | options
        return OpenAIModel("loopback-1", **given)

    return make
