"""The first process of a container: runs one program, watches it, says what became of it.

It needs nothing but Python 3.9 and Linux. As process 1 it cannot be killed from inside, and what
it starts cannot read its memory. It reads the job from its standard input, and watches that for
the end of the host; it writes frames to its standard output: a letter, a length, bytes.
"""

# ruff: noqa: PTH103, PTH112, PTH114, PTH115, PTH118, PTH120, PTH123, S108, S603, PLW1509
# It starts faster without pathlib, and has no threads.

from __future__ import annotations

import ctypes
import json
import os
import resource
import selectors
import signal
import socket
import stat
import struct
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

ROOT = "/planish"
WORK = ROOT + "/work"
TEMP = ROOT + "/tmp"
TICK = 0.02  # seconds between two looks at the program
DRAIN = 2.0  # seconds for what the dead have written to arrive
MOST = 65536  # bytes read at once


def send(kind: bytes, payload: bytes) -> None:
    data = struct.pack(">cI", kind, len(payload)) + payload
    while data:
        data = data[os.write(1, data) :]


def read_exactly(count: int) -> bytes:
    found = bytearray()
    while len(found) < count:
        piece = os.read(0, min(MOST, count - len(found)))
        if not piece:
            sys.exit(1)  # the host is gone before it has said all
        found += piece
    return bytes(found)


def facts() -> dict[str, Any]:
    """What holds in here, as it is, not as it was asked for."""
    status: dict[str, str] = {}
    with open("/proc/self/status", encoding="ascii", errors="replace") as lines:
        for line in lines:
            name, _, value = line.partition(":")
            status[name] = value.strip()
    place = os.statvfs(ROOT)
    return {
        "uid": os.getuid(),
        "pid": os.getpid(),
        "capabilities": [status.get("CapEff", "?"), status.get("CapBnd", "?")],
        "no_new_privileges": status.get("NoNewPrivs") == "1",
        "seccomp": status.get("Seccomp") == "2",
        "interfaces": [name for _, name in socket.if_nameindex()],
        "namespaces": {n: os.readlink("/proc/self/ns/" + n) for n in ("net", "pid", "ipc", "mnt")},
        "root_is_read_only": bool(os.statvfs("/").f_flag & os.ST_RDONLY),
        "memory": limit_of("memory.max", "memory/memory.limit_in_bytes"),
        "processes": limit_of("pids.max", "pids/pids.max"),
        "disk": place.f_blocks * place.f_frsize,
    }


def limit_of(*names: str) -> int | None:
    texts = (group_file(name).strip() for name in names)
    return next((int(text) for text in texts if text.isdigit()), None)


def group_file(name: str) -> str:
    with suppress(OSError), open("/sys/fs/cgroup/" + name, encoding="ascii") as file:
        return file.read()
    return ""


def counted(word: str, *names: str) -> int:
    """What the control group has counted under a word: "oom_kill", "max"."""
    for name in names:
        for line in group_file(name).splitlines():
            if line.split()[:1] == [word]:
                return int(line.split()[1])
    return 0


def lay_out(files: list[tuple[str, int]]) -> None:
    for folder in (WORK, TEMP):
        os.makedirs(folder)
    for path, size in files:
        place = os.path.join(WORK, path)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "wb") as file:
            file.write(read_exactly(size))


def restrict(limits: dict[str, Any]) -> Callable[[], None]:
    def apply() -> None:
        memory = limits["memory_mb"] << 20
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_FSIZE, (limits["file_bytes"], limits["file_bytes"]))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        ctypes.CDLL(None).prctl(4, 1, 0, 0, 0)  # else this file is root's; it ends with `exec`
        os.write(os.open("/proc/self/oom_score_adj", os.O_WRONLY), b"1000")  # it, not process 1

    return apply


def kill_all() -> None:
    with suppress(ProcessLookupError):
        os.kill(-1, signal.SIGKILL)  # all but process 1, which this is


