"""System calls for processes, descriptors, prctl and mounts, each as one function.

All raise OSError with the kernel's errno. The constants they take are here too.
"""

import ctypes
import os

from ._clone import clone
from ._constants import (
    AT_EMPTY_PATH,
    AT_FDCWD,
    AT_RECURSIVE,
    CLONE_CHILD_CLEARTID,
    CLONE_CHILD_SETTID,
    CLONE_NEWCGROUP,
    CLONE_NEWIPC,
    CLONE_NEWNET,
    CLONE_NEWNS,
    CLONE_NEWPID,
    CLONE_NEWUSER,
    CLONE_NEWUTS,
    CLONE_PARENT,
    CLONE_PIDFD,
    MNT_DETACH,
    MOUNT_ATTR_NODEV,
    MOUNT_ATTR_NOEXEC,
    MOUNT_ATTR_NOSUID,
    MOUNT_ATTR_RDONLY,
    MS_BIND,
    MS_NODEV,
    MS_NOEXEC,
    MS_NOSUID,
    MS_PRIVATE,
    MS_RDONLY,
    MS_REC,
    MS_REMOUNT,
    MS_SLAVE,
    RESOLVE_BENEATH,
    RESOLVE_IN_ROOT,
    RESOLVE_NO_MAGICLINKS,
    RESOLVE_NO_SYMLINKS,
    RESOLVE_NO_XDEV,
)
from ._libc import Argument, syscall

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "AT_EMPTY_PATH",
    "AT_FDCWD",
    "AT_RECURSIVE",
    "CLONE_CHILD_CLEARTID",
    "CLONE_CHILD_SETTID",
    "CLONE_NEWCGROUP",
    "CLONE_NEWIPC",
    "CLONE_NEWNET",
    "CLONE_NEWNS",
    "CLONE_NEWPID",
    "CLONE_NEWUSER",
    "CLONE_NEWUTS",
    "CLONE_PARENT",
    "CLONE_PIDFD",
    "MNT_DETACH",
    "MOUNT_ATTR_NODEV",
    "MOUNT_ATTR_NOEXEC",
    "MOUNT_ATTR_NOSUID",
    "MOUNT_ATTR_RDONLY",
    "MS_BIND",
    "MS_NODEV",
    "MS_NOEXEC",
    "MS_NOSUID",
    "MS_PRIVATE",
    "MS_RDONLY",
    "MS_REC",
    "MS_REMOUNT",
    "MS_SLAVE",
    "RESOLVE_BENEATH",
    "RESOLVE_IN_ROOT",
    "RESOLVE_NO_MAGICLINKS",
    "RESOLVE_NO_SYMLINKS",
    "RESOLVE_NO_XDEV",
    "Argument",
    "clone",
    "close_all_but",
    "die_with_parent",
    "mount",
    "no_new_privileges",
    "openat2",
    "pidfd_open",
    "pidfd_send_signal",
    "pivot_root",
    "prctl",
    "set_dumpable",
    "set_hostname",
    "subreaper",
    "syscall",
    "unmount",
    "unshare",
    "waitid_pidfd",
]

_LAST = 0xFFFFFFFF  # of a descriptor, as close_range has it
_P_PIDFD = 3

_PR_SET_PDEATHSIG = 1
_PR_SET_DUMPABLE = 4
_PR_SET_CHILD_SUBREAPER = 36
_PR_SET_NO_NEW_PRIVS = 38


def close_all_but(keep: "Sequence[int]") -> None:
    """Close every descriptor but these; numbers that are not open are ignored.

    A child of `clone` does this before all else: an inherited pipe holds another run open.
    """
    first = 0
    for kept in sorted(set(keep)):
        if kept > first:
            syscall("close_range", first, kept - 1, 0)
        first = kept + 1
    syscall("close_range", first, _LAST, 0)


