"""Test a tier on this machine: run a program that tries to escape, and look what it reached."""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any
from uuid import uuid4

from planish.data.program import Completed, Program, ResourceLimits
from planish.data.sandbox import Guarantee
from planish.errors import SandboxError, UnsupportedError

from ._escapes import ESCAPES
from ._remedies import remedy, shortage
from ._tiers import GUARANTEED, Tier

__all__ = [
    "Canaries",
    "TierReport",
    "canaries",
    "find_escapes",
    "make_escape_program",
    "report_on",
]

_LIMITS = ResourceLimits(seconds=20, memory_mb=512, processes=24)
_PATIENCE = 5.0  # seconds for a supervisor to notice too many processes; it looks every 20 ms
_PREFIX = "planish-canaries-"
_FORGOTTEN = 3600.0  # seconds after which a self-test is over, whatever became of it
_PARTS = 2  # lines that the program prints
_SET_INSIDE = {"PATH", "HOME", "TMPDIR", "LANG", "PYTHONHASHSEED"}


@dataclass(frozen=True, slots=True, kw_only=True)
class TierReport:
    """Whether a tier works on this machine.

    Attributes:
        tier: Which one.
        works: Programs can be run in it, and no attempt of the self-test succeeded.
        reason: Why not; empty where it works.
        remedy: What would make it work, as far as that is known; empty where it works.
        guarantees: What it guarantees where it works, sorted; else nothing.
    """

    tier: Tier
    works: bool
    reason: str = ""
    remedy: str = ""
    guarantees: tuple[Guarantee, ...] = ()


def _bind(end: socket.socket, folder: Path, name: str) -> None:
    """Bind a socket in a folder whose own path may be longer than a socket's may be."""
    number = os.open(folder, os.O_PATH | os.O_CLOEXEC)
    try:
        end.bind(f"/proc/self/fd/{number}/{name}")
    finally:
        os.close(number)


