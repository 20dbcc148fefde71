"""Closing the judge to the candidate, which has the same user id."""

from __future__ import annotations

from os import closerange, dup2, geteuid
from sys import byteorder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["close_memory", "keep_only", "lose_powers"]

_DUMPABLE, _DROP = 4, 24  # of prctl(2): PR_SET_DUMPABLE, PR_CAPBSET_DROP
# Of capabilities(7): SYS_MODULE, SYS_RAWIO, SYS_PTRACE, SYS_ADMIN, PERFMON, BPF,
# CHECKPOINT_RESTORE.
_POWERS = (16, 17, 19, 21, 38, 39, 40)
_VERSION = 0x20080522  # of the structure that capset(2) takes
_HIGH = (900, 240, 60)  # out of the way of programs that close what they did not open


def keep_only(incoming: int, outgoing: int) -> tuple[int, int]:
    """Close every descriptor but the standard streams and two, which move up."""
    for high in _HIGH:
        try:
            dup2(incoming, high, False)
            dup2(outgoing, high + 1, False)
        except (OSError, ValueError):  # the limit is lower
            continue
        closerange(3, high)
        closerange(high + 2, 1024)
        return high, high + 1
    return incoming, outgoing


def close_memory() -> None:
    """No process of the same user reads this one's memory, environment or descriptors."""
    prctl = _function("prctl")
    if prctl is not None:
        prctl(_DUMPABLE, 0, 0, 0, 0)


def lose_powers() -> None:
    """Give up what would let root look into other processes all the same."""
    if geteuid() != 0:
        return
    prctl, capset = _function("prctl"), _function("capset")
    if prctl is None or capset is None:
        return
    for power in _POWERS:
        prctl(_DROP, power, 0, 0, 0)
    with open("/proc/self/status", encoding="utf-8") as file:  # noqa: PTH123
        rows = dict(line.split(":", 1) for line in file.read().splitlines() if ":" in line)
    kept = ~sum(1 << power for power in _POWERS)
    has = [int(rows[name], 16) & kept for name in ("CapEff", "CapPrm", "CapInh")]
    low, high = ([n >> shift & 0xFFFFFFFF for n in has] for shift in (0, 32))
    data = b"".join(n.to_bytes(4, byteorder) for n in (*low, *high))
    head = _VERSION.to_bytes(4, byteorder) + bytes(4)  # of this process
    capset(head, data)


def _function(name: str) -> Callable[..., int] | None:
    try:
        import _ctypes  # noqa: PLC0415  # ctypes itself costs 10 ms

        place = _ctypes.dlsym(_ctypes.dlopen("", 0), name)
    except (ImportError, OSError, AttributeError):
        return None

    def call(*args: int | bytes) -> int:
        result: int = _ctypes.call_cdeclfunction(place, args)
        return result

    return call
