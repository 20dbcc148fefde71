"""Restrict the system calls of a process and all that it starts, for good.

A list of what is allowed, compiled to BPF. A call that the list has no number for fails with
ENOSYS, as on an older kernel; one that is known and not on it with EPERM, except a few that
callers know to do without when told ENOSYS (clone3 first of all: its flags lie in memory,
where no filter can look). A call of another architecture ends the process.
"""

import ctypes
import os

from ._bpf import ALLOW, assemble, failing, filter_of
from ._numbers import ARCHITECTURES, numbers
from .calls import syscall

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._bpf import Instruction

    Code = list[Instruction]
    Ready = tuple["_Program", ctypes.Array[Any], list[int], list[int]]

__all__ = ["allowed", "install", "prepare", "program"]

_SET_MODE_FILTER, _TSYNC = 1, 1
_ENOSYS, _EPERM, _ENOTSUP = 38, 1, 95
_RETURN = 0x06


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


def program(
    profile: str, arch: str, *, scoped: bool = False, alone: bool = False, pid: int = 0
) -> bytes:
    """Return the filter of a profile, as `struct sock_filter`s.

    Args:
        profile: "namespaces": for a process in pid, network, ipc, mount and user namespaces of
            its own. "landlock": for one that Landlock alone keeps apart: no sockets but pairs
            of streams, no new sessions or process groups, no pidfds, and, unless the next two
            say that something else stops them, signals only to `pid` and to its group, and no
            change to modes, owners and times of files. "calm": for the launcher of such
            processes: no debugging, tracing, keys, modules, io_uring and the like.
        arch: "x86_64" or "aarch64".
        scoped: Landlock stops signals to others (ABI 6). For "landlock" only.
        alone: No other process and no file outside belongs to the user it runs as. For
            "landlock" only.
        pid: For "landlock", unless scoped or alone: the process that may be signalled.

    Raises:
        KeyError: No such profile or architecture.
        OSError: (ENOSYS) as for `numbers`.
    """
    from ._arguments import GROUP, OWN  # noqa: PLC0415  # a process that only installs has no use

    own = {OWN: pid, GROUP: -pid & 0xFFFFFFFF}
    code = _compiled(profile, arch, scoped=scoped, alone=alone)
    return assemble([(op, true, false, own.get(k, k)) for op, true, false, k in code])


def allowed(profile: str, *, scoped: bool = False, alone: bool = False) -> "dict[str, Code | None]":
    """Return the calls of a profile; None is for those that are allowed with any arguments."""
    from . import _policy  # noqa: PLC0415
    from ._arguments import PROFILES, SIGNALS_TO_SELF  # noqa: PLC0415

    calls: dict[str, Code | None] = dict.fromkeys(_policy.ORDINARY.split())
    if profile != "landlock":
        more = _policy.SOCKETS + " pidfd_open pidfd_send_signal " + _policy.ATTRIBUTES
        calls.update(dict.fromkeys((more + " " + _policy.SIGNALS + _policy.OWNERSHIP).split()))
    elif alone:
        calls.update(dict.fromkeys(_policy.OWNERSHIP.split()))
    if profile == "landlock":
        free = dict.fromkeys(SIGNALS_TO_SELF)
        calls.update(free if scoped or alone else SIGNALS_TO_SELF)
    if profile == "calm":
        calls.update(dict.fromkeys(_policy.CALM.split()))
    calls.update(PROFILES[profile])
    return calls


def _compiled(profile: str, arch: str, *, scoped: bool, alone: bool) -> "Code":
    from . import _policy  # noqa: PLC0415

    table = numbers(arch)
    calls = allowed(profile, scoped=scoped, alone=alone)
    plain: Code = [(_RETURN, 0, 0, ALLOW)]
    soft: Code = [(_RETURN, 0, 0, failing(_ENOSYS))]
    code = {table[name]: soft for name in _policy.SOFT.split()}
    if profile == "landlock":  # as a file system without them: `shutil.copystat` passes over that
        none: Code = [(_RETURN, 0, 0, failing(_ENOTSUP))]
        code.update({table[name]: none for name in _policy.ATTRIBUTES.split()})
    code.update({table[name]: how or plain for name, how in calls.items() if name in table})
    return filter_of(
        ARCHITECTURES[arch],
        code,
        sorted(table.values()),
        nosys=failing(_ENOSYS),
        no=failing(_EPERM),
    )


_prepared: "dict[tuple[str, bool, bool], Ready]" = {}


def prepare(profile: str, *, scoped: bool = False, alone: bool = False) -> None:
    """Compile a profile for this machine now, so that `install` is one call after a fork."""
    from ._arguments import GROUP, OWN  # noqa: PLC0415

    code = _compiled(profile, os.uname().machine, scoped=scoped, alone=alone)
    text = assemble(code)
    buffer = ctypes.create_string_buffer(text, len(text))
    own, group = ([8 * n + 4 for n, line in enumerate(code) if line[3] == k] for k in (OWN, GROUP))
    ready = _Program(len(code), ctypes.addressof(buffer))
    _prepared[profile, scoped, alone] = (ready, buffer, own, group)


def install(profile: str, *, scoped: bool = False, alone: bool = False) -> None:
    """Apply a profile to every thread of this process, and to what it starts.

    `calls.no_new_privileges` comes before it. The arguments are those of `program`; the
    process that may be signalled is this one.

    Raises:
        OSError: (EACCES) no_new_privileges was not called; (EINVAL) the kernel was built
            without seccomp filters.
    """
    if (profile, scoped, alone) not in _prepared:
        prepare(profile, scoped=scoped, alone=alone)
    ready, buffer, own, group = _prepared[profile, scoped, alone]
    me = os.getpid()
    for places, number in ((own, me), (group, -me & 0xFFFFFFFF)):
        for place in places:
            ctypes.memmove(ctypes.addressof(buffer) + place, number.to_bytes(4, "little"), 4)
    syscall("seccomp", _SET_MODE_FILTER, _TSYNC, ready)
