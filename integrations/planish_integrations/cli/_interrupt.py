"""What a Ctrl-C does while modules are loaded."""

import os
import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import NoReturn

__all__ = ["loading"]

_INTERRUPTED = 130  # 128 + SIGINT, what shells and make expect


@contextmanager
def loading() -> Generator[None]:
    """End this process at once on a Ctrl-C within the block, which only imports.

    A KeyboardInterrupt that is raised while Python loads a module can be replaced by another
    error, or ignored (in a callback of the import lock); and there is nothing to clean up yet.
    Where SIGINT is ignored or handled by others, and in other threads, nothing is changed.
    """
    before = signal.getsignal(signal.SIGINT)
    main = threading.current_thread() is threading.main_thread()
    if before is not signal.default_int_handler or not main:
        yield
        return
    signal.signal(signal.SIGINT, _end)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _end(number: int, frame: object) -> NoReturn:  # noqa: ARG001 - what a handler is given
    os._exit(_INTERRUPTED)
