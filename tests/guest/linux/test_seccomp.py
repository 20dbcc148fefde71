"""The lists in force: real calls in real children."""

import asyncio
import contextlib
import ctypes
import errno
import mmap
import os
import platform
import signal
import socket
import subprocess
import threading

import pytest
from tests.guest.linux.children import Ended, attempt, in_child, numbered

from planish.guest.linux import calls, seccomp
from planish.guest.linux._numbers import numbers

pytestmark = pytest.mark.skipif(
    platform.machine() not in ("x86_64", "aarch64"), reason="no table for this machine"
)
walls = pytest.mark.parametrize("profile", ["namespaces", "landlock"])


@pytest.fixture(autouse=True)
def _prepared() -> None:
    """As a launcher does: before any fork."""
    for profile in ("namespaces", "landlock", "calm"):
        seccomp.prepare(profile)
    seccomp.prepare("landlock", alone=True)


# uretprobe and uprobe: no filter is asked about them, and they do nothing for whoever calls
# them from anywhere but the kernel's own trampoline: SIGILL, ENXIO (arch/x86/kernel/uprobes.c).
_TRAMPOLINES = {335, 336} if platform.machine() == "x86_64" else set[int]()


def _walled(profile: str, *, alone: bool = False) -> None:
    calls.no_new_privileges()
    seccomp.install(profile, alone=alone)


def _errno(number: int, *args: int) -> int:
    try:
        calls.syscall(number, *args)
    except OSError as error:
        return error.errno or 0
    return 0


@walls
def test_no_call_that_is_not_listed_succeeds(profile: str, uid: int | None) -> None:
    """With arguments of zero, which many calls take for good ones."""
    listed = {numbers()[name] for name in seccomp.allowed(profile) if name in numbers()}
    others = [number for number in range(1024) if number not in listed | _TRAMPOLINES]
    refusals = (errno.EPERM, errno.ENOSYS, errno.ENOTSUP)

    def act() -> list[int]:
        _walled(profile)
        return [number for number in others if _errno(number) not in refusals]

    assert len(others) > 700
    assert in_child(act, uid) == []


@walls
def test_numbers_that_no_table_has(profile: str, other: int | None) -> None:
    far = [*_TRAMPOLINES, *range(1 << 30, (1 << 30) + 600, 37), -1, -5, -(1 << 31), (1 << 31) - 1]

    def act() -> list[int]:
        _walled(profile)
        survived: list[int] = []
        for number in far:
            pid = os.fork()
            if pid == 0:
                told = _errno(number)
                os._exit(told == 0 if number in _TRAMPOLINES else told != errno.ENOSYS)
            status = os.waitpid(pid, 0)[1]
            refused = os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0
            killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) in (
                signal.SIGSYS,
                signal.SIGILL,
            )
            if not (refused or killed):
                survived.append(number)
        return survived

    assert in_child(act, other) == []


_PAGE = b"\0" * 4096
_EVENT = (1).to_bytes(4, "little") + (128).to_bytes(4, "little") + b"\0" * 120
DANGEROUS: dict[str, tuple[calls.Argument, ...]] = {
    "add_key": (b"user", b"planish", b"x", 1, -2),
    "bpf": (0, (2).to_bytes(4, "little") + (4).to_bytes(4, "little") * 3 + b"\0" * 56, 72),
    "chroot": (b"/",),
    "fanotify_init": (0, 0),
    "fsopen": (b"tmpfs", 0),
    "io_setup": (1, _PAGE),
    "io_uring_setup": (1, b"\0" * 120),
    "kcmp": (0, 0, 0, 0, 0),
    "keyctl": (0, -3, 1),
    "landlock_create_ruleset": (None, 0, 1),
    "memfd_create": (b"x", 0),
    "memfd_secret": (0,),
    "mincore": (0, 0, 0),
    "mount": (b"none", b"/proc", b"tmpfs", 0, None),
    "msgget": (0, 0o600),
    "name_to_handle_at": (-100, b"/", b"\x80\0\0\0" + b"\0" * 200, b"\0" * 8, 0),
    "open_tree": (-100, b"/", 1),
    "perf_event_open": (_EVENT, 0, -1, -1, 0),
    "personality": (0x0040000,),
    "process_vm_readv": (0, None, 0, None, 0, 0),
    "ptrace": (0, 0, 0, 0),
    "quotactl": (0x80000100, None, 0, None),
    "seccomp": (2, 0, (0x7FFF0000).to_bytes(4, "little")),
    "semget": (0, 1, 0o600),
    "setgroups": (0, None),
    "setns": (0, 0),
    "shmget": (0, 4096, 0o600),
    "sync": (),
    "syslog": (10, None, 0),
    "unshare": (0x04000000,),
    "userfaultfd": (1,),
    "vmsplice": (0, None, 0, 0),
}


@walls
def test_dangerous_calls_are_refused(profile: str, uid: int | None) -> None:
    present = {name: args for name, args in DANGEROUS.items() if name in numbers()}

    def try_all() -> list[str]:
        return [
            name
            for name, args in present.items()
            if attempt(lambda n=name, a=args: calls.syscall(n, *a)) == "ok"  # type: ignore[misc]
        ]

    def act() -> list[str]:
        _walled(profile)
        return try_all()

    # Where nothing is refused, a good part of them works: the rest needs rights, or devices.
    assert len(_controls(present, uid)) >= 10
    assert in_child(act, uid) == []


