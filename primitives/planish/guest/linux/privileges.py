"""Give up capabilities and the user, for good."""

import ctypes
import os

from ._libc import API
from .calls import prctl, syscall
from .limits import threads_of

__all__ = [
    "become",
    "drop_bounding",
    "drop_capabilities",
    "drop_own",
    "keep_none_later",
    "oom_first",
    "private_uid",
]

_PR_SET_KEEPCAPS = 8
_PR_CAPBSET_DROP = 24
_PR_CAP_AMBIENT = 47
_PR_CAP_AMBIENT_CLEAR_ALL = 4
_VERSION_3 = 0x20080522  # linux/capability.h
_MOST = 64  # bits that the structure has for capabilities
_EINVAL = 22

_prctl = API.prctl  # 41 calls for each run: `calls.prctl` takes three times as long

_header = (ctypes.c_uint32 * 2)(_VERSION_3, 0)
_nothing = (ctypes.c_uint32 * 6)()

# From 1879048192 to 2147352575 systemd's docs/UIDS-GIDS.md lists no use on any distribution.
_LOWEST, _HIGHEST = 1_879_048_192, 2_147_352_575
_NOBODY = 65_534


def drop_bounding() -> None:
    """Empty the bounding set: no exec can give a capability back.

    Only a process with CAP_SETPCAP can; for any other this does nothing. A root host calls it
    before `become`, after which it could not.
    """
    for capability in range(_MOST):
        if _prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0) != 0:
            break  # the one before was the last there is; or, at the first, it is not allowed


def keep_none_later() -> None:
    """Empty the bounding set (as far as allowed) and the ambient set; children inherit that.

    The capabilities that this process has now stay until `drop_capabilities`.
    """
    drop_bounding()
    prctl(_PR_SET_KEEPCAPS, 0)
    prctl(_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL)


def drop_capabilities() -> None:
    """Drop all capabilities: bounding set (as far as allowed), ambient set, and capset."""
    keep_none_later()
    drop_own()


def drop_own() -> None:
    """Drop this process's capabilities, after `keep_none_later` in this process or a parent."""
    syscall("capset", _header, _nothing)


def become(uid: int, gid: int) -> None:
    """Become a user in every respect, without supplementary groups.

    Raises:
        OSError: (EPERM) not root here; (EINVAL) the user namespace has no such user.
    """
    os.setgroups([])
    os.setresgid(gid, gid, gid)
    os.setresuid(uid, uid, uid)


def private_uid() -> int:
    """Return the number of an unused user: high, drawn at random, without a process.

    Between two sandboxes chosen at the same moment the odds of a clash are one in 2**27. In a
    container that maps fewer users it is from the upper half of the largest range it maps.

    Raises:
        OSError: (EINVAL) the user namespace maps one user only.
    """
    low, high = _choice()
    while True:
        number = low + int.from_bytes(os.urandom(8), "little") % (high - low + 1)
        if number != _NOBODY and threads_of(number) == 0:
            return number


def _choice() -> "tuple[int, int]":
    ranges: list[tuple[int, int]] = []
    with open("/proc/self/uid_map", "rb") as file:  # noqa: PTH123  # no pathlib in here
        for line in file:
            inside, _, count = map(int, line.split())
            ranges.append((inside, inside + count - 1))
    for first, last in ranges:
        if first <= _LOWEST and last >= _HIGHEST:
            return _LOWEST, _HIGHEST
    first, last = max(ranges, key=lambda ends: ends[1] - ends[0])
    if last - first < 2:  # noqa: PLR2004  # root, one to be, and one that is not it
        raise OSError(_EINVAL, "this user namespace has no user to spare")
    return (first + last + 1) // 2, last


def oom_first() -> None:
    """Have the kernel end this process first when memory runs out; children inherit it."""
    with open("/proc/self/oom_score_adj", "wb") as file:  # noqa: PTH123  # text may need a codec
        file.write(b"1000")
