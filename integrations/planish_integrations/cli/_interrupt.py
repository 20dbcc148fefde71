"""End the process on Ctrl-C while modules are imported."""

import os
import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import NoReturn

__all__ = ["loading"]

_INTERRUPTED = 130  # 128 + SIGINT, as shells and make expect


@contextmanager
def loading() -> Generator[None]:
    """End this process immediately on a Ctrl-C within the block, which must only import modules.

    A KeyboardInterrupt during an import can be replaced by another error, or ignored (in a callback
    of the import lock). Imports leave nothing to clean up. If SIGINT is ignored or has another
    handler, or in a thread other than the main thread, the block changes nothing.
    """
    previous = signal.getsignal(signal.SIGINT)
    in_main_thread = threading.current_thread() is threading.main_thread()
    if previous is not signal.default_int_handler or not in_main_thread:
        yield
        return
    signal.signal(signal.SIGINT, _end)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)


def _end(number: int, frame: object) -> NoReturn:  # noqa: ARG001 - the signature of a handler
    os._exit(_INTERRUPTED)
