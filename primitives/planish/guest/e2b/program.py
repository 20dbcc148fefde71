"""One program as a child process: listened to, watched, and killed with all below it."""

from __future__ import annotations

import ctypes
import errno
import os
import resource
import select
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from .nameless import input_file, read_back, results_file
from .tree import Tree

__all__ = ["run"]

_LOOK = 0.02  # seconds between two looks at what runs
_BEAT = 2.0  # seconds between two signs of life
_STOPPING = (  # signals that end or stop a process that does not ignore them
    *(signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGUSR1),
    *(signal.SIGUSR2, signal.SIGALRM, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU),
)
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


def run(
    place: Path, job: dict[str, Any], stdin: bytes, beat: Callable[[], object]
) -> dict[str, Any]:
    """Run the program of a job in its place.

    Args:
        place: The folder it has for itself.
        job: What to run.
        stdin: Its input.
        beat: Called every two seconds while it runs: a sign of life.

    Returns:
        How it ended, as the fields of a result; only "missing" where its command is not there.
    """
    limits = job["limits"]
    given = input_file(stdin, place)
    results = results_file(place) if job["results"] else None
    out, out_write = os.pipe()
    err, err_write = os.pipe()
    failed, fail = os.pipe()
    for number in _STOPPING:
        signal.signal(number, signal.SIG_IGN)  # the program may send them here
    begin = time.monotonic()
    pid = os.fork()
    if not pid:
        _become(place, job, (given, out_write, err_write), fail, results)
    for pipe in (given, out_write, err_write, fail):
        os.close(pipe)
    trouble = os.read(failed, 100)
    if trouble:
        os.waitpid(pid, 0)
        return {"missing": trouble.decode()}
    streams = [Stream(pipe, limits["output_bytes"]) for pipe in (out, err)]
    tree = Tree(pid)
    limit = _watch(tree, streams, limits, beat)
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
        "cpu_seconds": tree.usage.cpu,
        "stdout": streams[0].kept(),
        "stderr": streams[1].kept(),
        "results": None if results is None else read_back(results, limits["file_bytes"]),
        "privileges": tree.powerless,
    }


def _become(
    place: Path, job: dict[str, Any], pipes: tuple[int, int, int], fail: int, results: int | None
) -> None:
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
        if results is not None:
            os.set_inheritable(results, True)
            env["PLANISH_RESULTS_FD"] = str(results)
        command: list[str] = job["command"] or [sys.executable, "-s"]
        _bound(job["limits"])
        for number in (*_STOPPING, signal.SIGPIPE, signal.SIGXFSZ):
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


def _watch(
    tree: Tree, streams: list[Stream], limits: dict[str, Any], beat: Callable[[], object]
) -> str | None:
    """Until it has ended, or has to be; then the limit it reached."""
    looked = beaten = 0.0
    while True:
        reading = [stream.pipe for stream in streams if stream.open]
        select.select(reading, [], [], _LOOK if reading else _LOOK / 4)
        for stream in streams:
            stream.read()
        if any(stream.over for stream in streams):
            return "output_bytes"
        if tree.ended():
            return None
        now = time.monotonic()
        if now - beaten >= _BEAT:
            beaten = now
            beat()
        if now - looked >= _LOOK:
            looked = now
            limit = tree.too_much(limits)
            if limit:
                return limit