def openat2(dirfd: int, path: "str | bytes", flags: int, resolve: int) -> int:
    """Open a file with limits on how its path is resolved; close-on-exec.

    Args:
        dirfd: The directory that the path starts in.
        path: A path.
        flags: `os.O_*`; with O_CREAT the mode is 0o600.
        resolve: RESOLVE_*.
    """
    how = (ctypes.c_uint64 * 3)(flags | os.O_CLOEXEC, 0o600 if flags & os.O_CREAT else 0, resolve)
    return syscall("openat2", dirfd, os.fsencode(path), how, ctypes.sizeof(how))


def pidfd_open(pid: int) -> int:
    """Return a descriptor of a process, which is readable once the process has ended."""
    return syscall("pidfd_open", pid, 0)


def pidfd_send_signal(pidfd: int, signal: int) -> None:
    """Send a signal to exactly this process.

    Raises:
        OSError: (ESRCH) It has ended and was waited for.
    """
    syscall("pidfd_send_signal", pidfd, signal, None, 0)


def waitid_pidfd(
    pidfd: int, options: int = os.WEXITED, *, id_type: int = _P_PIDFD
) -> "os.waitid_result | None":
    """Wait for a child by its descriptor; other threads run meanwhile.

    Args:
        pidfd: Of a child of this process.
        options: `os.WEXITED`, with `os.WNOHANG` to come back at once and `os.WNOWAIT` to leave
            the child as it is, so that its number is not given to another.
        id_type: P_PIDFD.

    Returns:
        As of `os.waitid`: `si_code` says whether `si_status` is an exit code or a signal; None
        if there is nothing to tell yet.
    """
    return os.waitid(id_type, pidfd, options)


def prctl(option: int, *args: int) -> int:
    """Call prctl; arguments that are not given are 0."""
    return syscall("prctl", option, *[*args, 0, 0, 0, 0][:4])


def no_new_privileges() -> None:
    """Gain no rights by exec from here on; Landlock and seccomp require it."""
    prctl(_PR_SET_NO_NEW_PRIVS, 1)


def die_with_parent(signal: int = 9) -> None:
    """Be sent this signal when the thread that started this process ends.

    It is lost at a change of user, so it comes after `become`. The caller has to check afterwards
    whether the parent still exists.
    """
    prctl(_PR_SET_PDEATHSIG, signal)


def set_dumpable(yes: bool) -> None:  # noqa: FBT001  # the contract's one argument
    """Allow or forbid other processes of the user to trace this one and read its /proc entries.

    A change of user sets it to no, and then /proc/self belongs to root: uid_map cannot be
    written until it is yes again.
    """
    prctl(_PR_SET_DUMPABLE, int(yes))


def subreaper() -> None:
    """Become the parent of orphaned descendants."""
    prctl(_PR_SET_CHILD_SUBREAPER, 1)


def mount(
    source: "str | bytes",
    target: "str | bytes",
    fstype: "str | None" = None,
    flags: int = 0,
    data: "str | None" = None,
) -> None:
    """Mount a file system, or change a mount; only the former looks at `fstype` and `data`."""
    kind = None if fstype is None else fstype.encode()
    text = None if data is None else data.encode()
    syscall("mount", os.fsencode(source), os.fsencode(target), kind, flags, text)


def unmount(target: "str | bytes", flags: int = 0) -> None:
    """Unmount a file system; with MNT_DETACH also while it is in use."""
    syscall("umount2", os.fsencode(target), flags)


def pivot_root(new: "str | bytes", old: "str | bytes") -> None:
    """Make `new`, a mount point, the root; the root until now lies at `old`."""
    syscall("pivot_root", os.fsencode(new), os.fsencode(old))


def set_hostname(name: str) -> None:
    """Set the host name of this UTS namespace."""
    text = name.encode()
    syscall("sethostname", text, len(text))


def unshare(flags: int) -> None:
    """Leave these namespaces (CLONE_NEW*) for new ones. A new pid namespace is for children."""
    syscall("unshare", flags)
