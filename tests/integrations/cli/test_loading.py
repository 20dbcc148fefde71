"""A Ctrl-C while modules are loaded ends the command at once, and is never lost."""

import signal
import subprocess
import sys
import threading
from collections.abc import Callable

import pytest

from planish_integrations.cli._interrupt import loading

pytestmark = pytest.mark.usefixtures("interruptible")
# What loses a KeyboardInterrupt, as the import lock of Python does, or replaces it.
LOSING = """
import signal
from planish_integrations.cli._interrupt import loading
class Lost:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)
class Replaced:
    def __set_name__(self, owner, name):
        signal.raise_signal(signal.SIGINT)
with loading():
    {statement}
raise SystemExit(3)
"""


@pytest.mark.parametrize("statement", ["del Lost().x", "Lost()", "class A: it = Replaced()"])
def test_an_interrupt_is_neither_lost_nor_replaced(statement: str) -> None:
    code = LOSING.format(statement=statement)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (130, b"")


def handled(number: int, frame: object) -> None:
    pass


@pytest.mark.parametrize("before", [signal.SIG_IGN, handled, signal.default_int_handler])
def test_afterwards_a_signal_does_what_it_did(
    before: Callable[..., None] | signal.Handlers,
) -> None:
    was = signal.signal(signal.SIGINT, before)
    try:
        with loading():
            within = signal.getsignal(signal.SIGINT)
        assert (within == before) is (before is not signal.default_int_handler)
        assert signal.getsignal(signal.SIGINT) == before
    finally:
        signal.signal(signal.SIGINT, was)


def test_in_another_thread_it_changes_nothing() -> None:
    seen: list[object] = []

    def load() -> None:
        with loading():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=load)
    thread.start()
    thread.join()
    assert seen == [signal.getsignal(signal.SIGINT)]
