"""What a supervisor finds out about a process's privileges."""

import os
import signal
from collections.abc import Callable

import pytest
from tests.guest.linux.children import in_child

from planish.guest.linux import calls, privileges
from planish.guest.supervisor.facts import powerless, status_of


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has capabilities to drop")
@pytest.mark.parametrize(
    ("acts", "expected"),
    [
        ([privileges.drop_capabilities, calls.no_new_privileges], True),
        ([privileges.drop_capabilities], False),
        ([calls.no_new_privileges], False),
    ],
)
def test_a_program_is_powerless_without_capabilities_or_a_way_to_gain_some(
    acts: list[Callable[[], object]], *, expected: bool
) -> None:
    def act() -> object:
        child = os.fork()
        if child == 0:
            for one in acts:
                one()
            signal.raise_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, child, os.WSTOPPED)
        found = powerless(child)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return found

    assert in_child(act) is expected


def test_a_process_that_is_no_more_is_not_powerless() -> None:
    assert not powerless(2**22 + 1)
    assert status_of(2**22 + 1) == {}
    assert status_of(os.getpid())["Pid"] == str(os.getpid())
