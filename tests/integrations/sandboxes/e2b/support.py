"""What the tests of E2B share: sandboxes that talk to a server on loopback, and what is left."""

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread

from planish.data.program import Program, ResourceLimits
from planish.events import Event, SandboxChanged
from planish_integrations.e2b import E2BSandbox, Plan
from planish_integrations.testing.e2b import LoopbackE2B

FAST = Plan(concurrency=50, rate=1000.0, patience=20.0)


def connected(server: LoopbackE2B, **given: Any) -> E2BSandbox:
    """A sandbox that talks to this server."""
    options = {name: value for name, value in server.options.items() if name != "api_key"}
    options |= given.pop("options", {})
    chosen: dict[str, Any] = {"api_key": server.options["api_key"], "plan": FAST} | given
    return E2BSandbox(options=options, **chosen)


def python(source: str, *, seconds: float = 30.0, **fields: Any) -> Program:
    """A Python program of one file."""
    limits = fields.pop("limits", ResourceLimits(seconds=seconds))
    files = {"main.py": source.encode(), **fields.pop("files", {})}
    return Program(main="main.py", files=files, limits=limits, **fields)


async def until(fact: Callable[[], object], what: str) -> None:
    """Wait for something, for long."""
    with anyio.move_on_after(30):
        while not fact():  # noqa: ASYNC110  # of another thread or process
            await anyio.sleep(0.01)
    assert fact(), what


async def lose(server: LoopbackE2B) -> None:
    """Kill all sandboxes behind the pool's back."""
    for name in server.sandboxes:
        await anyio.to_thread.run_sync(server.kill_sandbox, name)


def states(events: Sequence[Event]) -> list[str]:
    """The states of sandboxes that were received, in order."""
    return [event.state for event in events if isinstance(event, SandboxChanged)]


def children() -> set[int]:
    """The processes this one has started."""
    found: set[int] = set()
    for file in Path(f"/proc/{os.getpid()}/task").glob("*/children"):
        try:
            found |= {int(pid) for pid in file.read_text().split()}
        except OSError:
            continue
    return found


def dies(pid: int) -> bool:
    """Whether a process is gone, or so within some seconds."""
    until = time.monotonic() + 20
    while time.monotonic() < until:
        try:
            status = Path(f"/proc/{pid}/stat").read_text()
        except OSError:
            return True
        if status.rpartition(")")[2].split()[0] == "Z":
            return True
        time.sleep(0.02)
    return False
