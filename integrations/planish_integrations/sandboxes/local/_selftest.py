"""Trying a tier for real: what gets out of it on this machine."""

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

__all__ = ["Canaries", "TierReport", "escape_program", "report_on"]

_LIMITS = ResourceLimits(seconds=20, memory_mb=512, processes=24)
_PATIENCE = 5.0  # seconds for a warden to see too many processes; it looks every 20 ms
_PREFIX = "planish-canaries-"
_FORGOTTEN = 3600.0  # seconds after which a self-test is over, whatever became of it
_PARTS = 2  # of what the program says
_SET_INSIDE = {"PATH", "HOME", "TMPDIR", "LANG", "PYTHONHASHSEED"}


@dataclass(frozen=True, slots=True, kw_only=True)
class TierReport:
    """Whether a tier holds on this machine.

    Attributes:
        tier: Which one.
        works: Programs can be run in it, and nothing that the self-test tried got out.
        reason: Why not; empty where it works.
        remedy: What would make it work, as far as that is known; empty where it works.
        guarantees: What it promises where it works, sorted; else nothing.
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
    """Things of the host that no program may reach.

    Attributes:
        told: Where they are, for the program that looks for them.
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
            self._victim = opened.enter_context(_victim())
            self._opened = opened.pop_all()
        self._sockets = (self._port, self._abstract, self._path)
        self._before = _listing(folder)
        stat = Path("/proc/self/stat").read_bytes().rpartition(b")")[2].split()
        self.told: dict[str, Any] = {
            "secret": secret,
            "file": str(file),
            "folder": str(folder),
            "pid": os.getpid(),
            "victim": self._victim.pid,
            "started": stat[19].decode(),
            "variables": [name for name in os.environ if name not in _SET_INSIDE],
            "port": self._port.getsockname()[1],
            "abstract": abstract,
            "socket": str(folder / "socket"),
            "memory": _LIMITS.memory_mb << 20,
            "processes": _LIMITS.processes,
            "patience": _PATIENCE,
        }

    def touched(self) -> list[str]:
        """What was done to them, as it is seen from outside."""
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
        if self._victim.poll() is not None:
            found.append("ipc: kill a process of the host")
        return found

    def close(self) -> None:
        """Take them away."""
        self._opened.close()


def _victim() -> subprocess.Popen[bytes]:
    """A process that ends when its input does."""
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
    """Some of them, in a folder that anybody may enter."""
    _sweep(Path(tempfile.gettempdir()))
    with tempfile.TemporaryDirectory(prefix=_PREFIX) as name:
        folder = Path(name)
        folder.chmod(0o777)  # file permissions are not to be what protects it
        laid = Canaries(folder)
        try:
            yield laid
        finally:
            laid.close()


def escape_program(told: dict[str, Any]) -> Program:
    """The program that tries to reach them."""
    return Program(
        main="main.py",
        files={"main.py": ESCAPES.encode()},
        stdin=json.dumps(told).encode(),
        limits=_LIMITS,
    )


def surprises(tier: Tier, laid: Canaries, done: Completed) -> list[str]:
    """What the program could do that the tier promises no program can.

    Raises:
        SandboxError: it did not come to its end.
    """
    try:
        told: list[list[str]] = [json.loads(line) for line in done.stdout.splitlines()]
    except ValueError:
        told = []
    stopped = done.limit == "processes"  # what it tries last: then it cannot say the second part
    if len(told) != (1 if stopped else _PARTS):
        said = (done.stderr or done.stdout)[-1000:].decode(errors="replace").strip()
        raise SandboxError(
            f"the self-test did not come to its end: exit code {done.exit_code}, "
            f"signal {done.signal}, limit {done.limit}. {said}"
        )
    could = [*chain(*told), *laid.touched()]
    return [what for what in could if what.partition(":")[0] in GUARANTEED[tier]]


def report_on(
    tier: Tier, found: "list[str] | SandboxError | UnsupportedError | OSError"
) -> TierReport:
    """What to say of a tier, after what was found.

    Raises:
        SandboxError: nothing can be said, because the system is out of something at the moment,
            or this process may not have it. The next run tries again.
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
