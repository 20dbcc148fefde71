"""One program as a child process: fed, listened to, watched, and killed with all below it."""

from __future__ import annotations

import ctypes
import errno
import os
import resource
import select
import signal
import sys
import time
from contextlib import suppress
from typing import Any

from .tree import Tree

__all__ = ["run"]

_LOOK = 0.02  # seconds between two looks at what runs
_PR_SET_NO_NEW_PRIVS = 38


class Stream:
    """What one stream of the program carries, up to a limit."""

    def __init__(self, pipe: int, limit: int) -> None:
        self.pipe = pipe
        self.data = bytearray()
        self.open = True
        self._limit = limit
        os.set_blocking(pipe, False)

    def read(self) -> None:
        """Take what is there."""
        with suppress(BlockingIOError):
            while self.open and not self.over:
                piece = os.read(self.pipe, 65536)
                self.data += piece
                self.open = bool(piece)

    @property
    def over(self) -> bool:
        """There was more than the limit."""
        return len(self.data) > self._limit

    def kept(self) -> bytes:
        """What it carried, cut off at the limit."""
        return bytes(self.data[: self._limit])


def run(place: str, job: dict[str, Any], stdin: bytes) -> dict[str, Any]:
    """Run the program of a job in its place.

    Returns:
        How it ended, as the fields of a result; only "missing" where its command is not there.
    """
    limits = job["limits"]
    feed, give = os.pipe()
    out, out_write = os.pipe()
    err, err_write = os.pipe()
    failed, fail = os.pipe()
    begin = time.monotonic()
    pid = os.fork()
    if not pid:
        _become(place, job, (feed, out_write, err_write), fail)
    for pipe in (feed, out_write, err_write, fail):
        os.close(pipe)
    trouble = os.read(failed, 100)
    if trouble:
        os.waitpid(pid, 0)
        return {"missing": trouble.decode()}
    streams = [Stream(pipe, limits["output_bytes"]) for pipe in (out, err)]
    tree = Tree(pid)
    limit = _watch(tree, streams, give, stdin, begin, limits)
    duration = time.monotonic() - begin
    tree.kill()
    for stream in streams:
        stream.read()
    if limit is None and any(stream.over for stream in streams):
        limit = "output_bytes"
    code = tree.code
    return {
        "exit_code": code if code is not None and code >= 0 else None,
        "signal": -code if code is not None and code < 0 else None,
        "limit": limit,
        "duration": duration,
        "stdout": streams[0].kept(),
        "stderr": streams[1].kept(),
        "privileges": tree.powerless,
    }


def _become(place: str, job: dict[str, Any], pipes: tuple[int, int, int], fail: int) -> None:
    """Be the program; never returns."""
    try:
        for number, pipe in enumerate(pipes):
            os.dup2(pipe, number)
        os.setsid()
        os.chdir(os.path.join(place, "work"))
        home, tmp = os.path.join(place, "home"), os.path.join(place, "tmp")
        env = {
            "PATH": os.environ.get("PATH", "/usr/local/bin:/usr/bin:/bin"),
            "HOME": home,
            "TMPDIR": tmp,
            "LANG": "C.UTF-8",
            "PYTHONHASHSEED": "0",
        }
        env.update(job["env"])
        command: list[str] = job["command"] or [sys.executable, "-s"]
        _bound(job["limits"])
        for number in (signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)
        os.execvpe(command[0], [*command, job["main"], *job["args"]], env)
    except OSError as error:
        os.write(fail, errno.errorcode.get(error.errno or 0, "?").encode())
    except BaseException as error:  # this is a fork: nothing may go on in it
        os.write(fail, type(error).__name__.encode())
    os._exit(127)


def _bound(limits: dict[str, Any]) -> None:
    bounds = (
        (resource.RLIMIT_AS, limits["memory_mb"] << 20),
        (resource.RLIMIT_FSIZE, limits["file_bytes"]),
        (resource.RLIMIT_CORE, 0),
    )
    for kind, wanted in bounds:
        hard = resource.getrlimit(kind)[1]
        most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(kind, (most, most))
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)


def _watch(
    tree: Tree,
    streams: list[Stream],
    give: int,
    stdin: bytes,
    begin: float,
    limits: dict[str, Any],
) -> str | None:
    """Until it has ended, or has to be; then the limit it reached."""
    os.set_blocking(give, False)
    rest = memoryview(stdin)
    feeding = True
    looked = 0.0
    while True:
        if feeding and not rest:
            os.close(give)
            feeding = False
        reading = [stream.pipe for stream in streams if stream.open]
        select.select(reading, [give] if feeding else [], [], _LOOK if reading else 0.005)
        for stream in streams:
            stream.read()
        if any(stream.over for stream in streams):
            limit = "output_bytes"
            break
        if feeding:
            try:
                rest = rest[os.write(give, rest[:65536]) :]
            except BlockingIOError:
                pass
            except OSError:
                rest = rest[:0]
        now = time.monotonic()
        if tree.ended():
            limit = None
            break
        if now - begin >= limits["seconds"]:
            limit = "seconds"
            break
        if now - looked >= _LOOK:
            looked = now
            limit = tree.too_much(limits)
            if limit:
                break
    if feeding:
        os.close(give)
    return limit
