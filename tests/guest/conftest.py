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
        # Once a child has been reaped, another process may have its number; none has its pidfd.
        children.append(os.pidfd_open(child))
        return child

    yield go
    for pidfd in children:
        try:
            signal.pidfd_send_signal(pidfd, signal.SIGKILL)
            os.waitid(os.P_PIDFD, pidfd, os.WEXITED)
        except (ChildProcessError, ProcessLookupError):
            continue
        finally:
            os.close(pidfd)
