"""The `planish` command. One file a command, loaded when it is called."""

import signal
import sys
from collections.abc import Sequence
from typing import NoReturn

from planish_integrations.cli._interrupt import loading

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run `planish` and exit.

    Args:
        arguments: What follows the command's name; those of this process unless given.

    Raises:
        SystemExit: always, with the exit code.
    """
    try:
        # Loaded here, so that a Ctrl-C while it loads ends as any other does.
        with loading():
            from planish_integrations.cli._main import run  # noqa: PLC0415

        run(sys.argv[1:] if arguments is None else arguments)
    except BaseException as error:
        if not _is_interrupt(error):
            raise
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # pressed again, it ends no sooner
        sys.exit(130)  # 128 + SIGINT, what shells and make expect


def _is_interrupt(error: BaseException) -> bool:
    """Return whether a Ctrl-C caused it.

    Where it interrupts a module that is being loaded, Python or that module may raise another
    error in its place: up to Python 3.11, `__set_name__` gives a RuntimeError.
    """
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, KeyboardInterrupt):
        cause = cause.__cause__
    return cause is not None
