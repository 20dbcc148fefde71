"""Limits hold, and cannot be raised again."""

import mmap
import os
import resource
import threading
import time
from pathlib import Path

import pytest
from tests.guest.linux.children import attempt, in_child, in_namespaces

from planish.guest.linux import limits, privileges

_GENEROUS = 1 << 40


def _forks(most: int) -> int:
    """How many children there can be at a time, up to so many."""
    reader, writer = os.pipe()
    made: list[int] = []
    try:
        for _ in range(most):
            pid = os.fork()
            if pid == 0:
                os.close(writer)
                os.read(reader, 1)
                os._exit(0)
            made.append(pid)
    except BlockingIOError:
        pass
    os.close(writer)
    for pid in made:
        os.waitpid(pid, 0)
    return len(made)


def _forks_at_last(most: int, wanted: int) -> int:
    """Return the most children at a time; the kernel counts those that ended for a moment more."""
    found, give_up = 0, time.monotonic() + 10
    while found < wanted and time.monotonic() < give_up:
        found = max(found, _forks(most))
        time.sleep(0.02)  # no event tells that the kernel has counted their end
    return found


def test_all_of_them_are_hard(other: int | None) -> None:
    def act() -> list[object]:
        limits.apply(1 << 34, 1 << 20, 500, cpu_seconds=30, open_files=64)
        names = ("AS", "FSIZE", "NPROC", "CPU", "NOFILE", "CORE")
        values = [resource.getrlimit(getattr(resource, f"RLIMIT_{name}")) for name in names]
        shown = Path("/proc/self/limits").read_text()
        pending = next(line.split()[3:5] for line in shown.splitlines() if "pending" in line)
        queued = next(line.split()[3:5] for line in shown.splitlines() if "msgqueue" in line)
        raised = "ok"
        try:
            resource.setrlimit(resource.RLIMIT_FSIZE, (2 << 20, 2 << 20))
        except ValueError:
            raised = "refused"
        return [values, pending, queued, raised]

    assert in_child(act, other) == [
        [[1 << 34] * 2, [1 << 20] * 2, [500] * 2, [30] * 2, [64] * 2, [0, 0]],
        ["1024", "1024"],
        ["0", "0"],
        "refused",
    ]


def test_memory_is_refused() -> None:
    def asked() -> str:
        return attempt(lambda: mmap.mmap(-1, 2 << 30).close())

    def act() -> list[str]:
        before = asked()
        limits.apply(1 << 30, _GENEROUS, 10_000)
        return [before, asked()]

    assert in_child(act) == ["ok", "ENOMEM"]


def test_a_file_ends_where_it_has_to(uid: int | None) -> None:
    def act() -> list[object]:
        file = os.memfd_create("file")
        before = os.pwrite(file, b"x", 8192)
        limits.apply(_GENEROUS, 4096, 10_000)
        over = attempt(lambda: os.pwrite(file, b"x", 4096))
        return [before, over, os.pwrite(file, b"x" * 5000, 0)]

    assert in_child(act, uid) == [1, "EFBIG", 4096]


@pytest.mark.usefixtures("user_namespaces")
def test_processes_are_counted_in_their_namespace(other: int | None) -> None:
    def act() -> list[int]:
        free = _forks(20)
        limits.apply(_GENEROUS, _GENEROUS, 8)
        return [free, _forks_at_last(20, 7)]

    if other is None:
        pytest.skip("counts this user's other processes on kernels before 5.14")
    free, limited = in_namespaces(act, other)
    assert free == 20
    assert limited == 7


def test_processes_are_counted_by_user_elsewhere() -> None:
    if os.geteuid() != 0:
        pytest.skip("not root: other processes of this user come and go")

    def act() -> list[int]:
        uid = privileges.private_uid()
        privileges.become(uid, uid)
        free = _forks(20)
        limits.apply(_GENEROUS, _GENEROUS, limits.threads_of(uid) + 5)
        return [free, _forks_at_last(20, 5)]

    free, limited = in_child(act)
    assert free == 20
    assert limited == 5


def test_root_is_not_counted() -> None:
    if os.geteuid() != 0:
        pytest.skip("not root")

    def act() -> int:
        limits.apply(_GENEROUS, _GENEROUS, 1)
        return _forks(5)

    assert in_child(act) == 5  # why a root host becomes somebody else


def test_threads_count_like_processes() -> None:
    if os.geteuid() != 0:
        pytest.skip("not root")

    def act() -> list[int]:
        uid = privileges.private_uid()
        privileges.become(uid, uid)
        alone, done = limits.threads_of(uid), threading.Event()
        threads = [threading.Thread(target=done.wait) for _ in range(3)]
        for thread in threads:
            thread.start()
        several = limits.threads_of(uid)
        done.set()
        return [alone, several, limits.threads_of(uid + 1)]

    assert in_child(act) == [1, 4, 0]


def test_a_lower_limit_that_is_there_stays(other: int | None) -> None:
    def act() -> list[int]:
        resource.setrlimit(resource.RLIMIT_NOFILE, (20, 30))
        limits.apply(_GENEROUS, _GENEROUS, 10_000, open_files=64)
        return list(resource.getrlimit(resource.RLIMIT_NOFILE))

    assert in_child(act, other) == [30, 30]
