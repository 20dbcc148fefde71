"""System calls that are allowed for some arguments only; numbers are from the headers named."""

from ._bpf import check, failing, ignored

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._bpf import Condition, Instruction

__all__ = ["GROUP", "OWN", "PROFILES", "SIGNALS_TO_SELF"]

OWN, GROUP = 0x7E57A11D, (-0x7E57A11D) & 0xFFFFFFFF
"""Placeholders for the process's number, and for minus that number."""

_WORD = 0xFFFFFFFF
_EPERM, _ENOMEM, _ENOTTY, _EAFNOSUPPORT, _EPROTONOSUPPORT = 1, 12, 25, 97, 93


def _among(argument: int, *values: int, mask: int = _WORD) -> "Condition":
    return (argument, mask, values, True)


def _none_of(argument: int, *values: int) -> "Condition":
    return (argument, _WORD, values, False)


def _allow(*alternatives: "list[Condition]", error: int = _EPERM) -> "list[Instruction]":
    return check(alternatives, failing(error))


# New namespaces, CLONE_PARENT (a sibling of the sandbox, not a part of it), CLONE_PTRACE.
_NEW = 0x7E020000 | 0x8000 | 0x2000
_CLONE = _allow([_among(0, 0, mask=_NEW)])
# Without namespaces a pidfd is a way to signal others.
_CLONE_NO_PIDFD = _allow([_among(0, 0, mask=_NEW | 0x1000)])

# linux/prctl.h. Not: PDEATHSIG (the sandbox ends with the host), SECCOMP, MM,
# PTRACER, the capability bits.
_PRCTL = _allow(
    [
        _among(
            0,
            2,  # GET_PDEATHSIG
            3,  # GET_DUMPABLE
            4,  # SET_DUMPABLE: opens, or shuts, oneself only
            15,  # SET_NAME
            16,  # GET_NAME
            23,  # CAPBSET_READ
            29,  # SET_TIMERSLACK
            30,  # GET_TIMERSLACK
            36,  # SET_CHILD_SUBREAPER: adopts one's own only
            37,  # GET_CHILD_SUBREAPER
            38,  # SET_NO_NEW_PRIVS
            39,  # GET_NO_NEW_PRIVS
            41,  # SET_THP_DISABLE
            42,  # GET_THP_DISABLE
            0x53564D41,  # SET_VMA: names of mappings
        )
    ]
)

# asm-generic/ioctls.h, linux/fs.h. Not: TIOCSTI and TIOCLINUX (type for the user),
# FIOSETOWN and SIOCSPGRP (have signals sent), SIOC* (look at the network).
_IOCTL = _allow(
    [
        _among(
            1,
            0x5401,  # TCGETS
            0x5402,  # TCSETS
            0x5403,  # TCSETSW
            0x5404,  # TCSETSF
            0x802C542A,  # TCGETS2
            0x540F,  # TIOCGPGRP
            0x5413,  # TIOCGWINSZ
            0x541B,  # FIONREAD
            0x5421,  # FIONBIO
            0x5450,  # FIONCLEX
            0x5451,  # FIOCLEX
            0x40049409,  # FICLONE
            0x4020940D,  # FICLONERANGE
        )
    ],
    error=_ENOTTY,
)

# asm-generic/fcntl.h, linux/fcntl.h. Not: SETOWN, SETOWN_EX and SETSIG (have a signal of one's
# choice sent to any process of the same user), leases, NOTIFY.
_FCNTL = _allow(
    [
        _among(
            1,
            *range(8),  # DUPFD, GETFD, SETFD, GETFL, SETFL, GETLK, SETLK, SETLKW
            36,  # OFD_GETLK
            37,  # OFD_SETLK
            38,  # OFD_SETLKW
            1030,  # DUPFD_CLOEXEC
            1031,  # SETPIPE_SZ
            1032,  # GETPIPE_SZ
            1033,  # ADD_SEALS
            1034,  # GET_SEALS
        )
    ]
)

# linux/stat.h: the type in mode: none, regular, fifo, socket. Not: devices.
_TYPES = (0, 0o100000, 0o010000, 0o140000)
_MKNOD = _allow([_among(1, *_TYPES, mask=0o170000)])
_MKNODAT = _allow([_among(2, *_TYPES, mask=0o170000)])

