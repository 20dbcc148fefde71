"""The `planish` command; each subcommand is a module that is imported when it is called."""

import signal
import sys
from collections.abc import Sequence
from typing import NoReturn

from planish_integrations.cli._interrupt import loading

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run `planish` and exit.

    Args:
        arguments: The arguments after the command's name; default: those of this process.

    Raises:
        SystemExit: always, with the exit status.
    """
    try:
        # Imported here, so that a Ctrl-C during the import ends the command as usual.
        with loading():
            from planish_integrations.cli._main import run  # noqa: PLC0415

        run(sys.argv[1:] if arguments is None else arguments)
    except BaseException as error:
        if not _is_interrupt(error):
            raise
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second Ctrl-C has no effect
        sys.exit(130)  # 128 + SIGINT, as shells and make expect


def _is_interrupt(error: BaseException) -> bool:
    """Return whether a KeyboardInterrupt caused the error.

    If it interrupts the import of a module, Python or that module may raise another error instead:
    up to Python 3.11, an interrupt in `__set_name__` becomes a RuntimeError.
    """
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, KeyboardInterrupt):
        cause = cause.__cause__
    return cause is not None
