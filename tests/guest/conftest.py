"""Children of a test that do not outlive it."""

import os
import signal
from collections.abc import Callable, Iterator

import pytest

Started = Callable[[Callable[[], object]], int]
"""Start a child that does something; returns its process id."""


@pytest.fixture
def started() -> Iterator[Started]:
    """Start a child that does something and ends with status 7; it is killed after the test."""
    children: list[int] = []

    def go(act: Callable[[], object]) -> int:
        child = os.fork()
        if child == 0:
            try:
                act()
            finally:
                os._exit(7)
        children.append(child)
        return child

    yield go
    for child in children:
        try:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        except (ChildProcessError, ProcessLookupError):
            continue
