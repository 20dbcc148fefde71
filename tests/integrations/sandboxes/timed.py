"""Programs that need a given part of their time limit, and processes that keep processors busy."""

import subprocess
import sys
from collections.abc import Generator
from contextlib import ExitStack, contextmanager

from planish.data.program import Program, ResourceLimits

__all__ = ["ENOUGH", "IN_TURN", "SECONDS", "SPIN", "TOO_MUCH", "busy", "program"]

SECONDS = 0.5
ENOUGH, TOO_MUCH = 0.45, 2.2  # times the limit

SPIN = "import time\nwhile time.process_time() < {0}: pass\n"
IN_TURN = """
import os, time
for _ in range(20):
    if os.fork() == 0:
        begin = time.process_time()
        while time.process_time() - begin < {0} / 20: pass
        os._exit(0)
    os.wait()
"""


@contextmanager
def busy(count: int) -> Generator[None]:
    """Start so many processes that take all processor time they can get."""
    with ExitStack() as stack:
        for _ in range(count):
            other = subprocess.Popen([sys.executable, "-S", "-c", "while True: pass"])
            stack.callback(other.wait)
            stack.callback(other.kill)
        yield


def program(source: str, times: float, limit: float = SECONDS) -> Program:
    """Make a program that needs so many times its limit."""
    files = {"main.py": source.format(times * limit).encode()}
    return Program(main="main.py", files=files, limits=ResourceLimits(seconds=limit))
