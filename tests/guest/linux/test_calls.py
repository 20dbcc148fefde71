"""Processes, descriptors, prctl and mounts."""

import errno
import os
import select
import signal
import threading
import time
from pathlib import Path

import pytest
from tests.guest.linux.children import attempt, in_child, in_namespaces

from planish.guest.linux import _clone, calls


def test_a_failed_call_raises_its_errno() -> None:
    with pytest.raises(OSError, match="close") as caught:
        calls.syscall("close", -1)
    assert caught.value.errno == errno.EBADF
    with pytest.raises(OSError, match="no system call") as caught:
        calls.syscall("no_such_call")
    assert caught.value.errno == errno.ENOSYS


def test_arguments_and_answers_are_64_bits_wide() -> None:
    def sparse() -> list[int]:
        file = os.memfd_create("wide")
        calls.syscall("ftruncate", file, 1 << 40)
        return [os.fstat(file).st_size, calls.syscall("lseek", file, 1 << 40, os.SEEK_SET)]

    assert in_child(sparse) == [1 << 40, 1 << 40]


def test_clone_tells_both_sides_who_they_are(uid: int | None) -> None:
    def act() -> list[object]:
        pid, pidfd = calls.clone(0)
        if pid == 0:
            os._exit(7 if pidfd == -1 else 8)
        told = select.select([pidfd], [], [], 30)[0] == [pidfd]
        first = calls.waitid_pidfd(pidfd, os.WEXITED | os.WNOWAIT)
        ended = calls.waitid_pidfd(pidfd)
        assert first is not None
        assert ended is not None
        return [told, first.si_status, ended.si_status, ended.si_pid == pid]

    assert in_child(act, uid) == [True, 7, 7, True]


def test_a_clone_is_a_fork_to_python(uid: int | None) -> None:
    def act() -> int:
        heard: list[int] = []
        os.register_at_fork(after_in_child=lambda: heard.append(1))
        pid, pidfd = calls.clone(0)
        if pid == 0:
            os._exit(len(heard))
        ended = calls.waitid_pidfd(pidfd)
        assert ended is not None
        return ended.si_status

    assert in_child(act, uid) == 1


def test_a_clone_without_handlers_runs_none_and_can_fork_and_start_threads() -> None:
    def act() -> list[object]:
        ran: list[int] = []
        for when in ("before", "after_in_parent", "after_in_child"):
            os.register_at_fork(**{when: lambda: ran.append(1)})
        pid, pidfd = calls.clone(0, handlers=False)
        if pid == 0:
            thread = threading.Thread(target=ran.append, args=(2,))
            thread.start()
            thread.join()
            inner = os.fork()
            if inner == 0:
                os._exit(len(ran))
            inside = os.waitstatus_to_exitcode(os.waitpid(inner, 0)[1])
            os._exit(10 * len(ran) + inside)
        ended = calls.waitid_pidfd(pidfd)
        assert ended is not None
        return [len(ran), ended.si_status]

    # In the child: the thread's entry, then the handlers of an ordinary fork, two on each side.
    assert in_child(act) == [0, 33]


@pytest.mark.usefixtures("user_namespaces")
def test_libc_knows_the_number_of_a_cloned_thread(uid: int | None) -> None:
    def act() -> list[object]:
        import ctypes  # noqa: PLC0415  # loaded already

        address = _clone.libc_tid_address()
        kept = ctypes.c_int.from_address(address).value if address else None
        return [os.getpid(), kept, calls.syscall("gettid")]

    assert in_namespaces(act, uid) == [1, 1, 1]


def test_clone_says_why_not(other: int | None) -> None:
    def act() -> list[str]:
        return [
            attempt(lambda: calls.clone(calls.CLONE_NEWPID)),
            attempt(lambda: calls.clone(calls.CLONE_NEWUSER | 0x200)),  # CLONE_FS
        ]

    assert in_child(act, other) == ["EPERM", "EINVAL"]


def test_only_what_is_kept_stays_open() -> None:
    def act() -> list[int]:
        for number in (40, 90, 91, 150):
            os.dup2(0, number)
        calls.close_all_but([91, 40, 1, 90, 1000])
        return [number for number in range(200) if attempt(lambda n=number: os.fstat(n)) == "ok"]  # type: ignore[misc]

    # What it is told through is closed too, so it tells by its exit code.
    def count() -> int:
        pid = os.fork()
        if pid == 0:
            os._exit(act() == [1, 40, 90, 91])
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

    assert in_child(count) == 1


def test_openat2_stays_beneath(tmp_path: Path) -> None:
    (tmp_path / "inside").write_text("x")
    (tmp_path / "link").symlink_to("inside")
    directory = os.open(tmp_path, os.O_RDONLY)
    resolve = calls.RESOLVE_BENEATH | calls.RESOLVE_NO_SYMLINKS
    try:
        file = calls.openat2(directory, "inside", os.O_RDONLY, resolve)
        assert os.read(file, 9) == b"x"
        assert not os.get_inheritable(file)
        os.close(file)
        for path, code in (("../x", errno.EXDEV), ("/etc", errno.EXDEV), ("link", errno.ELOOP)):
            with pytest.raises(OSError, match="openat2") as caught:
                calls.openat2(directory, path, os.O_RDONLY, resolve)
            assert caught.value.errno == code
        os.close(calls.openat2(directory, "link", os.O_RDONLY, calls.RESOLVE_BENEATH))
    finally:
        os.close(directory)


def test_a_signal_reaches_one_process_or_nobody() -> None:
    def act() -> list[object]:
        pid, pidfd = calls.clone(0)
        if pid == 0:
            time.sleep(60)
            os._exit(0)
        again = calls.pidfd_open(pid)
        calls.pidfd_send_signal(again, signal.SIGKILL)
        ended = calls.waitid_pidfd(pidfd)
        assert ended is not None
        gone = attempt(lambda: calls.pidfd_send_signal(pidfd, signal.SIGKILL))
        return [ended.si_code == os.CLD_KILLED, ended.si_status, gone]

    assert in_child(act) == [True, signal.SIGKILL, "ESRCH"]


def test_a_process_ends_with_its_parent(uid: int | None) -> None:
    def act() -> bool:
        calls.subreaper()
        reader, writer = os.pipe()
        pid = os.fork()
        if pid == 0:
            middle = os.getpid()
            child, _ = calls.clone(0)
            if child == 0:
                calls.die_with_parent()
                assert os.getppid() == middle
                os.write(writer, b"ready")
                time.sleep(60)
                os._exit(0)
            os.read(reader, 5)
            os._exit(0)
        os.waitpid(pid, 0)
        orphan, status = os.waitpid(-1, 0)  # ours, because of subreaper
        return orphan > 0 and os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL

    assert in_child(act, uid) is True


def test_no_new_privileges_and_dumpable() -> None:
    def act() -> list[int]:
        before = [calls.prctl(39), calls.prctl(3)]
        calls.no_new_privileges()
        calls.set_dumpable(False)
        return [*before, calls.prctl(39), calls.prctl(3)]

    assert in_child(act) == [0, 1, 1, 0]


@pytest.mark.usefixtures("user_namespaces")
def test_a_hostname_of_its_own(uid: int | None) -> None:
    def act() -> str:
        calls.set_hostname("planish")
        return os.uname().nodename

    assert in_namespaces(act, uid) == "planish"
    assert os.uname().nodename != "planish"
