"""Restrict a process to a list of files with Landlock; it can reach no other file.

Numbers from `linux/landlock.h`. What each ABI brought: 1 files (Linux 5.13), 2 moving between
directories (5.19), 3 truncate (6.2), 4 TCP (6.7), 5 ioctl on devices (6.10), 6 abstract
sockets and signals (6.12), 7 audit records (6.15).

It does not see chmod, chown, times, extended attributes, stat or chdir: those are for
`seccomp`, or for a user who owns nothing.
"""

import ctypes
import os
import stat

from .calls import syscall

__all__ = ["EXECUTE", "IOCTL", "LATEST", "READ", "WRITE", "Rules", "abi", "abi_used"]

LATEST = 7
"""The newest ABI that is used, also on a newer kernel."""

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 1 << 1, 1 << 2, 1 << 3
_REMOVE = 1 << 4 | 1 << 5  # directories, files
_MAKE = 1 << 7 | 1 << 8 | 1 << 9 | 1 << 10 | 1 << 12  # dir, file, socket, fifo, link: no device
_REFER, _TRUNCATE, _IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15
_ON_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEV

READ = _READ_FILE | _READ_DIR
"""Read files, list directories."""
WRITE = _WRITE_FILE | _REMOVE | _MAKE | _REFER | _TRUNCATE
"""Write, make, move and remove files, directories, sockets, fifos and links; no devices."""
EXECUTE = _EXECUTE
"""Execute files."""
IOCTL = _IOCTL_DEV
"""Any ioctl on devices, from ABI 5 on; before it Landlock does not restrict them."""

_HANDLED = (0, (1 << 13) - 1, (1 << 14) - 1, (1 << 15) - 1, (1 << 15) - 1, (1 << 16) - 1)
_TCP = 1 | 2  # bind, connect: ABI 4
_SCOPES = 1 | 2  # abstract sockets, signals: ABI 6
_QUIET = 1  # LANDLOCK_RESTRICT_SELF_LOG_SAME_EXEC_OFF: ABI 7
_VERSION = 1
_PATH_BENEATH = 1
_SIZES = (0, 8, 8, 8, 16, 16, 24)  # of landlock_ruleset_attr


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _layout_ = "ms"  # what a packed structure has; Python 3.14 wants it said
    _fields_ = (("access", ctypes.c_uint64), ("parent", ctypes.c_int32))


_attributes = (ctypes.c_uint64 * 3)()
_beneath = _Beneath()


def abi() -> int:
    """Return the ABI of this kernel's Landlock; 0 if it has none, or if it is switched off."""
    try:
        return syscall("landlock_create_ruleset", None, 0, _VERSION)
    except OSError:
        return 0


def abi_used() -> int:
    """Return the ABI that `Rules` makes use of here.

    Raises:
        OSError: (ENOSYS, EOPNOTSUPP) there is no Landlock here.
    """
    return min(syscall("landlock_create_ruleset", None, 0, _VERSION), LATEST)


class Rules:
    """A list of files that a process may reach, made before a fork and applied after it.

    TCP, abstract sockets of others, and signals to others are refused whole, as far as the
    ABI goes.

    Attributes:
        abi: The ABI that it makes use of.
        descriptor: The ruleset's, close-on-exec; -1 once it is closed.
    """

    def __init__(self, abi: "int | None" = None, descriptor: "int | None" = None) -> None:
        """Make an empty list, with which nothing is in reach; or take over one that was made.

        Args:
            abi: Make use of no more than this; None is what the kernel has.
            descriptor: Of a ruleset that was made with this ABI, perhaps by another process.

        Raises:
            OSError: (ENOSYS, EOPNOTSUPP) there is no Landlock here.
        """
        most = LATEST if abi is None else abi
        self.abi: int = most if descriptor is not None else min(abi_used(), most)
        if self.abi < 1:
            raise OSError(38, "Landlock is not to be used, or not there")
        self._handled = _HANDLED[min(self.abi, 5)]
        self.descriptor: int = self._make() if descriptor is None else descriptor

    def _make(self) -> int:
        _attributes[0] = self._handled
        _attributes[1] = _TCP
        _attributes[2] = _SCOPES
        return syscall("landlock_create_ruleset", _attributes, _SIZES[min(self.abi, 6)], 0)

    def allow(self, path_or_fd: "str | bytes | int", access: int) -> None:
        """Allow a file, or a directory with all below it.

        A rule is bound to what is there now: what is mounted over it later is not in reach.

        Args:
            path_or_fd: Where it is, or a descriptor of it.
            access: READ, WRITE, EXECUTE, IOCTL, or'ed. What makes no sense for a file, and
                what the ABI does not know, is left out.

        Raises:
            OSError: There is no such file.
        """
        if isinstance(path_or_fd, int):
            return self._add(path_or_fd, access)
        found = os.open(path_or_fd, os.O_PATH | os.O_CLOEXEC)
        try:
            return self._add(found, access)
        finally:
            os.close(found)

    def _add(self, descriptor: int, access: int) -> None:
        if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
            access &= _ON_FILES
        _beneath.access = access & self._handled
        _beneath.parent = descriptor
        if _beneath.access:
            syscall("landlock_add_rule", self.descriptor, _PATH_BENEATH, _beneath, 0)

    def apply(self) -> None:
        """Restrict this thread, and all it starts from now on, to the list, for good.

        `calls.no_new_privileges` comes before it. The ruleset stays open: another child may
        apply it too.

        Raises:
            OSError: (EPERM) no_new_privileges was not called; (E2BIG) 16 lists are on already.
        """
        quiet = _QUIET if self.abi >= LATEST else 0
        syscall("landlock_restrict_self", self.descriptor, quiet)

    def close(self) -> None:
        """Close the ruleset. What was applied stays."""
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1
