"""A server for each test, that must have nothing left at its end."""

from collections.abc import Iterator

import pytest
from tests.integrations.sandboxes.e2b.support import children

from planish_integrations.testing.e2b import LoopbackE2B


@pytest.fixture
def server() -> Iterator[LoopbackE2B]:
    """A loopback E2B; no sandbox of it and no process outlives the test."""
    before = children()
    # Slow to interrupt, so that a loaded machine does not meet a cell interrupted already.
    with LoopbackE2B(interrupt_seconds=10, restart_seconds=1) as server:
        yield server
        left = server.sandboxes
    assert not left, f"sandboxes were left: {left}"
    assert not server.errors, server.errors
    assert not children() - before, "processes were left"
