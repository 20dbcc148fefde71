"""What the compiled lists say, for both architectures and every number, run in Python."""

import fcntl
import termios

import pytest
from tests.guest.linux.bpf import ARCH, verdict

from planish.guest.linux import seccomp
from planish.guest.linux._numbers import numbers
from planish.guest.linux._policy import ATTRIBUTES, SOFT

ALLOW, KILL, EPERM, ENOSYS, ENOTTY = 0x7FFF0000, 0x80000000, 0x50001, 0x50026, 0x50019
ENOMEM, ENOTSUP = 0x5000C, 0x5005F
EAFNOSUPPORT, EPROTONOSUPPORT = 0x50061, 0x5005D
PROFILES = ("namespaces", "landlock", "calm")
PID = 4321

every = pytest.mark.parametrize("arch", ARCH)
walls = pytest.mark.parametrize("profile", ["namespaces", "landlock"])


def _says(profile: str, arch: str, name: str, *args: int, **options: bool) -> int:
    program = seccomp.program(profile, arch, pid=PID, **options)
    return verdict(program, ARCH[arch], numbers(arch)[name], *args)


@every
@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("option", [None, "scoped", "alone"])
def test_every_number(profile: str, arch: str, option: str | None) -> None:
    options = {option: True} if option else {}
    program = seccomp.program(profile, arch, **options)
    calls = seccomp.allowed(profile, **options)
    names = {number: name for name, number in numbers(arch).items()}
    for number in range(1024):
        told, name = verdict(program, ARCH[arch], number), names.get(number)
        if name is None or (name in SOFT.split() and name not in calls):
            assert told == ENOSYS, number
        elif profile == "landlock" and name in ATTRIBUTES.split():
            assert told == ENOTSUP, name
        elif name not in calls:
            assert told == EPERM, name
        elif calls[name] is None:
            assert told == ALLOW, name
    beyond = [*range(1 << 30, (1 << 30) + 1024), *range(-1024, 0), 1 << 31]
    assert {verdict(program, ARCH[arch], number) for number in beyond} == {
        KILL if arch == "x86_64" else ENOSYS
    }


@every
@pytest.mark.parametrize("profile", PROFILES)
def test_other_architectures_end_the_process(profile: str, arch: str) -> None:
    program = seccomp.program(profile, arch)
    foreign = [*(code for name, code in ARCH.items() if name != arch), 0x40000003, 0x40000028, 0]
    for code in foreign:  # i386 and 32-bit ARM among them
        assert verdict(program, code, numbers(arch)["getpid"]) == KILL


@every
@walls
def test_no_new_namespaces_by_any_flag(profile: str, arch: str) -> None:
    for bit in (17, 25, 26, 27, 28, 29, 30):
        assert _says(profile, arch, "clone", 17 | 1 << bit) == EPERM
    assert _says(profile, arch, "clone", 17 | 1 << 15) == EPERM  # CLONE_PARENT
    assert _says(profile, arch, "clone", 0x1200011) == ALLOW  # a fork
    assert _says(profile, arch, "clone", 0x3D0F00) == ALLOW  # a thread
    assert _says(profile, arch, "clone", 0x4111) == ALLOW  # posix_spawn
    assert _says(profile, arch, "clone3") == ENOSYS
    assert _says("calm", arch, "clone", 0x7E020011) == ALLOW


