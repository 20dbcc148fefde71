"""Run pip once, and read from its output why it failed.

pip's exit status says only that it failed. The patterns are those of pip 23.2 to 26.3, which have
not changed in that time. A message that no pattern knows counts as a failure of this machine, not
of the package.
"""

import os
import re
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

import anyio

from planish.errors import SandboxError
from planish.guest.protocol import GUEST

from ._requirements import canonical_name

__all__ = [
    "PACKAGE_FAILURES",
    "InstallFailure",
    "InstallFailureKind",
    "PipResult",
    "install_failure",
    "run_pip",
]

_RUNNER = str(GUEST / "pip" / "run_pip.py")
_CHUNK = 65_536
_LINES, _WIDTH = 200, 1_000  # limits on the recorded output: lines, bytes of a line

# Lines that explain a failure; pip prints thousands of other lines at `-vv`.
_RELEVANT = re.compile(
    rb"ERROR|Could not |HTTP error|Errno |[Tt]imed out|onnection |is invalid|depends on|"
    rb"requested |Error: |WARNING: Retrying|DO NOT MATCH"
)


class PipResult:
    """The result of one run of pip.

    Attributes:
        code: Its exit status; None if it was killed at its time limit.
        lines: The last 200 lines of its output that explain a failure, each cut at 1,000 bytes.
    """

    def __init__(self) -> None:
        self.code: int | None = None
        self.lines: deque[str] = deque(maxlen=_LINES)

    def add(self, line: bytes) -> None:
        if _RELEVANT.search(line):
            self.lines.append(line[:_WIDTH].decode(errors="replace").strip())


async def run_pip(
    arguments: Sequence[str], env: Mapping[str, str], lock: int, seconds: float
) -> PipResult:
    """Run pip on this interpreter, in a process group of its own.

    Args:
        arguments: pip's arguments.
        env: All of its environment variables.
        lock: The descriptor of a lock, which the process has as long as it lives.
        seconds: Time limit, after which it is killed.

    Raises:
        SandboxError: no process can be started.
    """
    result = PipResult()
    process = _start(arguments, env, lock)
    try:
        with anyio.move_on_after(seconds) as timer:
            await _read(process, result.add)
            await _exited(process)
        if not timer.cancelled_caught:
            result.code = process.returncode
    finally:
        _kill(process)
    return result


def _start(arguments: Sequence[str], env: Mapping[str, str], lock: int) -> subprocess.Popen[bytes]:
    # Not in a thread: if the task were cancelled meanwhile, the process would be left running.
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
    assert process.stdout is not None  # noqa: S101  # requested by `_start`
    os.set_blocking(process.stdout.fileno(), False)
    return process


async def _read(process: subprocess.Popen[bytes], take: Callable[[bytes], None]) -> None:
    """Pass each line to `take` until the end of the output; buffers one chunk and one line."""
    assert process.stdout is not None  # noqa: S101  # requested by `_start`
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
    """Kill the process and all processes it started, and wait for its end."""
    with suppress(ProcessLookupError):  # the group has no process left
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()


InstallFailureKind = Literal[
    "missing", "broken", "conflict", "denied", "refused", "unreachable", "host"
]
"""`refused`: the index rejects the credentials; `host`: pip, the disk or this machine failed."""

PACKAGE_FAILURES = ("missing", "broken", "conflict", "denied")
"""Failures of a package, for which another try would not help."""

