"""System calls by name, for the machine this runs on."""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["ARCHITECTURES", "numbers"]

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
"""What we know, by the name `uname -m` has for it: its AUDIT_ARCH (`linux/audit.h`)."""

_known: "dict[str, dict[str, int]]" = {}


def numbers(arch: "str | None" = None) -> "dict[str, int]":
    """Every system call's number by its name.

    Args:
        arch: One of `ARCHITECTURES`; None is this machine.

    Raises:
        OSError: (ENOSYS) an architecture there is no table for.
    """
    name = arch or os.uname().machine
    if name not in _known:
        _known[name] = dict(_read(_table(name)))
    return _known[name]


def _table(name: str) -> "Iterable[tuple[int, str]]":
    if name == "x86_64":
        from ._x86_64 import RUNS  # noqa: PLC0415  # one table, not all
    elif name == "aarch64":
        from ._aarch64 import RUNS  # noqa: PLC0415
    else:
        raise OSError(38, f"no table of system calls for {name}: use x86_64 or aarch64")
    return RUNS


def _read(runs: "Iterable[tuple[int, str]]") -> "Iterable[tuple[str, int]]":
    for first, names in runs:
        for number, name in enumerate(names.split(), first):
            yield name, number