def _controls(present: dict[str, tuple[calls.Argument, ...]], uid: int | None) -> list[str]:
    """Each in a child of its own, and the mounts and roots in a mount namespace of their own."""
    worked: list[str] = []
    for name, args in present.items():

        def act(name: str = name, args: tuple[calls.Argument, ...] = args) -> str:
            with contextlib.suppress(OSError):
                calls.unshare(calls.CLONE_NEWNS | calls.CLONE_NEWIPC)
                calls.mount("none", "/", None, calls.MS_REC | calls.MS_PRIVATE)
            return attempt(lambda: calls.syscall(name, *args))

        if name != "sync" and numbered(act, uid) == Ended(value="ok"):
            worked.append(name)
    return worked


def _call_of_another_architecture() -> None:
    """Ask for the process id by int 0x80, as programs of 32 bits do."""
    prot = mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC
    page = mmap.mmap(-1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot)
    page.write(bytes.fromhex("b814000000cd80c3"))
    address = ctypes.addressof(ctypes.c_char.from_buffer(page))
    ctypes.CFUNCTYPE(ctypes.c_int)(address)()
    os._exit(0)  # the buffer is held


@walls
def test_another_architectures_door_is_shut(profile: str, other: int | None) -> None:
    if platform.machine() != "x86_64":
        pytest.skip("int 0x80 is of x86")

    def act(wall: bool) -> int:  # noqa: FBT001  # one switch
        pid = os.fork()
        if pid == 0:
            if wall:
                _walled(profile)
            _call_of_another_architecture()
        status = os.waitpid(pid, 0)[1]
        return os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0

    assert in_child(lambda: act(wall=False), other) in (0, signal.SIGSEGV)  # if the kernel has it
    assert in_child(lambda: act(wall=True), other) == signal.SIGSYS


@walls
def test_every_thread_is_held(profile: str, other: int | None) -> None:
    def act() -> list[str]:
        told: list[str] = []
        ready, walled = threading.Event(), threading.Event()

        def ask() -> None:
            ready.set()
            walled.wait()
            told.append(attempt(lambda: os.memfd_create("x")))

        thread = threading.Thread(target=ask)
        thread.start()
        ready.wait()
        _walled(profile)
        walled.set()
        thread.join()
        return told

    assert in_child(act, other) == ["ENOSYS"]


def test_signals_without_namespaces(other: int | None) -> None:
    host = os.getpid()

    # The group is made before the wall, as a launcher does it.
    def walled() -> list[str]:
        os.setpgid(0, 0)
        _walled("landlock")
        signal.signal(signal.SIGUSR1, signal.SIG_IGN)
        return [
            attempt(lambda: os.kill(host, 0)),
            attempt(lambda: os.kill(-1, 0)),
            attempt(lambda: os.kill(os.getpid(), signal.SIGUSR1)),
            attempt(lambda: os.killpg(0, signal.SIGUSR1)),
            attempt(lambda: signal.raise_signal(signal.SIGUSR1)),
            attempt(os.setsid),
        ]

    assert in_child(walled, other) == ["EPERM", "EPERM", "ok", "ok", "ok", "EPERM"]


def _ordinary() -> list[object]:
    """What ordinary programs do: threads, processes, loops, pipes."""

    async def loop() -> int:
        process = await asyncio.create_subprocess_exec("/bin/true")
        return await process.wait()

    heard: list[int] = []
    thread = threading.Thread(target=heard.append, args=(1,))
    thread.start()
    thread.join()
    done = subprocess.run(["/bin/sh", "-c", "echo hi | cat"], capture_output=True, check=True)
    with contextlib.closing(socket.socketpair()[0]) as end:
        family = int(end.family)
    return [asyncio.run(loop()), heard, done.stdout.decode(), family]


@pytest.mark.parametrize(
    ("profile", "alone"), [("namespaces", False), ("landlock", False), ("landlock", True)]
)
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_ordinary_programs_run(profile: str, alone: bool, other: int | None) -> None:  # noqa: FBT001
    def act() -> list[object]:
        _walled(profile, alone=alone)
        return _ordinary()

    assert in_child(act, other) == [0, [1], "hi\n", 1]


def test_a_launcher_may_still_launch(uid: int | None) -> None:
    def world() -> str:
        pid, pidfd = calls.clone(calls.CLONE_NEWUSER | calls.CLONE_NEWPID)
        if pid == 0:
            _walled("namespaces")
            os._exit(attempt(lambda: calls.unshare(calls.CLONE_NEWUSER)) == "EPERM")
        ended = calls.waitid_pidfd(pidfd)
        return str(ended and ended.si_status)

    def act() -> list[str]:
        _walled("calm")
        told = [attempt(lambda n=name, a=DANGEROUS[name]: calls.syscall(n, *a)) for name in shut]  # type: ignore[misc]
        return [*told, world()]

    shut = ("ptrace", "perf_event_open", "keyctl", "add_key", "shmget")
    assert in_child(act, uid) == ["EPERM"] * 5 + ["1"]


def test_it_needs_no_new_privileges(other: int | None) -> None:
    assert in_child(lambda: attempt(lambda: seccomp.install("landlock")), other) == "EACCES"