# asm-generic/mman.h: the type (private 2, shared 1 or 3), ANONYMOUS 0x20, HUGETLB 0x40000. Not:
# shared anonymous memory, of which the kernel keeps all pages as long as any is mapped, whether
# or not a process has them in memory, where no look at its size sees them; and huge pages.
_MMAP = _allow(
    [_among(3, 2, mask=0x4000F)],
    [_among(3, 0, mask=0x40020)],
    error=_ENOMEM,
)

_SELF = _allow([_among(0, 0)])
_PRIORITY = _allow([_among(0, 0), _among(1, 0)])  # PRIO_PROCESS, this one
_PERSONALITY = _allow([_among(0, _WORD)])  # a question

# linux/socket.h, linux/net.h, linux/in.h: unix; or IPv4 and IPv6 with TCP or UDP.
_KIND = 0xF
_UNIX, _STREAM = _among(0, 1), _among(1, 1, mask=_KIND)
_SOCKET = _allow(
    [_UNIX, _among(1, 1, 2, 5, mask=_KIND), _among(2, 0)],
    [_among(0, 2, 10), _STREAM, _among(2, 0, 6)],
    [_among(0, 2, 10), _among(1, 2, mask=_KIND), _among(2, 0, 17)],
    error=_EAFNOSUPPORT,
)
_PAIR = _allow([_UNIX], error=_EAFNOSUPPORT)
# A datagram socket of a pair can send to any address: streams cannot.
_PAIR_STREAM = _allow([_UNIX, _STREAM], error=_EPROTONOSUPPORT)
# asm-generic/socket.h, linux/in.h, linux/in6.h, linux/tcp.h. Not: programs attached to a
# socket (26, 50, 51, 52), TCP_ULP (31) and TCP_REPAIR (19), tables of netfilter.
# SNDBUF, RCVBUF and what forces them do nothing: what lies in a socket is kernel memory that no
# limit counts, and a library that asks for more of it must not fail for that.
_BUFFERS = ignored([_among(1, 1), _among(2, 7, 8, 32, 33)])
_SETSOCKOPT = _BUFFERS + _allow(
    [_among(1, 1), _none_of(2, 26, 50, 51, 52)],
    [_among(1, 6), _none_of(2, 19, 31)],
    [_among(1, 0), _among(2, 1, 2, 10, 11, 32, 33, 34, 35, 36)],
    [_among(1, 41), _among(2, 16, 17, 18, 19, 20, 21, 26)],
)
_SETSOCKOPT_LOCAL = _BUFFERS + _allow([_among(1, 1), _none_of(2, 26, 50, 51, 52)])

_ANYWHERE: "dict[str, list[Instruction]]" = {
    "fcntl": _FCNTL,
    "ioctl": _IOCTL,
    "mknod": _MKNOD,
    "mknodat": _MKNODAT,
    "mmap": _MMAP,
    "personality": _PERSONALITY,
    "prctl": _PRCTL,
    "prlimit64": _SELF,
    "sched_setaffinity": _SELF,
    "sched_setattr": _SELF,
    "sched_setparam": _SELF,
    "sched_setscheduler": _SELF,
    "setpriority": _PRIORITY,
}

PROFILES: "dict[str, dict[str, list[Instruction]]]" = {
    "namespaces": {
        **_ANYWHERE,
        "clone": _CLONE,
        "setsockopt": _SETSOCKOPT,
        "socket": _SOCKET,
        "socketpair": _PAIR,
    },
    "landlock": {
        **_ANYWHERE,
        "clone": _CLONE_NO_PIDFD,
        "setsockopt": _SETSOCKOPT_LOCAL,
        "socketpair": _PAIR_STREAM,
    },
    "calm": {"personality": _PERSONALITY},
}
"""For each profile, the calls whose arguments are checked."""

_TO_SELF = _allow([_among(0, OWN)])
SIGNALS_TO_SELF: "dict[str, list[Instruction]]" = {
    "kill": _allow([_among(0, 0, OWN, GROUP)]),
    "rt_sigqueueinfo": _TO_SELF,
    "rt_tgsigqueueinfo": _TO_SELF,
    "tgkill": _TO_SELF,
    "tkill": _TO_SELF,
}
"""Calls that send signals, allowed to the process and to its group only."""
