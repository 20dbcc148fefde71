"""Map user ids in a user namespace, and make a root directory that shows only what was granted."""
# ruff: noqa: PTH102, PTH103, PTH120, PTH211  # no pathlib in here

import ctypes
import os
import stat

from ._constants import (
    MOVE_MOUNT_F_EMPTY_PATH,
    OPEN_TREE_CLOEXEC,
    OPEN_TREE_CLONE,
)
from .calls import (
    AT_EMPTY_PATH,
    AT_FDCWD,
    AT_RECURSIVE,
    MNT_DETACH,
    MOUNT_ATTR_NODEV,
    MOUNT_ATTR_NOSUID,
    MOUNT_ATTR_RDONLY,
    MS_NODEV,
    MS_NOEXEC,
    MS_NOSUID,
    MS_PRIVATE,
    MS_RDONLY,
    MS_REC,
    mount,
    pivot_root,
    syscall,
    unmount,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["fresh_work", "map_ids", "mount_proc", "new_root", "raise_loopback"]

# How /proc is mounted: the first that the kernel takes. `subset` is of Linux 5.8.
_PROC = ("subset=pid,hidepid=2", "hidepid=2", "")

# Where each device is mounted, and which one. As /dev/zero there is one that reads the same and
# cannot be mapped: a mapping of the real one is memory that no limit counts.
_DEVICES = {
    "null": "null",
    "zero": "full",
    "random": "random",
    "urandom": "urandom",
    "full": "full",
}
_LINKS = {
    "/dev/fd": "/proc/self/fd",
    "/dev/stdin": "/proc/self/fd/0",
    "/dev/stdout": "/proc/self/fd/1",
    "/dev/stderr": "/proc/self/fd/2",
    "/dev/shm": "/tmp",  # noqa: S108  # semaphores and shared memory then count as /tmp does
}
_AF_INET, _SOCK_DGRAM = 2, 2
_SIOCSIFFLAGS, _IFF_UP, _IFF_RUNNING = 0x8914, 0x1, 0x40  # linux/sockios.h, linux/if.h
_ATTRIBUTES = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV

_setting = (ctypes.c_uint64 * 4)()  # mount_attr: set, clear, propagation, userns


def map_ids(pid: "int | str", uid: int, gid: int, outside: "tuple[int, int] | None" = None) -> None:
    """Map the user and group of a process in a new user namespace, once for each namespace.

    Args:
        pid: The process, as this /proc numbers it; "self" is this one.
        uid: Who it is inside.
        gid: Its group inside.
        outside: The user and group that it is to the rest of the machine. None: this
            process's own. For "self" it has to be given: in the new namespace the process
            cannot find it any more. Other than one's own needs CAP_SETUID outside.

    Raises:
        OSError: (EPERM) mapped already, or not allowed; (EACCES) the process is not dumpable.
    """
    if outside is None:
        if pid == "self":
            raise ValueError("map_ids: say who this process is outside of its new namespace")
        outside = (os.geteuid(), os.getegid())
    lines = (
        ("setgroups", "deny"),
        ("uid_map", f"{uid} {outside[0]} 1"),
        ("gid_map", f"{gid} {outside[1]} 1"),
    )
    for name, text in lines:
        file = os.open(f"/proc/{pid}/{name}", os.O_WRONLY | os.O_CLOEXEC)
        try:
            os.write(file, text.encode())
        finally:
            os.close(file)


def new_root(
    grants: "Iterable[tuple[str, str, bool]]",
    *,
    links: "Mapping[str, str] | None" = None,
    work: "tuple[int, int]" = (64 << 20, 10_000),
    tmp: "tuple[int, int]" = (16 << 20, 2_000),
    whole_proc: bool = False,
    stage: str = "/tmp",  # noqa: S108  # any directory that is there
) -> None:
    """Change the root directory for one that holds the grants and nothing else of the host.

    There are, besides the grants: /dev with null, zero, random, urandom and full; /proc of
    this process's pid namespace; /tmp and /work, empty and writable. All else is read-only.
    The working directory is / afterwards.

    To be called in a new mount namespace, by a process that may mount (CAP_SYS_ADMIN in the
    user namespace that owns it). Linux 5.12 and later.

    Args:
        grants: Each: what is shown, where, and whether it may be written. Files and
            directories, with all that is mounted below; links are followed. None has setuid
            or devices.
        links: Symbolic links to be made: where, to what.
        work: Bytes and inodes of /work.
        tmp: Bytes and inodes of /tmp.
        whole_proc: As for `mount_proc`.
        stage: A directory to put the new root together in.

    Raises:
        OSError: A grant is not there, or the kernel refuses a mount.
    """
    mount("none", "/", None, MS_REC | MS_PRIVATE)
    # All sources are opened before the stage hides anything, and in this namespace: what was
    # opened in another cannot be mounted here.
    trees = [(_clone_tree(source, writable), target) for source, target, writable in grants]
    for name, device in _DEVICES.items():
        trees.append((_clone_tree(f"/dev/{device}", None), f"/dev/{name}"))
    mount("planish", stage, "tmpfs", MS_NOSUID | MS_NODEV, "size=1m,nr_inodes=2000,mode=755")
    os.chdir(stage)
    for name in ("dev", "proc", "tmp", "work"):
        os.mkdir(name)
    fresh_work("tmp", *tmp)
    fresh_work("work", *work)
    mount_proc("proc", whole=whole_proc)
    for tree, target in trees:
        _attach(tree, _below(target))
    for place, text in {**_LINKS, **(links or {})}.items():
        _parents(_below(place))
        os.symlink(text, _below(place))
    _set_attributes(AT_FDCWD, b".", MOUNT_ATTR_RDONLY | _ATTRIBUTES, 0)
    pivot_root(".", ".")
    unmount(".", MNT_DETACH)
    os.chdir("/")


def fresh_work(path: str, size: int, inodes: int) -> None:
    """Mount an empty directory that holds no more than so many bytes and files.

    Args:
        path: An existing directory; what it showed is hidden.
        size: Bytes, in steps of a page.
        inodes: Files, directories and links, itself included.
    """
    options = f"size={size},nr_inodes={inodes},mode=700"
    mount("planish", path, "tmpfs", MS_NOSUID | MS_NODEV, options)


def mount_proc(path: str = "/proc", *, whole: bool = False) -> None:
    """Mount the /proc of this pid namespace.

    Args:
        path: An existing directory.
        whole: All of it, writable: a launcher needs it, to write its children's id maps and
            because a child may mount /proc only where a whole one is in sight. Otherwise it
            is read-only and has processes only, as far as the kernel knows how.

    Raises:
        OSError: (EPERM) no other /proc in this mount namespace shows all there is.
    """
    flags = MS_NOSUID | MS_NODEV | MS_NOEXEC
    if whole:
        return mount("proc", path, "proc", flags)
    for options in _PROC[:-1]:
        try:
            return mount("proc", path, "proc", flags | MS_RDONLY, options)
        except OSError:  # an older kernel does not know the options
            continue
    return mount("proc", path, "proc", flags | MS_RDONLY, _PROC[-1])


def raise_loopback() -> None:
    """Switch on 127.0.0.1 and ::1 in a new network namespace, for programs that call themselves.

    Raises:
        OSError: (EPERM) no right to configure this namespace's network.
    """
    descriptor = syscall("socket", _AF_INET, _SOCK_DGRAM | os.O_CLOEXEC, 0)
    try:
        request = b"lo".ljust(16, b"\0") + (_IFF_UP | _IFF_RUNNING).to_bytes(24, "little")
        syscall("ioctl", descriptor, _SIOCSIFFLAGS, request)
    finally:
        os.close(descriptor)


def _clone_tree(source: str, writable: "bool | None") -> int:
    """Return a detached mount of a file or folder; `writable` is None for a device."""
    flags = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE
    tree = syscall("open_tree", AT_FDCWD, os.fsencode(source), flags)
    attributes = MOUNT_ATTR_NOSUID if writable is None else _ATTRIBUTES
    if writable is False:
        attributes |= MOUNT_ATTR_RDONLY
    _set_attributes(tree, b"", attributes, AT_EMPTY_PATH | AT_RECURSIVE)
    return tree


def _set_attributes(descriptor: int, path: bytes, attributes: int, flags: int) -> None:
    _setting[0] = attributes
    syscall("mount_setattr", descriptor, path, flags, _setting, ctypes.sizeof(_setting))


def _attach(tree: int, target: str) -> None:
    if stat.S_ISDIR(os.fstat(tree).st_mode):
        os.makedirs(target, exist_ok=True)
    else:
        _parents(target)
        os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600))
    place = os.fsencode(target)
    syscall("move_mount", tree, b"", AT_FDCWD, place, MOVE_MOUNT_F_EMPTY_PATH)
    os.close(tree)


def _below(path: str) -> str:
    return os.path.normpath(path).lstrip("/")


def _parents(path: str) -> None:
    folder = os.path.dirname(path)
    if folder:
        os.makedirs(folder, exist_ok=True)
