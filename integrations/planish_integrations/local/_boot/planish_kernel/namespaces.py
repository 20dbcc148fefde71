"""Who one is in a user namespace, and a root directory that shows only what was granted."""
# ruff: noqa: PTH103, PTH120, PTH211  # no pathlib in here

import ctypes
import os
import stat

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
    MS_REC,
    mount,
    pivot_root,
    syscall,
    unmount,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = ["PROC", "fresh_work", "map_ids", "mount_proc", "new_root"]

PROC = ("subset=pid,hidepid=2", "hidepid=2", "")
"""How /proc is mounted: the first of these that the kernel takes. `subset` is of Linux 5.8."""

_DEVICES = ("null", "zero", "random", "urandom", "full")
_LINKS = (
    ("/proc/self/fd", "dev/fd"),
    ("/proc/self/fd/0", "dev/stdin"),
    ("/proc/self/fd/1", "dev/stdout"),
    ("/proc/self/fd/2", "dev/stderr"),
    ("/tmp", "dev/shm"),  # noqa: S108  # semaphores and shared memory then count as /tmp does
)
_OPEN_TREE_CLONE = 1
_MOVE_MOUNT_F_EMPTY_PATH = 4
_ATTRIBUTES = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV

_setting = (ctypes.c_uint64 * 4)()  # mount_attr: set, clear, propagation, userns


def map_ids(pid: "int | str", uid: int, gid: int, outside: "tuple[int, int] | None" = None) -> None:
    """Say who a process of a new user namespace is; it has to be done once, for each.

    Args:
        pid: The process, as this /proc numbers it; "self" is this one.
        uid: Who it is inside.
        gid: Its group inside.
        outside: The user and group that it is to the rest of the machine. None: this
            process's own. For "self" it has to be given: after the new namespace was made
            nobody can tell any more. Other than one's own needs CAP_SETUID outside.

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
    proc: "Sequence[str]" = PROC,
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
        proc: Options for /proc, the first that the kernel takes; none: no /proc. A process
            that is to mount /proc again in a child needs a plain one, ("",).
        stage: A directory to put the new root together in.

    Raises:
        OSError: A grant is not there, or the kernel refuses a mount.
    """
    mount("none", "/", None, MS_REC | MS_PRIVATE)
    # All sources are opened before the stage hides anything, and in this namespace: what was
    # opened in another cannot be mounted here.
    trees = [(_clone_tree(source, writable), target, source) for source, target, writable in grants]
    devices = [
        (_clone_tree(f"/dev/{name}", None), f"/dev/{name}", "/dev/null") for name in _DEVICES
    ]
    mount("planish", stage, "tmpfs", MS_NOSUID | MS_NODEV, "size=1m,nr_inodes=2000,mode=755")
    os.chdir(stage)
    for tree, target, source in [*trees, *devices]:
        _attach(tree, os.path.normpath(target).lstrip("/"), is_directory=_is_directory(tree))
        del source
    for text, place in _LINKS:
        os.symlink(text, place)
    for place, text in (links or {}).items():
        _parents(place.lstrip("/"))
        os.symlink(text, place.lstrip("/"))
    for name, (size, inodes) in (("tmp", tmp), ("work", work)):
        os.makedirs(name, exist_ok=True)
        fresh_work(name, size, inodes)
    if proc:
        os.makedirs("proc", exist_ok=True)
        mount_proc("proc", proc)
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


def mount_proc(path: str = "/proc", options: "Sequence[str]" = PROC) -> None:
    """Mount the /proc of this pid namespace.

    Args:
        path: An existing directory.
        options: The first that the kernel takes.

    Raises:
        OSError: (EPERM) no other /proc in this mount namespace shows all there is.
    """
    for number, text in enumerate(options, 1):
        try:
            return mount("proc", path, "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, text)
        except OSError:
            if number == len(options):
                raise
    return None


def _clone_tree(source: str, writable: "bool | None") -> int:
    """A mount of its own of what is there, nowhere attached yet; None: it is a device."""
    flags = _OPEN_TREE_CLONE | os.O_CLOEXEC | AT_RECURSIVE
    tree = syscall("open_tree", AT_FDCWD, os.fsencode(source), flags)
    attributes = MOUNT_ATTR_NOSUID if writable is None else _ATTRIBUTES
    if writable is False:
        attributes |= MOUNT_ATTR_RDONLY
    _set_attributes(tree, b"", attributes, AT_EMPTY_PATH | AT_RECURSIVE)
    return tree


def _set_attributes(descriptor: int, path: bytes, attributes: int, flags: int) -> None:
    _setting[0] = attributes
    syscall("mount_setattr", descriptor, path, flags, _setting, ctypes.sizeof(_setting))


def _is_directory(descriptor: int) -> bool:
    return stat.S_ISDIR(os.fstat(descriptor).st_mode)


def _attach(tree: int, target: str, *, is_directory: bool) -> None:
    if is_directory:
        os.makedirs(target, exist_ok=True)
    else:
        _parents(target)
        os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600))
    place = os.fsencode(target)
    syscall("move_mount", tree, b"", AT_FDCWD, place, _MOVE_MOUNT_F_EMPTY_PATH)
    os.close(tree)


def _parents(path: str) -> None:
    folder = os.path.dirname(path)
    if folder:
        os.makedirs(folder, exist_ok=True)
