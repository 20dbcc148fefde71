"""One run of pip: started, read, and gone at the end, whatever the end."""

import os
import re
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

import anyio

from planish.errors import SandboxError
from planish.guest.protocol import GUEST

__all__ = ["Ended", "run_pip"]

_RUNNER = str(GUEST / "pip" / "run_pip.py")
_CHUNK = 65_536
_LINES, _WIDTH = 200, 1_000  # what is kept of pip's words: lines that tell, their beginning

# What tells why an installation failed; pip prints thousands of other lines at `-vv`.
_TELLING = re.compile(
    rb"ERROR|Could not |HTTP error|Errno |[Tt]imed out|onnection |is invalid|depends on|"
    rb"requested |Error: |WARNING: Retrying|DO NOT MATCH"
)


class Ended:
    """How a run of pip ended.

    Attributes:
        code: Its exit status; None when it was killed because it took too long.
        lines: What it said that tells why, bounded.
    """

    def __init__(self) -> None:
        self.code: int | None = None
        self.lines: deque[str] = deque(maxlen=_LINES)

    def add(self, line: bytes) -> None:
        if _TELLING.search(line):
            self.lines.append(line[:_WIDTH].decode(errors="replace").strip())


async def run_pip(
    arguments: Sequence[str], env: Mapping[str, str], lock: int, seconds: float
) -> Ended:
    """Run pip on this interpreter, in a process group of its own.

    Args:
        arguments: pip's.
        env: All of its environment variables.
        lock: The descriptor of a lock that it holds as long as it lives.
        seconds: It is killed after so long.

    Raises:
        SandboxError: no process can be started.
    """
    ended = Ended()
    process = _start(arguments, env, lock)
    try:
        with anyio.move_on_after(seconds) as timer:
            await _read(process, ended.add)
            await _exited(process)
        if not timer.cancelled_caught:
            ended.code = process.returncode
    finally:
        _kill(process)
    return ended


def _start(arguments: Sequence[str], env: Mapping[str, str], lock: int) -> subprocess.Popen[bytes]:
    # Not in a thread: a cancellation in between would leave a process that nobody owns.
    try:
        process = subprocess.Popen(  # noqa: S603  # our own file, on our own interpreter
            [sys.executable, "-I", _RUNNER, str(lock), *arguments],
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            pass_fds=(lock,),
            start_new_session=True,
        )
    except OSError as error:
        raise SandboxError(f"pip could not be started: {error}") from error
    assert process.stdout is not None  # noqa: S101  # asked for above
    os.set_blocking(process.stdout.fileno(), False)
    return process


async def _read(process: subprocess.Popen[bytes], take: Callable[[bytes], None]) -> None:
    """Hand over each line, until the end. Holds no more than a chunk and a line."""
    assert process.stdout is not None  # noqa: S101  # asked for above
    rest = b""
    while True:
        try:
            chunk = os.read(process.stdout.fileno(), _CHUNK)
        except BlockingIOError:
            await anyio.wait_readable(process.stdout)
            continue
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            take(line)
        rest = rest[:_WIDTH]
        if not chunk:
            take(rest)
            return


async def _exited(process: subprocess.Popen[bytes]) -> None:
    while process.poll() is None:  # noqa: ASYNC110  # the kernel sets no event
        await anyio.sleep(0.002)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End it with all it has started. Blocks for the moment the kernel takes to do so."""
    with suppress(ProcessLookupError):  # nobody of its group is left
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()
