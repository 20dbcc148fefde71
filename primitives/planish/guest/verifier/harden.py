"""Close the process that judges to the candidate's, which has the same user id."""

from __future__ import annotations

from os import W_OK, access, closerange, dup2, geteuid
from sys import byteorder, modules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["close_memory", "keep_only", "lose_powers", "why_not_apart"]

# Of prctl(2): PR_GET_DUMPABLE, PR_SET_DUMPABLE, PR_CAPBSET_READ, PR_CAPBSET_DROP,
# PR_GET_NO_NEW_PRIVS.
_IS_DUMPABLE, _DUMPABLE, _HAS_POWER, _DROP, _NO_NEW_PRIVILEGES = 3, 4, 23, 24, 39
# Of capabilities(7): SYS_MODULE, SYS_RAWIO, SYS_PTRACE, SYS_ADMIN, PERFMON, BPF,
# CHECKPOINT_RESTORE.
_POWERS = (16, 17, 19, 21, 38, 39, 40)
_VERSION = 0x20080522  # of the structure that capset(2) takes
_HIGH = (900, 240, 60)  # out of the way of programs that close what they did not open


def keep_only(*wanted: int) -> list[int]:
    """Close every descriptor but the standard streams and the wanted ones, which move up.

    They stay where they are if the limit on descriptors leaves no room above.
    """
    for high in _HIGH:
        kept = list(range(high, high + len(wanted)))
        try:
            for old, new in zip(wanted, kept):  # noqa: B905  # Python 3.9 has no `strict`
                dup2(old, new, False)
        except (OSError, ValueError):  # the limit is lower
            continue
        closerange(3, high)
        closerange(high + len(wanted), 1024)
        return kept
    first = 3
    for number in sorted(wanted):
        closerange(first, number)
        first = number + 1
    closerange(first, 1024)
    return list(wanted)


def close_memory() -> None:
    """Keep other processes of the same user from this one's memory, environment, descriptors."""
    prctl = _prctl()
    if prctl is not None:
        prctl(_DUMPABLE, 0, 0, 0, 0)


def why_not_apart(places: Iterable[str]) -> str:
    """Say what leaves this process open to another one of the same user; "" for nothing.

    Args:
        places: Where modules are imported from: `sys.path`.
    """
    prctl = _prctl()
    if prctl is None or prctl(_IS_DUMPABLE, 0, 0, 0, 0) != 0:
        return "this system does not close the memory of the process that judges"
    if prctl(_NO_NEW_PRIVILEGES, 0, 0, 0, 0) != 1:
        return "programs can gain privileges in this sandbox"
    if any(prctl(_HAS_POWER, power, 0, 0, 0) == 1 for power in _POWERS) and _powers():
        return "programs have privileges in this sandbox that open other processes"
    for place in places:
        if place and access(place, W_OK):
            return f"the process that judges imports from {place}, which programs can write"
    return ""


def _powers() -> int:
    """Count the capabilities of this process that open other processes."""
    try:
        with open("/proc/self/status", encoding="utf-8") as file:  # noqa: PTH123
            text = file.read()
    except OSError:  # /proc is closed: so are other processes
        return 0
    rows = dict(line.split(":", 1) for line in text.splitlines() if ":" in line)
    held = int(rows["CapEff"], 16) | int(rows["CapPrm"], 16)
    return sum(held >> power & 1 for power in _POWERS)


def lose_powers() -> None:
    """Give up what would let root look into other processes all the same."""
    if geteuid() != 0:
        return
    prctl, capset = _prctl(), _function("capset")
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


# Found when this is loaded where a sandbox does that ahead of a verdict. Elsewhere it is found when
# it is called: `_ctypes` may open a file, which `keep_only` must not close.
_ahead = _function("prctl") if "_ctypes" in modules else None


def _prctl() -> Callable[..., int] | None:
    return _ahead or _function("prctl")
