"""Where a case is played: in the sandbox, or, for its control, without."""

import base64
import json
import os
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.integrations.sandboxes.local.abuse.driving import Driver, Ended
from tests.integrations.sandboxes.local.abuse.host import Host

__all__ = ["Leak", "Running", "Stage"]

Leak = str | None
"""What got out, in words; None when nothing did."""

PATIENCE = 20.0  # seconds a control may take before it is given up
_PROBE = (Path(__file__).parent / "inside" / "probe.py").read_bytes()

# Small, so that what goes beyond them costs little.
_LIMITS = {"seconds": 20.0, "memory_mb": 512, "disk_mb": 64}


@dataclass(frozen=True, slots=True)
class Running:
    """A program that runs."""

    driver: Driver
    number: int

    def wait(self) -> Ended:
        """Until it has ended."""
        ended = self.driver.answer(self.number)
        broken = [fact for fact in ended.facts if "broken" in fact]
        assert not broken, broken[0]["broken"]
        if self.driver.mode not in ("naive", "any") and ended.isolation is not None:
            assert ended.isolation == self.driver.mode
        return ended


class Stage:
    """A host, and a process on it that runs programs.

    Attributes:
        host: What is not to be reached.
        driver: What runs the programs.
        mode: A tier, or "naive".
        name: The name by which this case's processes are found from outside.
    """

    def __init__(self, host: Host, driver: Driver, number: int) -> None:
        self.host = host
        self.driver = driver
        self.mode = driver.mode
        self.name = f"ab{host.token}{number:03}"

    @property
    def sandboxed(self) -> bool:
        """Not the control."""
        return self.mode != "naive"

    def start(  # noqa: PLR0913 - as a program has
        self,
        source: str,
        *,
        files: Mapping[str, bytes] | None = None,
        args: Sequence[str] = (),
        stdin: bytes = b"",
        env: Mapping[str, str] | None = None,
        collect: Sequence[str] = (),
        outputs: str | None = None,
        limits: Mapping[str, float] | None = None,
        patience: float = PATIENCE,
        cancel_after: float | None = None,
        sweeps: int = 1,
        facts: Mapping[str, Any] | None = None,
    ) -> Running:
        """Start a program."""
        told = self.host.facts(self.name) | {"driver": self.driver.pid}
        told |= {"naive": not self.sandboxed, **(facts or {})}
        everything = {
            "main.py": source.encode(),
            "probe.py": _PROBE,
            "host.json": json.dumps(told).encode(),
            **(files or {}),
        }
        number = self.driver.ask(
            "run",
            files={name: base64.b64encode(data).decode() for name, data in everything.items()},
            args=list(args),
            stdin=base64.b64encode(stdin).decode(),
            env=dict(env or {}),
            collect=list(collect),
            outputs=outputs,
            limits=_LIMITS | dict(limits or {}),
            patience=patience,
            cancel_after=cancel_after,
            sweeps=sweeps,
        )
        return Running(self.driver, number)

    def run(self, source: str, **fields: Any) -> Ended:
        """Run a program to its end."""
        return self.start(source, **fields).wait()

    def alive(self) -> list[int]:
        """This case's processes that are alive, wherever they have gone."""
        found: list[int] = []
        for folder in Path("/proc").iterdir():
            if not folder.name.isdigit():
                continue
            with suppress(OSError):
                state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
                if (folder / "comm").read_text().strip() == self.name and state not in "ZX":
                    found.append(int(folder.name))
        return found

    def until(self, true: Callable[[], object], seconds: float = 60.0) -> bool:
        """Wait for it. Whether it came true."""
        deadline = time.monotonic() + seconds
        while not true():
            if time.monotonic() > deadline:
                return False
            time.sleep(0.01)
        return True

    def survivors(self, seconds: float = 5.0) -> Leak:
        """Whoever of this case's processes does not go away."""
        if self.until(lambda: not self.alive(), seconds if self.sandboxed else 0.3):
            return None
        return f"still alive: {self.alive()}"

    def canary(self, ended: Ended) -> Leak:
        """Which canary has come out."""
        text = ended.text
        got = [what for what, canary in self.host.canaries.items() if canary in text]
        return f"canaries came out: {', '.join(got)}" if got else None

    def sweep(self) -> None:
        """Kill what a control has left."""
        for pid in self.alive():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def settle(self) -> None:
        """Make the host what it was, for the next case."""
        self.sweep()
        self.host.planted()
        self.host.connected()
        self.host.harm()
        self.host.restore()