class Canaries:
    """Files, sockets and a process of the host that no program may reach.

    Attributes:
        facts: Where they are, for the program that looks for them.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        secret, abstract = uuid4().hex, f"planish-{uuid4().hex}"
        file = folder / "canary"
        file.write_text(secret)
        file.chmod(0o644)
        with ExitStack() as opened:
            self._port = opened.enter_context(socket.create_server(("127.0.0.1", 0)))
            self._abstract = opened.enter_context(socket.socket(socket.AF_UNIX))
            self._abstract.bind(f"\0{abstract}")
            self._abstract.listen()
            self._path = opened.enter_context(socket.socket(socket.AF_UNIX))
            _bind(self._path, folder, "socket")
            (folder / "socket").chmod(0o777)
            self._path.listen()
            self._bystander = opened.enter_context(_bystander())
            self._opened = opened.pop_all()
        self._sockets = (self._port, self._abstract, self._path)
        self._before = _listing(folder)
        stat = Path("/proc/self/stat").read_bytes().rpartition(b")")[2].split()
        self.facts: dict[str, Any] = {
            "secret": secret,
            "file": str(file),
            "folder": str(folder),
            "pid": os.getpid(),
            "victim": self._bystander.pid,
            "started": stat[19].decode(),
            "variables": [name for name in os.environ if name not in _SET_INSIDE],
            "port": self._port.getsockname()[1],
            "abstract": abstract,
            "socket": str(folder / "socket"),
            "memory": _LIMITS.memory_mb << 20,
            "processes": _LIMITS.processes,
            "patience": _PATIENCE,
        }

    def find_changes(self) -> list[str]:
        """List what was done to them, as it is seen from outside."""
        found: list[str] = []
        if _listing(self._folder) != self._before:
            found.append("writes: change a folder of the host")
        for end in self._sockets:
            end.setblocking(False)
            try:
                end.accept()[0].close()
            except BlockingIOError:
                continue
            found.append("network: reach a listener of the host")
        if self._bystander.poll() is not None:
            found.append("ipc: kill a process of the host")
        return found

    def close(self) -> None:
        """Remove them."""
        self._opened.close()


def _bystander() -> subprocess.Popen[bytes]:
    """Start a process that ends when its input does."""
    return subprocess.Popen(
        ["/bin/sh", "-c", "read line"],
        cwd="/",  # ours may have been removed
        stdin=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )


def _listing(folder: Path) -> list[tuple[str, bytes | None]]:
    return sorted((p.name, p.read_bytes() if p.is_file() else None) for p in folder.iterdir())


def _sweep(folder: Path) -> None:
    """Remove what hosts left that were killed in the middle of this, an hour ago or more."""
    long_ago = time.time() - _FORGOTTEN
    for left in folder.glob(f"{_PREFIX}*"):
        with suppress(OSError):  # gone meanwhile, or another user's
            about = left.lstat()
            if about.st_uid == os.getuid() and about.st_mtime < long_ago:
                shutil.rmtree(left, ignore_errors=True)


@contextmanager
def canaries() -> Generator[Canaries]:
    """Place canaries in a folder that every user may enter."""
    _sweep(Path(tempfile.gettempdir()))
    with tempfile.TemporaryDirectory(prefix=_PREFIX) as name:
        folder = Path(name)
        folder.chmod(0o777)  # it is not file permissions that protect it
        placed = Canaries(folder)
        try:
            yield placed
        finally:
            placed.close()


def make_escape_program(facts: dict[str, Any]) -> Program:
    """Return the program that tries to reach the canaries."""
    return Program(
        main="main.py",
        files={"main.py": ESCAPES.encode()},
        stdin=json.dumps(facts).encode(),
        limits=_LIMITS,
    )


def find_escapes(tier: Tier, placed: Canaries, done: Completed) -> list[str]:
    """List what the program could do although the tier guarantees that no program can.

    Raises:
        SandboxError: the program did not finish.
    """
    try:
        printed: list[list[str]] = [json.loads(line) for line in done.stdout.splitlines()]
    except ValueError:
        printed = []
    stopped = done.limit == "processes"  # what it tries last: then it prints no second line
    if len(printed) != (1 if stopped else _PARTS):
        output = (done.stderr or done.stdout)[-1000:].decode(errors="replace").strip()
        raise SandboxError(
            f"the self-test did not finish: exit code {done.exit_code}, "
            f"signal {done.signal}, limit {done.limit}. {output}"
        )
    could = [*chain(*printed), *placed.find_changes()]
    return [what for what in could if what.partition(":")[0] in GUARANTEED[tier]]


def report_on(
    tier: Tier, found: "list[str] | SandboxError | UnsupportedError | OSError"
) -> TierReport:
    """Return the report on a tier.

    Raises:
        SandboxError: the self-test could not run, because the system is out of something at the
            moment, or this process may not have it. The next run tries again.
    """
    if isinstance(found, Exception) and (lacking := shortage(tier, found)):
        raise SandboxError(f"LocalSandbox: the self-test could not be run: {lacking}") from found
    if isinstance(found, OSError):
        if not Path("/proc/self").exists():
            reason = f"there is no /proc: {found}"
            return TierReport(tier=tier, works=False, reason=reason, remedy=remedy(tier, reason))
        return TierReport(tier=tier, works=False, reason=f"{_MAY_NOT}: {found}", remedy=_ELSEWHERE)
    if isinstance(found, Exception):
        reason = str(found).removeprefix("LocalSandbox: ")
        return TierReport(tier=tier, works=False, reason=reason, remedy=remedy(tier, reason))
    if found:
        reason = f"a program in it could do this: {'; '.join(found)}"
        return TierReport(tier=tier, works=False, reason=reason, remedy=_REPORT_IT)
    return TierReport(tier=tier, works=True, guarantees=tuple(sorted(GUARANTEED[tier])))


_MAY_NOT = "this process may not do what the self-test needs"
_ELSEWHERE = "if this process is in a sandbox itself, start it outside of that"
_REPORT_IT = (
    "this should not happen: please report it, with the output of `uname -a`; "
    f"(Python {sys.version_info.major}.{sys.version_info.minor})"
)
