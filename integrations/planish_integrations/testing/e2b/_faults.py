"""Trouble on demand: what a loopback E2B does wrong, how often, and where."""

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
"""What can go wrong: of the control plane, of envd, and of the code interpreter."""

OPERATIONS: tuple[Operation, ...] = Operation.__args__  # type: ignore[attr-defined]


@dataclass(slots=True)
class _Fault:
    status: int
    times: int
    headers: Mapping[str, str]
    seconds: float


@dataclass(slots=True)
class Faults:
    """The trouble that is still to come.

    Attributes:
        calls: How often each operation was asked for, faults included.
        cuts: For "execute" and "command": after how many events to end the stream, as if all
            were well; each is used once.
    """

    calls: dict[str, int] = field(default_factory=dict[str, int])
    cuts: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    _pending: dict[str, list[_Fault]] = field(default_factory=dict[str, list[_Fault]])

    def add(
        self, operation: str, status: int, times: int, headers: Mapping[str, str], seconds: float
    ) -> None:
        """Let an operation go wrong; status 0 is: only slowly, and then right."""
        if operation not in OPERATIONS:
            raise ValueError(f"no operation {operation!r}; there are {', '.join(OPERATIONS)}")
        self._pending.setdefault(operation, []).append(_Fault(status, times, headers, seconds))

    async def apply(self, operation: str, send: Send) -> bool:
        """Whether it went wrong; then it has been answered."""
        self.calls[operation] = self.calls.get(operation, 0) + 1
        coming = self._pending.get(operation)
        if not coming:
            return False
        fault = coming[0]
        fault.times -= 1
        if fault.times <= 0:
            coming.pop(0)
        if fault.seconds:
            await anyio.sleep(fault.seconds)
        if not fault.status:
            return False
        await send_json(send, fault.status, f"a fault of {operation} on demand", fault.headers)
        return True

    def cut(self, operation: str) -> int | None:
        """After how many events this stream is to end, if it is to end early."""
        waiting = self.cuts.get(operation)
        return waiting.pop(0) if waiting else None
