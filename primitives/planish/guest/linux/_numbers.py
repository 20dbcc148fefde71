"""Numbers of system calls by name, for the machine that this runs on."""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    Runs = Sequence[tuple[int, str]]

__all__ = ["ARCHITECTURES", "numbers"]

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
"""AUDIT_ARCH (`linux/audit.h`) of the architectures that are supported, by `uname -m`."""

_known: "dict[str, dict[str, int]]" = {}


def numbers(arch: "str | None" = None) -> "dict[str, int]":
    """Return every system call's number by its name.

    Args:
        arch: One of `ARCHITECTURES`; None is this machine.

    Raises:
        OSError: (ENOSYS) an architecture there is no table for, or a system other than Linux.
    """
    name = arch or _here()
    if name not in _known:
        _known[name] = dict(_read(_table(name)))
    return _known[name]


def _here() -> str:
    system = os.uname()
    if system.sysname != "Linux":
        raise OSError(38, f"{system.sysname} is not Linux")
    return system.machine


def _table(name: str) -> "Runs":
    if name == "x86_64":
        from ._x86_64 import RUNS as X86_64  # noqa: PLC0415  # one table, not all

        return X86_64
    if name == "aarch64":
        from ._aarch64 import RUNS as AARCH64  # noqa: PLC0415

        return AARCH64
    raise OSError(38, f"no table of system calls for {name}: use x86_64 or aarch64")


def _read(runs: "Runs") -> "Iterable[tuple[str, int]]":
    for first, names in runs:
        for number, name in enumerate(names.split(), first):
            yield name, number
