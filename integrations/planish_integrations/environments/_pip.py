"""One run of pip: started, read, and gone at the end, whatever the end."""

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

from ._requirements import name_of

__all__ = ["PACKAGE_TROUBLE", "Ended", "Trouble", "TroubleKind", "run_pip", "trouble_of"]

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


TroubleKind = Literal["missing", "broken", "conflict", "denied", "refused", "unreachable", "host"]
"""`refused`: the index wants other credentials; `host`: pip, the disk, this machine."""

PACKAGE_TROUBLE = ("missing", "broken", "conflict", "denied")
"""It is the package: to ask again would not help."""

_UNREACHED = re.compile(r"Could not fetch URL (\S+): (.*)")
_REFUSED = re.compile(r"\b(401|403) Client Error|HTTP error (401|403)\b")
_NOT_THERE = re.compile(r"\b(404|410) Client Error")
_BROKEN_WAY = re.compile(
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
class Trouble:
    """Why an environment was not built.

    Attributes:
        kind: What road it takes.
        names: The distributions it is about, as far as pip names them.
        text: A line for a reader.
    """

    kind: TroubleKind
    names: tuple[str, ...]
    text: str


def trouble_of(ended: Ended) -> Trouble | None:
    """What went wrong in a run of pip; None if nothing did."""
    if ended.code == 0:
        return None
    lines = list(ended.lines)
    if ended.code is None:
        return Trouble("host", (), "the installation took too long and was stopped")
    for judge in (_host, _way, _conflict, _broken, _missing):
        found = judge(lines)
        if found is not None:
            return found
    errors = [line for line in lines if "ERROR" in line] or lines
    said = errors[-1] if errors else f"it ended with status {ended.code} and said nothing"
    return Trouble("host", (), said)


def _host(lines: Sequence[str]) -> Trouble | None:
    return next((Trouble("host", (), one) for one in lines if _HOST.search(one)), None)


def _way(lines: Sequence[str]) -> Trouble | None:
    for line in lines:
        if _REFUSED.search(line):
            return Trouble("refused", (), line)
        page = _UNREACHED.search(line)
        if page is not None and not _NOT_THERE.search(page[2]):
            return Trouble("unreachable", (), line)
    # A warning may tell of trouble that pip's own second try got over.
    errors = [line for line in lines if "WARNING" not in line and not _UNREACHED.search(line)]
    return next(
        (Trouble("unreachable", (), one) for one in errors if _BROKEN_WAY.search(one)), None
    )


def _conflict(lines: Sequence[str]) -> Trouble | None:
    for line in lines:
        found = _CONFLICT.search(line)
        if found is not None:
            because = [one for one in lines if " depends on " in one or " requested " in one]
            # Those that depend on what cannot be, rather than all that were asked for at once.
            needy = [one.partition(" depends on ")[0] for one in because if " depends on " in one]
            named = needy or re.split(r", | and ", found[1])
            text = "; ".join(dict.fromkeys([line.removeprefix("ERROR: "), *because[:5]]))
            return Trouble("conflict", _names(named), text)
    return None


def _broken(lines: Sequence[str]) -> Trouble | None:
    for line in lines:
        found = _BROKEN.search(line)
        if found is not None:
            named = _names(group for group in found.groups() if group)
            # Not pip's own words: they tell where on this machine the file lies.
            return Trouble("broken", named, f"the file of {' '.join(named) or 'one'} is invalid")
    return None


def _missing(lines: Sequence[str]) -> Trouble | None:
    for line in lines:
        found = _MISSING.search(line)
        if found is not None:
            named = [found[1], *([found[2]] if found[2] else [])]
            return Trouble("missing", _names(named), line.removeprefix("ERROR: "))
    return None


def _names(texts: Iterable[str]) -> tuple[str, ...]:
    """The names at the beginning of requirements: of "good>3" and "good==1.0" it is "good"."""
    found = [match[0] for text in texts if (match := _FIRST.match(text.strip()))]
    return tuple(dict.fromkeys(map(name_of, found)))
