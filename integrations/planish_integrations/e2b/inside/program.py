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
from pathlib import Path
from typing import Any

from .tree import Tree

__all__ = ["run"]

_LOOK = 0.02  # seconds between two looks at what runs
_PR_SET_NO_NEW_PRIVS = 38


class Stream:
    """What one stream of the program carries, up to a limit."""

    def __init__(self, pipe: int, limit: int) -> None:
        self.pipe = pipe
        self.data: bytearray = bytearray()
        self.open: bool = True
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


def run(place: Path, job: dict[str, Any], stdin: bytes) -> dict[str, Any]:
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
    feeding = _Feed(give, stdin)
    limit = _watch(tree, streams, feeding, begin, limits)
    duration = time.monotonic() - begin
    feeding.close()
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


def _become(place: Path, job: dict[str, Any], pipes: tuple[int, int, int], fail: int) -> None:
    """Be the program; never returns."""
    try:
        for number, pipe in enumerate(pipes):
            os.dup2(pipe, number)
        os.setsid()
        os.chdir(place / "work")
        env = {
            "PATH": os.environ.get("PATH", "/usr/local/bin:/usr/bin:/bin"),
            "HOME": str(place / "home"),
            "TMPDIR": str(place / "tmp"),
            "LANG": "C.UTF-8",
            "PYTHONHASHSEED": "0",
        }
        env.update(job["env"])
        command: list[str] = job["command"] or [sys.executable, "-s"]
        _bound(job["limits"])
        for number in (signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)
        arguments = [*command, job["main"], *job["args"]]
        os.execvpe(command[0], arguments, env)  # noqa: S606  # that is what it is for
    except OSError as error:
        os.write(fail, errno.errorcode.get(error.errno or 0, "?").encode())
    except BaseException as error:  # noqa: BLE001  # this is a fork: nothing may go on in it
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


class _Feed:
    """What is still to be written to the program's input."""

    def __init__(self, pipe: int, data: bytes) -> None:
        self._pipe = pipe
        self._rest = memoryview(data)
        self.open = True
        os.set_blocking(pipe, False)

    def pipes(self) -> list[int]:
        """What to wait for; closes where there is nothing more to write."""
        if self.open and not self._rest:
            self.close()
        return [self._pipe] if self.open else []

    def write(self) -> None:
        """As much as it takes."""
        try:
            while self.open and self._rest:
                self._rest = self._rest[os.write(self._pipe, self._rest[:65536]) :]
        except BlockingIOError:
            pass
        except OSError:
            self.close()

    def close(self) -> None:
        """End of input."""
        if self.open:
            self.open = False
            os.close(self._pipe)


def _watch(
    tree: Tree, streams: list[Stream], feed: _Feed, begin: float, limits: dict[str, Any]
) -> str | None:
    """Until it has ended, or has to be; then the limit it reached."""
    looked = 0.0
    while True:
        reading = [stream.pipe for stream in streams if stream.open]
        select.select(reading, feed.pipes(), [], _LOOK if reading else _LOOK / 4)
        for stream in streams:
            stream.read()
        feed.write()
        if any(stream.over for stream in streams):
            return "output_bytes"
        if tree.ended():
            return None
        now = time.monotonic()
        if now - begin >= limits["seconds"]:
            return "seconds"
        if now - looked >= _LOOK:
            looked = now
            limit = tree.too_much(limits)
            if limit:
                return limit
