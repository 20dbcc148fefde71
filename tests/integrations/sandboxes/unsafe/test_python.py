"""A Python program runs as `python main.py` runs it."""

import subprocess
import sys
from collections.abc import Callable

import pytest

from planish.data.program import Program

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("nothing_left")]

Python = Callable[..., Program]


def test_inherited_signal_dispositions_do_not_reach_the_program(anyio_backend: str) -> None:
    # Under nohup and some supervisors these are ignored, and SIGCHLD ignored loses exit codes.
    source = "import signal\nprint(signal.getsignal(signal.SIGINT) is signal.default_int_handler)"
    script = (
        "import signal, sys, anyio\n"
        "for s in (signal.SIGINT, signal.SIGHUP, signal.SIGCHLD, signal.SIGTERM):\n"
        "    signal.signal(s, signal.SIG_IGN)\n"
        "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1, signal.SIGALRM])\n"
        "from planish_integrations.unsafe import UnsafeLocalSandbox\n"
        "from planish.data.program import Program\n"
        "program = Program(main='m.py', files={'m.py': sys.argv[1].encode()})\n"
        "print(anyio.run(UnsafeLocalSandbox().run, program, backend=sys.argv[2]))\n"
    )
    source += (
        "\nprint(signal.pthread_sigmask(0, []), signal.getsignal(signal.SIGHUP).name)\nexit(5)"
    )

    done = subprocess.run(
        [sys.executable, "-c", script, source, anyio_backend],
        capture_output=True,
        text=True,
        check=True,
    )

    assert "exit_code=5" in done.stdout
    assert r"True\nset() SIG_DFL\n" in done.stdout