_UNREACHABLE = re.compile(r"Could not fetch URL (\S+): (.*)")
_REFUSED = re.compile(r"\b(401|403) Client Error|HTTP error (401|403)\b")
_NOT_FOUND = re.compile(r"\b(404|410) Client Error")
_CONNECTION_ERROR = re.compile(
    r"HTTP error \d+|Max retries exceeded|[Tt]imed out|Connection broken|IncompleteRead|"
    r"Connection(Reset|Refused|Aborted)|ProtocolError|NewConnectionError|NameResolutionError"
)
_HOST = re.compile(r"\[Errno (ENOSPC|28|122|13|30|12)\]")
_MISSING = re.compile(
    r"Could not find a version that satisfies the requirement (\S+)(?: \(from ([^)]+)\))? \(from"
)
_CONFLICT = re.compile(r"Cannot install (.+) because these package versions have conflicting")
_BROKEN = re.compile(
    r"Wheel '([^']+)' located at|ERROR: (\S+) has an invalid wheel|(\S+) has an invalid wheel|"
    r"Requested (\S+) from \S+ has (?:inconsistent|invalid)|THESE PACKAGES DO NOT MATCH()"
)
_FIRST = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass(frozen=True, slots=True)
class InstallFailure:
    """Why an environment was not built.

    Attributes:
        kind: What failed, which decides whether to retry, raise or leave the package out.
        names: The distributions at fault, as far as pip names them.
        text: A line for a reader.
    """

    kind: InstallFailureKind
    names: tuple[str, ...]
    text: str


def install_failure(result: PipResult) -> InstallFailure | None:
    """Return what failed in a run of pip; None if it succeeded."""
    if result.code == 0:
        return None
    lines = list(result.lines)
    if result.code is None:
        return InstallFailure("host", (), "the installation took too long and was stopped")
    for read in (
        _host_failure,
        _network_failure,
        _conflict_failure,
        _broken_failure,
        _missing_failure,
    ):
        found = read(lines)
        if found is not None:
            return found
    errors = [line for line in lines if "ERROR" in line] or lines
    text = errors[-1] if errors else f"pip ended with status {result.code} and no output"
    return InstallFailure("host", (), text)


def _host_failure(lines: Sequence[str]) -> InstallFailure | None:
    return next((InstallFailure("host", (), one) for one in lines if _HOST.search(one)), None)


def _network_failure(lines: Sequence[str]) -> InstallFailure | None:
    for line in lines:
        if _REFUSED.search(line):
            return InstallFailure("refused", (), line)
        page = _UNREACHABLE.search(line)
        if page is not None and not _NOT_FOUND.search(page[2]):
            return InstallFailure("unreachable", (), line)
    # A warning may report an error that pip's own retry overcame.
    errors = [line for line in lines if "WARNING" not in line and not _UNREACHABLE.search(line)]
    return next(
        (InstallFailure("unreachable", (), one) for one in errors if _CONNECTION_ERROR.search(one)),
        None,
    )


def _conflict_failure(lines: Sequence[str]) -> InstallFailure | None:
    for line in lines:
        found = _CONFLICT.search(line)
        if found is not None:
            reasons = [one for one in lines if " depends on " in one or " requested " in one]
            # Blame the requirements with the conflicting dependency rather than all requested ones.
            dependents = [
                one.partition(" depends on ")[0] for one in reasons if " depends on " in one
            ]
            names = dependents or re.split(r", | and ", found[1])
            text = "; ".join(dict.fromkeys([line.removeprefix("ERROR: "), *reasons[:5]]))
            return InstallFailure("conflict", _names(names), text)
    return None


def _broken_failure(lines: Sequence[str]) -> InstallFailure | None:
    for line in lines:
        found = _BROKEN.search(line)
        if found is not None:
            names = _names(group for group in found.groups() if group)
            # Not pip's own text, which contains a path of this machine.
            return InstallFailure(
                "broken", names, f"the file of {' '.join(names) or 'one'} is invalid"
            )
    return None


def _missing_failure(lines: Sequence[str]) -> InstallFailure | None:
    for line in lines:
        found = _MISSING.search(line)
        if found is not None:
            names = [found[1], *([found[2]] if found[2] else [])]
            return InstallFailure("missing", _names(names), line.removeprefix("ERROR: "))
    return None


def _names(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the names at the start of requirements: "good" for "good>3" and "good==1.0"."""
    found = [match[0] for text in texts if (match := _FIRST.match(text.strip()))]
    return tuple(dict.fromkeys(map(canonical_name, found)))