class Run:
    """One program and its pipes."""

    def __init__(self, job: dict[str, Any], stdin: bytes) -> None:
        self.limits = job["limits"]
        self.limit: str | None = None
        self.status: int | None = None
        self.duration = 0.0
        self.stdin = stdin
        self.left = {b"O": self.limits["output_bytes"], b"E": self.limits["output_bytes"]}
        self.begun = time.monotonic()
        self.child: subprocess.Popen[bytes] = subprocess.Popen(
            job["command"],
            cwd=WORK,
            env=job["env"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            preexec_fn=restrict(self.limits),
        )
        self.ears = selectors.DefaultSelector()
        pipes: Any = self.child
        self.mouth = pipes.stdin
        self.ears.register(pipes.stdout.fileno(), selectors.EVENT_READ, b"O")
        self.ears.register(pipes.stderr.fileno(), selectors.EVENT_READ, b"E")
        os.set_blocking(self.mouth.fileno(), False)
        self.ears.register(self.mouth.fileno(), selectors.EVENT_WRITE, b"I")
        self.ears.register(0, selectors.EVENT_READ, b"H")

    def hold(self) -> None:
        """Until it has ended, one way or another, with all it has started."""
        end = self.begun + self.limits["seconds"]
        while self.status is None and self.limit is None:
            left = end - time.monotonic()
            if left <= 0:
                self.limit = "seconds"
            self.look(max(0.0, min(left, TICK)))
            self.reap()
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
            if alone and not any(key.data in b"OE" for key in self.ears.get_map().values()):
                break
            self.look(TICK)

    def look(self, seconds: float) -> None:
        for key, _ in self.ears.select(seconds):
            if key.data == b"H":
                if not os.read(0, MOST):  # nobody is there any more who could want the result
                    kill_all()
                    os._exit(1)
            elif key.data == b"I":
                self.feed()
            else:
                self.hear(key.fd, key.data)

    def feed(self) -> None:
        pipe = self.mouth
        try:
            self.stdin = self.stdin[os.write(pipe.fileno(), self.stdin[:MOST]) :]
        except BlockingIOError:
            return
        except OSError:
            self.stdin = b""
        if not self.stdin:
            self.ears.unregister(pipe.fileno())
            pipe.close()

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
        }


def send_file(kind: bytes, path: str, place: str, most: int) -> bool:
    """Send a regular file; False where it is none, is behind a link, or is too large."""
    folder = os.path.dirname(place)
    if os.path.realpath(folder) != folder:
        return False
    try:
        handle = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        known = os.fstat(handle)
        if not stat.S_ISREG(known.st_mode) or known.st_size > most:
            return False
        data = b"".join(iter(lambda: os.read(handle, MOST), b""))
    finally:
        os.close(handle)
    name = os.fsencode(path)
    send(kind, struct.pack(">I", len(name)) + name + data)
    return True


def collect(job: dict[str, Any], most: int) -> list[str]:
    """Send what is wanted of what is left; say what cannot be."""
    for path in job["collect"]:
        send_file(b"F", path, os.path.join(WORK, path), most)
    if job["outputs"] is None:
        return []
    folder = os.path.join(WORK, job["outputs"])
    if os.path.realpath(folder) != folder or not os.path.isdir(folder):
        return [f"the outputs: the folder {job['outputs']!r} is no longer there"]
    findings: list[str] = []
    for where, folders, names in os.walk(folder):
        links = [name for name in folders if os.path.islink(os.path.join(where, name))]
        for name in sorted(names + links):
            place = os.path.join(where, name)
            path = os.path.relpath(place, folder)
            if not send_file(b"A", path, place, most):
                what = "was left out: it is no regular file, or too large"
                findings.append(f"the outputs: {path!r} {what}")
    return findings


def main() -> None:
    ctypes.CDLL(None, use_errno=True).prctl(4, 0, 0, 0, 0)  # PR_SET_DUMPABLE: not to be traced
    job = json.loads(read_exactly(struct.unpack(">I", read_exactly(4))[0]))
    send(b"S", json.dumps(facts()).encode())
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
    findings = collect(job, job["limits"]["file_bytes"])
    send(b"D", json.dumps({**run.told(), "findings": findings}).encode())


if __name__ == "__main__":
    main()
