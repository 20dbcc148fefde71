"""Faults on demand: which operations of a loopback E2B fail, how often, and how."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import anyio

from ._http import Send, send_json

__all__ = ["OPERATIONS", "Faults", "Operation"]

Operation = Literal[
    "create",
    "list",
    "get",
    "kill",
    "timeout",
    "pause",
    "connect",
    "metrics",
    "health",
    "read",
    "write",
    "command",
    "execute",
    "context",
]
"""Operations that can fail: of the control plane, of envd, and of the code interpreter."""

OPERATIONS: tuple[Operation, ...] = Operation.__args__  # type: ignore[attr-defined]


@dataclass(slots=True)
class _Fault:
    status: int
    times: int
    headers: Mapping[str, str]
    seconds: float


@dataclass(slots=True)
class Faults:
    """The faults that are still to be injected.

    Attributes:
        calls: How often each operation was requested, including those that failed.
        cuts: For "execute" and "command": the number of events after which to end a stream as if
            it were complete; each is used once.
    """

    calls: dict[str, int] = field(default_factory=dict[str, int])
    cuts: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    _pending: dict[str, list[_Fault]] = field(default_factory=dict[str, list[_Fault]])

    def add(
        self, operation: str, status: int, times: int, headers: Mapping[str, str], seconds: float
    ) -> None:
        """Make an operation fail `times` times; with status 0, only delay it."""
        if operation not in OPERATIONS:
            raise ValueError(f"no operation {operation!r}; there are {', '.join(OPERATIONS)}")
        self._pending.setdefault(operation, []).append(_Fault(status, times, headers, seconds))

    async def apply(self, operation: str, send: Send) -> bool:
        """Inject a pending fault; return whether it has answered the request."""
        self.calls[operation] = self.calls.get(operation, 0) + 1
        pending = self._pending.get(operation)
        if not pending:
            return False
        fault = pending[0]
        fault.times -= 1
        if fault.times <= 0:
            pending.pop(0)
        if fault.seconds:
            await anyio.sleep(fault.seconds)
        if not fault.status:
            return False
        await send_json(send, fault.status, f"a fault of {operation} on demand", fault.headers)
        return True

    def cut(self, operation: str) -> int | None:
        """Return the number of events after which to end this stream; None for no early end."""
        cuts = self.cuts.get(operation)
        return cuts.pop(0) if cuts else None
