"""Make system calls through libc's `syscall`, without releasing the interpreter's lock.

A child of a raw clone has no other thread that could release a lock.
"""

import ctypes
import os

from ._numbers import numbers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["API", "Argument", "syscall"]

API = ctypes.PyDLL(None, use_errno=True)
"""libc and the interpreter, as this process has them loaded."""

if TYPE_CHECKING:
    Argument = int | bytes | None | ctypes.Array[Any] | ctypes.Structure
else:
    Argument = object

_call = API.syscall
_call.restype = ctypes.c_long
_long = ctypes.c_long
_pointer = ctypes.c_char_p


def syscall(number_or_name: "int | str", *args: "Argument") -> int:
    """Make a system call.

    Args:
        number_or_name: "openat2", or 437.
        *args: Integers (of 64 bits), bytes (their address is passed, a NUL follows them),
            ctypes arrays and structures (their address), None (0).

    Returns:
        What the kernel gave back.

    Raises:
        OSError: It failed; ENOSYS also where the machine has no call of this name.
    """
    number = number_or_name
    if isinstance(number, str):
        found = numbers().get(number)
        if found is None:
            raise OSError(38, f"this machine has no system call {number}")
        number = found
    result = _call(_long(number), *[_passed(arg) for arg in args])
    if result == -1:
        error = ctypes.get_errno()
        raise OSError(error, f"{number_or_name}: {os.strerror(error)}")
    return int(result)


def _passed(arg: "Argument") -> "Any":
    if isinstance(arg, int):
        return _long(arg)  # ctypes would pass 32 bits
    if arg is None:
        return _long(0)
    return _pointer(arg) if isinstance(arg, bytes) else ctypes.byref(arg)