@every
@walls
def test_arguments(profile: str, arch: str) -> None:
    def says(name: str, *args: int) -> int:
        return _says(profile, arch, name, *args)

    assert says("ioctl", 0, 0x5401) == says("ioctl", 0, 0x5421) == ALLOW
    for request in (0x5412, 0x541C, 0x8901, 0x8902, 0x8933, 0x80045200):  # TIOCSTI, TIOCLINUX
        assert says("ioctl", 0, request) == ENOTTY
        assert says("ioctl", 0, request | 1 << 32) == ENOTTY  # the kernel looks at 32 bits
    assert says("fcntl", 0, 1030) == says("fcntl", 0, 4) == ALLOW
    assert says("fcntl", 0, 8) == says("fcntl", 0, 10) == says("fcntl", 0, 15) == EPERM
    own = (2, 3, 4, 15, 16, 23, 29, 30, 36, 37, 38, 39, 41, 42, 0x53564D41)
    assert {says("prctl", option) for option in own} == {ALLOW}
    for option in (1, 8, 22, 24, 35, 47, 0x59616D61):
        assert says("prctl", option) == EPERM
    assert says("prlimit64", 0) == ALLOW
    assert says("prlimit64", 1) == EPERM
    assert says("personality", 0xFFFFFFFF) == ALLOW
    assert says("personality", 0x0040000) == EPERM
    assert says("mknodat", 0, 0, 0o010644) == ALLOW
    assert says("mknodat", 0, 0, 0o020644) == says("mknodat", 0, 0, 0o060644) == EPERM
    assert says("setpriority", 0, 0) == ALLOW
    assert says("setpriority", 0, 5) == says("setpriority", 2, 0) == EPERM
    assert says("sched_setaffinity", 0) == ALLOW
    assert says("sched_setaffinity", 1) == EPERM


# By the names that Python has for them; their numbers are the same on both architectures.
TERMINAL = ("TCGETS", "TCSETS", "TCSETSF", "TCSETSW", "TIOCGPGRP", "TIOCGWINSZ")
FILES = ("FIOCLEX", "FIONBIO", "FIONCLEX", "FIONREAD")
LOCKS = ("F_GETLK", "F_SETLK", "F_SETLKW", "F_OFD_GETLK", "F_OFD_SETLK", "F_OFD_SETLKW")
FLAGS = ("F_DUPFD", "F_DUPFD_CLOEXEC", "F_GETFD", "F_SETFD", "F_GETFL", "F_SETFL")
PIPES = ("F_GETPIPE_SZ", "F_SETPIPE_SZ", "F_ADD_SEALS", "F_GET_SEALS")


@every
@walls
def test_no_argument_but_those_named(profile: str, arch: str) -> None:
    program = seccomp.program(profile, arch, pid=PID)

    def allowed(name: str, *tried: int) -> set[int]:
        number = numbers(arch)[name]
        return {one for one in tried if verdict(program, ARCH[arch], number, 0, one) == ALLOW}

    names = {getattr(termios, name) for name in (*TERMINAL, *FILES)}
    cloned = {0x40049409, 0x4020940D, 0x802C542A}  # FICLONE, FICLONERANGE, TCGETS2
    assert allowed("ioctl", *range(0x5400, 0x5460), *cloned) == names | cloned
    names = {getattr(fcntl, name) for name in (*LOCKS, *FLAGS, *PIPES)}
    assert allowed("fcntl", *range(48), *range(1024, 1048)) == names


@every
@walls
def test_no_shared_anonymous_memory_and_no_huge_pages(profile: str, arch: str) -> None:
    def says(flags: int) -> int:
        return _says(profile, arch, "mmap", 0, 4096, 3, flags)

    for flags in (0x22, 0x2, 0x20022, 1, 3, 0x8001):  # private; and shared, of a file
        assert says(flags) == ALLOW
        assert says(flags | 0x40000) == ENOMEM
    for flags in (0x21, 0x23, 0x8021, 0x21 | 1 << 32):
        assert says(flags) == ENOMEM


