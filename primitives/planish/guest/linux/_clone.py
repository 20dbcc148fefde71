"""Fork into new namespaces, with Python's state kept consistent."""

import ctypes
import os

from ._constants import CLONE_CHILD_CLEARTID, CLONE_CHILD_SETTID, CLONE_PIDFD
from ._libc import API, syscall
from ._numbers import numbers

__all__ = ["clone", "libc_tid_address"]

_SIGCHLD = 17
_PR_GET_TID_ADDRESS = 40
_THREAD = 1024  # bytes of libc's record of a thread in which it keeps the thread's number

_before = API.PyOS_BeforeFork
_in_child = API.PyOS_AfterFork_Child
_in_parent = API.PyOS_AfterFork_Parent
for _function in (_before, _in_child, _in_parent):
    _function.restype = None

_descriptor = ctypes.c_int(-1)
_call = API.syscall


def clone(flags: int, *, handlers: bool = True) -> "tuple[int, int]":
    """Fork into new namespaces.

    Call it from a process with one thread: no other thread is in the child.

    Args:
        flags: CLONE_NEW*; CLONE_PIDFD and SIGCHLD are added.
        handlers: Run what Python and its modules do around a fork. They make new locks, which
            only a process with several threads needs, name the thread anew (`threading`) and
            draw a new seed (`random`). Without them the child copies 130 pages less.

    Returns:
        The child's process id and a descriptor for it, close-on-exec; in the child 0 and -1.

    Raises:
        OSError: The kernel refuses: EPERM (no user namespaces here), EAGAIN (too many
            processes), ENOSPC (too many namespaces), EINVAL (flags that do not go together).
    """
    address = libc_tid_address()
    if address:
        flags |= CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID
    # Stack 0 is the parent's, copied. The last two are the other way round on each of the two
    # architectures, the thread pointer and the child's number, but without CLONE_SETTLS the
    # first is not looked at.
    low = ctypes.byref(_descriptor)
    tid = ctypes.c_long(address)
    if handlers:
        _before()
    pid = _call(
        ctypes.c_long(numbers()["clone"]),
        ctypes.c_long(flags | CLONE_PIDFD | _SIGCHLD),
        ctypes.c_long(0),
        low,
        tid,
        tid,
    )
    if pid == 0:
        if handlers:
            _in_child()
        return 0, -1
    error = ctypes.get_errno() if pid == -1 else 0
    if handlers:
        _in_parent()
    if pid == -1:
        raise OSError(error, f"clone: {os.strerror(error)}")
    return pid, _descriptor.value


_found: "list[int]" = []


def libc_tid_address() -> int:
    """Return the address of the main thread's number in libc's record; 0 if it is not found.

    libc's own fork has the kernel write the child's number there. If it were left as it is,
    a child in a new pid namespace could start a thread whose true number is that one, and two
    threads could hold one recursive lock.
    """
    if not _found:
        _found.append(_find())
    return _found[0]


def _find() -> int:
    me = syscall("gettid")
    told = ctypes.c_long(0)
    try:
        syscall("prctl", _PR_GET_TID_ADDRESS, ctypes.addressof(told))
    except OSError:  # a kernel built without CONFIG_CHECKPOINT_RESTORE
        told.value = 0
    if told.value and ctypes.c_int.from_address(told.value).value == me:
        return told.value
    API.pthread_self.restype = ctypes.c_void_p
    start = int(API.pthread_self())
    places = [start + 4 * n for n in range(_THREAD // 4)]
    there = [at for at in places if ctypes.c_int.from_address(at).value == me]
    return there[0] if len(there) == 1 else 0
