"""The first process of a container: runs one program, watches it, says what became of it.

It needs nothing but Python 3.9 and Linux. As process 1 it cannot be killed from inside, and what
it starts cannot read its memory. It reads the job from its standard input, and watches that for
the end of the host; it writes frames to its standard output: a letter, a length, bytes.
"""

# ruff: noqa: PTH103, PTH118, PTH208, S603, PLW1509
# It starts faster without pathlib, and has no threads.

from __future__ import annotations

import ctypes
import json
import os
import resource
import selectors
import signal
import struct
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from .facts import counted, facts
from .files import ROOT, WORK, collect, input_file, lay_out, nameless, read_back
from .frames import MOST, read_exactly, send
from .usage import Usage

TICK = 0.02  # seconds between two looks at the program
LOOK = 0.05  # seconds between two looks at what it has used
DRAIN = 2.0  # seconds for what the dead have written to arrive


def restrict(limits: dict[str, Any]) -> Callable[[], None]:
    def apply() -> None:
        memory = limits["memory_mb"] << 20
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_FSIZE, (limits["file_bytes"], limits["file_bytes"]))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        ctypes.CDLL(None).prctl(4, 1, 0, 0, 0)  # else this file is root's; it ends with `exec`
        os.write(os.open("/proc/self/oom_score_adj", os.O_WRONLY), b"1000")  # it, not process 1

    return apply


def others() -> list[int]:
    """Return the processes of the container, but for process 1."""
    return [int(name) for name in os.listdir("/proc") if name.isdigit() and name != "1"]


def kill_all() -> None:
    with suppress(ProcessLookupError):
        os.kill(-1, signal.SIGKILL)  # all but process 1, which this is


class Run:
    """One program and its pipes."""

    def __init__(self, job: dict[str, Any], stdin: bytes) -> None:
        self.limits: dict[str, Any] = job["limits"]
        self.limit: str | None = None
        self.status: int | None = None
        self.duration: float = 0.0
        self.results: int | None = nameless() if job["results"] else None
        env, given = job["env"], input_file(stdin)
        if self.results is not None:
            env = {**env, "PLANISH_RESULTS_FD": str(self.results)}
        self.left: dict[bytes, int] = {
            b"O": self.limits["output_bytes"],
            b"E": self.limits["output_bytes"],
        }
        self.usage: Usage = Usage()
        self.begun: float = time.monotonic()
        self.child: subprocess.Popen[bytes] = subprocess.Popen(
            job["command"],
            cwd=WORK,
            env=env,
            stdin=given,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=[] if self.results is None else [self.results],
            start_new_session=True,
            preexec_fn=restrict(self.limits),
        )
        os.close(given)
        self.ears: selectors.BaseSelector = selectors.DefaultSelector()
        pipes: Any = self.child
        self.ears.register(pipes.stdout.fileno(), selectors.EVENT_READ, b"O")
        self.ears.register(pipes.stderr.fileno(), selectors.EVENT_READ, b"E")
        self.ears.register(0, selectors.EVENT_READ, b"H")

    def hold(self) -> None:
        """Until it has ended, one way or another, with all it has started."""
        looked = 0.0
        while self.status is None and self.limit is None:
            self.look(TICK)
            self.reap()
            if time.monotonic() - looked >= LOOK:
                looked = time.monotonic()
                self.usage.look(others())
                if self.usage.over(self.limits["seconds"], self.limits["wall_seconds"]):
                    self.limit = self.limit or "seconds"
            place = os.statvfs(ROOT)
            if place.f_files - place.f_ffree > self.limits["files"] + 3:  # our own folders
                self.limit = self.limit or "files"
        self.duration = time.monotonic() - self.begun
        self.bury()

    def bury(self) -> None:
        end = time.monotonic() + DRAIN
        while time.monotonic() < end:
            kill_all()
            alone = self.reap()
            self.usage.look(())
            if alone and not any(key.data in b"OE" for key in self.ears.get_map().values()):
                break
            self.look(TICK)

    def look(self, seconds: float) -> None:
        for key, _ in self.ears.select(seconds):
            if key.data == b"H":
                if not os.read(0, MOST):  # nobody is there any more who could want the result
                    kill_all()
                    os._exit(1)
            else:
                self.hear(key.fd, key.data)

    def hear(self, fd: int, kind: bytes) -> None:
        data = os.read(fd, MOST)
        if not data:
            self.ears.unregister(fd)
            return
        if len(data) > self.left[kind]:
            data = data[: self.left[kind]]
            self.limit = self.limit or "output_bytes"
        self.left[kind] -= len(data)
        send(kind, data)

    def reap(self) -> bool:
        """Take in who has died; True when nobody is left."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return True
            if pid == 0:
                return False
            if pid == self.child.pid:
                self.status = status

    def told(self) -> dict[str, Any]:
        code = None if self.status is None else os.waitstatus_to_exitcode(self.status)
        limit = self.limit
        if limit is None and code == -signal.SIGKILL:
            names = ("memory.events", "memory/memory.oom_control")
            limit = "memory_mb" if counted("oom_kill", *names) else None
        if limit is None and code and counted("max", "pids.events", "pids/pids.events"):
            limit = "processes"
        return {
            "exit_code": None if code is None or code < 0 else code,
            "signal": -code if code is not None and code < 0 else None,
            "limit": limit,
            "duration": self.duration,
            "cpu_seconds": self.usage.cpu,
        }


def main() -> None:
    ctypes.CDLL(None, use_errno=True).prctl(4, 0, 0, 0, 0)  # PR_SET_DUMPABLE: not to be traced
    # Process 1 gets no signal of the container's that it has no handler for; Python sets this one.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    job = json.loads(read_exactly(struct.unpack(">I", read_exactly(4))[0]))
    send(b"S", json.dumps(facts(ROOT)).encode())
    lay_out(job["files"])
    if job["outputs"] is not None:
        os.makedirs(os.path.join(WORK, job["outputs"]), exist_ok=True)
    stdin = read_exactly(job["stdin"])
    try:
        run = Run(job, stdin)
    except OSError as error:
        send(b"X", f"{job['command'][0]}: {error.strerror}".encode())
        return
    run.hold()
    if run.results is not None:
        send(b"R", read_back(run.results, job["limits"]["file_bytes"]))
    try:
        findings = collect(job, job["limits"]["file_bytes"])
    except Exception as error:  # noqa: BLE001  # a program can leave what cannot be walked
        findings = [f"the outputs: they could not all be read: {type(error).__name__}"]
    send(b"D", json.dumps({**run.told(), "findings": findings}).encode())
