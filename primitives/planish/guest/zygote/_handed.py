"""The open files that a program starts with: its standard input, and the one for its results.

They travel to the program's process with GO. No path leads to either of them.
"""
# ruff: noqa: PTH108, PTH118  # pathlib costs milliseconds at each start

import _socket
import array
import fcntl
import os

from ..linux import calls  # noqa: TID252  # beside us, in both interpreters
from ._wire import GO

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._requests import Request, Start
    from ._serve import Tier

__all__ = ["RESULTS", "Handed", "memory_file", "receive_files"]

RESULTS = "PLANISH_RESULTS_FD"
"""The variable that holds the number of the descriptor for a program's results."""

_MFD_CLOEXEC, _MFD_ALLOW_SEALING = 1, 2  # linux/memfd.h
_F_ADD_SEALS = 1033  # linux/fcntl.h
_SEALED = 1 | 2 | 4 | 8  # no more seals, no shrinking, no growing, no writing
_MOST = 2  # descriptors that travel with GO
_CHUNK = 1 << 20


class Handed:
    """In the supervisor: the files of one program, opened before it starts.

    Args:
        request: What the program reads on standard input, and whether it reports results.
        tier: In whose folder for temporary files the one for results is made.
    """

    def __init__(self, request: "Request", tier: "Tier") -> None:
        self._theirs: list[int] = []
        self._results: int | None = None
        if request["stdin"] is not None:
            self._theirs.append(memory_file(request["stdin"], tier.proc))
            request["stdin"] = None  # it need not lie in memory twice
        if request["results"]:
            theirs, self._results = _unlinked_file(os.path.join(tier.tmp, "planish-results"))
            self._theirs.append(theirs)

    def close(self) -> None:
        """Close what is open here: an open file keeps the run's file system in use."""
        for descriptor in (*self._theirs, *([] if self._results is None else [self._results])):
            os.close(descriptor)

    def send(self, go: int) -> None:
        """Let the program begin, and give it its files.

        Raises:
            OSError: its process has ended.
        """
        sock = _socket.socket(fileno=go)
        try:
            rights = array.array("i", self._theirs)
            sock.sendmsg([GO], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, rights)])
        finally:
            sock.detach()
            for descriptor in self._theirs:
                os.close(descriptor)
            self._theirs.clear()

    def results(self, most: int) -> bytes | None:
        """What the program has reported, when it has ended; None where it was not to report."""
        if self._results is None:
            return None
        parts: list[bytes] = []
        at = 0
        while at < most and (part := os.pread(self._results, min(_CHUNK, most - at), at)):
            parts.append(part)
            at += len(part)
        return b"".join(parts)


def receive_files(go: int, start: "Start") -> bool:
    """In the program's process: wait for GO, and take the files that come with it.

    Returns:
        False when the program is not to begin.
    """
    sock = _socket.socket(fileno=go)
    try:
        size = _socket.CMSG_SPACE(_MOST * 4)
        said, ancillary, _, _ = sock.recvmsg(len(GO), size)
    finally:
        sock.detach()
    files = array.array("i", b"".join(data for _, _, data in ancillary)).tolist()
    if said != GO:
        return False
    if start["stdin"]:
        stdin = files.pop(0)
        os.dup2(stdin, 0)
        os.close(stdin)
    if start["results"]:
        # A program that is exec'd has no other way to get it; one that is not passes it to
        # its forks only.
        os.set_inheritable(files[0], bool(start["argv"]))
        os.environ[RESULTS] = str(files[0])
    return True


def memory_file(content: bytes, proc: "int | None" = None) -> int:
    """A file in memory that can be read only: for its size, by mmap, from any place in it.

    Args:
        content: What is in it.
        proc: This process's folder in /proc, open; None: it can be reached by its path.
    """
    file = calls.syscall("memfd_create", b"stdin", _MFD_CLOEXEC | _MFD_ALLOW_SEALING)
    try:
        rest = memoryview(content)
        while rest:
            rest = rest[os.write(file, rest) :]
        fcntl.fcntl(file, _F_ADD_SEALS, _SEALED)
        flags = os.O_RDONLY | os.O_CLOEXEC
        if proc is None:
            return os.open(f"/proc/self/fd/{file}", flags)
        return os.open(f"fd/{file}", flags, dir_fd=proc)
    finally:
        os.close(file)


def _unlinked_file(path: str) -> tuple[int, int]:
    """A file without a name, opened twice: to be written, and to be read."""
    theirs = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        return theirs, os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    finally:
        os.unlink(path)
