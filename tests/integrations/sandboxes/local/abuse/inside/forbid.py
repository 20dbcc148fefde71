"""Makes this process's kernel look as that of a locked-down host: no namespaces, no Landlock."""

import ctypes
import errno
import platform
import struct
from collections.abc import Iterable

__all__ = ["forbid"]

_CALLS = {
    "x86_64": {"namespaces": (272, 56, 435, 165, 308), "landlock": (444, 445, 446)},
    "aarch64": {"namespaces": (97, 220, 435, 40, 268), "landlock": (444, 445, 446)},
}
# unshare, clone, clone3, mount, setns; and the three of Landlock.
_CLONE = {"x86_64": 56, "aarch64": 220}
_NEW_ANY = 0x7E020000  # every CLONE_NEW* that Docker's default filter refuses

_LOAD, _EQUAL, _ANY_BIT, _RETURN = 0x20, 0x15, 0x45, 0x06
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _FILTER = 38, 22, 2


def _step(code: int, yes: int, no: int, value: int) -> bytes:
    return struct.pack("HBBI", code, yes, no, value)


def _refused(what: str, number: int, machine: str) -> list[bytes]:
    if number == _CLONE[machine]:
        # A fork is no namespace: look at its flags, the first argument's lower half.
        return [
            _step(_EQUAL, 0, 4, number),
            _step(_LOAD, 0, 0, 16),
            _step(_ANY_BIT, 0, 1, _NEW_ANY),
            _step(_RETURN, 0, 0, _ERRNO | errno.EPERM),
            _step(_LOAD, 0, 0, 0),
        ]
    absent = what == "landlock" or number == 435
    code = errno.ENOSYS if absent else errno.EPERM
    return [_step(_EQUAL, 0, 1, number), _step(_RETURN, 0, 0, _ERRNO | code)]


def forbid(what: Iterable[str]) -> None:
    """Refuse these to this process and all it starts, for good.

    Args:
        what: "namespaces" and "landlock", one of them, both or none.
    """
    machine = platform.machine()
    steps = [_step(_LOAD, 0, 0, 0)]
    for one in what:
        for number in _CALLS[machine][one]:
            steps += _refused(one, number, machine)
    if len(steps) == 1:
        return
    steps.append(_step(_RETURN, 0, 0, _ALLOW))
    code = ctypes.create_string_buffer(b"".join(steps))
    program = struct.pack("HxxxxxxP", len(steps), ctypes.addressof(code))
    libc = ctypes.CDLL(None, use_errno=True)
    for call in (
        (_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0),
        (_PR_SET_SECCOMP, _FILTER, program, 0, 0),
    ):
        if libc.prctl(*call) != 0:
            raise OSError(ctypes.get_errno(), "the kernel takes no filter")