@every
def test_sockets_within_namespaces(arch: str) -> None:
    def says(*args: int) -> int:
        return _says("namespaces", arch, "socket", *args)

    flags = 0o2000000 | 0o4000  # CLOEXEC, NONBLOCK
    allowed = [(1, 1, 0), (1, 2, 0), (1, 5, 0), (2, 1, 0), (10, 1, 6), (2, 2, 17), (10, 2, 0)]
    for family, kind, protocol in allowed:
        assert says(family, kind | flags, protocol) == ALLOW
    refused = [(16, 3, 0), (17, 3, 0), (40, 1, 0), (38, 5, 0), (2, 3, 1), (2, 2, 1), (2, 1, 262)]
    for family, kind, protocol in refused:  # netlink, packet, vsock, alg, raw, ping, MPTCP
        assert says(family, kind | flags, protocol) == EAFNOSUPPORT
    assert _says("namespaces", arch, "setsockopt", 0, 1, 2) == ALLOW
    assert _says("namespaces", arch, "setsockopt", 0, 1, 26) == EPERM  # a program attached
    for profile in ("namespaces", "landlock"):
        for buffer in (7, 8, 32, 33):  # SO_SNDBUF and so on: "done", and nothing is
            assert _says(profile, arch, "setsockopt", 0, 1, buffer) == EPERM - 1
    assert _says("namespaces", arch, "setsockopt", 0, 6, 31) == EPERM  # TCP_ULP
    assert _says("namespaces", arch, "setsockopt", 0, 0, 64) == EPERM  # netfilter's tables


@every
def test_sockets_without_namespaces(arch: str) -> None:
    assert _says("landlock", arch, "socket", 1, 1, 0) == EPERM
    assert _says("landlock", arch, "socketpair", 1, 1 | 0o2000000, 0) == ALLOW
    assert _says("landlock", arch, "socketpair", 1, 2, 0) == EPROTONOSUPPORT
    assert _says("landlock", arch, "socketpair", 2, 1, 0) == EPROTONOSUPPORT
    assert _says("namespaces", arch, "socketpair", 2, 1, 0) == EAFNOSUPPORT
    for name in ("bind", "connect", "listen", "accept4"):
        assert _says("landlock", arch, name) == EPERM


@every
def test_signals_without_namespaces(arch: str) -> None:
    def says(name: str, *args: int, **options: bool) -> int:
        return _says("landlock", arch, name, *args, **options)

    assert says("kill", 0) == says("kill", PID) == says("kill", -PID) == ALLOW
    assert says("kill", -PID & 0xFFFFFFFF) == ALLOW
    assert says("kill", -1) == says("kill", 1) == says("kill", PID + 1) == EPERM
    for name in ("tgkill", "tkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo"):
        assert says(name, PID) == ALLOW
        assert says(name, 1) == EPERM
        assert says(name, 1, scoped=True) == says(name, 1, alone=True) == ALLOW
    assert says("kill", 1, scoped=True) == says("kill", -1, alone=True) == ALLOW
    for name in ("setsid", "setpgid", "pidfd_send_signal"):
        for options in ({}, {"scoped": True}, {"alone": True}):
            assert says(name, **options) == EPERM
    assert says("pidfd_open") == ENOSYS


@every
def test_what_landlock_does_not_see(arch: str) -> None:
    for name in ("fchmod", "fchmodat", "fchownat", "utimensat", "truncate"):
        assert _says("landlock", arch, name) == EPERM
        assert _says("landlock", arch, name, scoped=True) == EPERM
        assert _says("landlock", arch, name, alone=True) == ALLOW
        assert _says("namespaces", arch, name) == ALLOW
    for name in ("getxattr", "lgetxattr", "fgetxattr", "listxattr", "llistxattr", "flistxattr"):
        assert _says("landlock", arch, name) == ENOTSUP
        assert _says("landlock", arch, name, alone=True) == ENOTSUP
        assert _says("namespaces", arch, name) == ALLOW


@every
@pytest.mark.parametrize("profile", ["namespaces", "landlock", "calm"])
def test_nothing_tells_what_others_do_with_a_file(arch: str, profile: str) -> None:
    for name in ("inotify_init1", "inotify_add_watch", "fanotify_init", "fanotify_mark"):
        assert _says(profile, arch, name) == EPERM


def test_an_unknown_profile_is_refused() -> None:
    with pytest.raises(KeyError):
        seccomp.program("none", "x86_64")
    with pytest.raises(OSError, match="mips"):
        seccomp.program("landlock", "mips")
