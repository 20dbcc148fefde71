"""Acts in a forked child, of another user too, and what became of them.

Forked, not started: another user may not be allowed to read this interpreter.
"""

import errno
import json
import os
import select
import signal
import threading
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from planish.guest.linux import calls, namespaces

__all__ = ["OTHER", "Ended", "attempt", "in_child", "in_namespaces", "numbered"]

OTHER = 60_000 + os.getpid() % 5_000
"""A user without rights, of this process alone, also beside another run of tests on this machine:
tests signal all processes of their user, and RLIMIT_NPROC counts them."""

_PATIENCE = 60.0
_ALL = (
    calls.CLONE_NEWUSER
    | calls.CLONE_NEWPID
    | calls.CLONE_NEWNS
    | calls.CLONE_NEWNET
    | calls.CLONE_NEWIPC
    | calls.CLONE_NEWUTS
)


@dataclass(frozen=True)
class Ended:
    """What an act gave, as JSON has it; or the traceback; or the signal that ended it."""

    value: Any = None
    error: str | None = None
    signal: int | None = None


def in_child(act: Callable[[], object], uid: int | None = None) -> Any:
    """What the act gives in a child of this user; that it ends in any other way is a failure."""
    ended = numbered(act, uid)
    assert ended.error is None, ended.error
    assert ended.signal is None, f"ended by signal {ended.signal}"
    return ended.value


def in_namespaces(act: Callable[[], object], uid: int | None = None) -> Any:
    """The same as process 1 of new namespaces, as user 1000 there."""

    def outer() -> object:
        outside = (os.geteuid(), os.getegid())
        reader, writer = os.pipe()
        pid, pidfd = calls.clone(_ALL)
        if pid == 0:

            def inner() -> object:
                namespaces.map_ids("self", 1000, 1000, outside)
                return act()

            _perform(inner, writer)
        os.close(writer)
        ended = _ended(pid, reader)
        os.close(pidfd)
        assert ended.error is None, ended.error
        assert ended.signal is None, f"ended by signal {ended.signal}"
        return ended.value

    return in_child(outer, uid)


def numbered(act: Callable[[], object], uid: int | None = None) -> Ended:
    """However the act ends in a child of this user."""
    reader, writer = os.pipe()
    pid = _fork()
    if pid == 0:

        def as_user() -> object:
            if uid is not None:
                os.setgroups([])
                os.setresgid(uid, uid, uid)
                os.setresuid(uid, uid, uid)
                calls.set_dumpable(True)
            return act()

        _perform(as_user, writer)
    os.close(writer)
    return _ended(pid, reader)


def _fork() -> int:
    """Fork. The child has one thread.

    Each OpenTelemetry provider that is alive starts threads in a forked child. At its end a thread
    holds a lock of libc; a raw `clone` at that moment copies the lock locked, and the new process
    waits for it forever (about 1 of 1,000 forks beside busy processes).
    """
    parent, start = os.getpid(), threading.Thread.start

    def start_unless_it_stays(thread: threading.Thread) -> None:
        if os.getpid() == parent or not thread.daemon:
            start(thread)

    with (
        warnings.catch_warnings(),
        mock.patch.object(threading.Thread, "start", start_unless_it_stays),
    ):
        warnings.simplefilter("ignore", DeprecationWarning)  # other tests' idle threads
        pid = os.fork()
    while pid == 0 and len(list(Path("/proc/self/task").iterdir())) > 1:
        os.sched_yield()  # the kernel has not yet ended a thread that Python has joined
    return pid


def _perform(act: Callable[[], object], writer: int) -> None:
    try:
        calls.close_all_but([0, 1, 2, writer])
        text = json.dumps({"value": act()})
    except BaseException:  # noqa: BLE001  # no way out of a child but its end
        text = json.dumps({"error": traceback.format_exc()})
    os.write(writer, text.encode())
    os._exit(0)


def _ended(pid: int, reader: int) -> Ended:
    parts: list[bytes] = []
    while select.select([reader], [], [], _PATIENCE)[0]:
        part = os.read(reader, 65536)
        if not part:
            break
        parts.append(part)
    else:
        os.kill(pid, signal.SIGKILL)
    os.close(reader)
    _, status = os.waitpid(pid, 0)
    if os.WIFSIGNALED(status):
        return Ended(signal=os.WTERMSIG(status))
    return Ended(**json.loads(b"".join(parts)))


def attempt(act: Callable[[], object]) -> str:
    """Say "ok", or the name of the errno."""
    try:
        act()
    except OSError as error:
        return errno.errorcode.get(error.errno or 0, str(error))
    return "ok"
