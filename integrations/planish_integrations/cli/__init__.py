"""The `planish` command. One file a command, loaded when it is called."""

import signal
import sys
from collections.abc import Sequence
from typing import NoReturn

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
        from planish_integrations.cli._main import run  # noqa: PLC0415

        run(sys.argv[1:] if arguments is None else arguments)
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # pressed again, it ends no sooner
        sys.exit(130)  # 128 + SIGINT, what shells and make expect
