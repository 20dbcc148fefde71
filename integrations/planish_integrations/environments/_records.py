"""Results of a resolution: the environment and its installs, also as span events."""

from collections.abc import Callable, Generator, Iterable
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from opentelemetry import trace
from opentelemetry.util.types import AttributeValue

from ._spec import EnvSpec

__all__ = ["INSTALL", "Environment", "Install", "InstallOutcome", "record_events"]

InstallOutcome = Literal["installed", "refused", "missing", "failed"]
"""`missing`: no index has it for this Python; `failed`: it is broken or in conflict."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Install:
    """The outcome for one distribution; also an event of the current span.

    Attributes:
        distribution: Its name.
        version: The installed version; None if it was not installed.
        fingerprint: The fingerprint of the environment's specification.
        outcome: Whether it was installed, and if not, why.
        cached: The environment existed already; nothing was installed by this call.
        seconds: How long the build of the environment took.
        reason: Why it was not installed; "" if it was.
    """

    distribution: str
    version: str | None = None
    fingerprint: str = ""
    outcome: InstallOutcome = "installed"
    cached: bool = False
    seconds: float = 0.0
    reason: str = ""


@contextmanager
def _no_lease() -> Generator[None]:
    yield


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """A folder of installed packages, ready to be mounted read-only on a program's path.

    Attributes:
        path: The folder; None if nothing had to be installed.
        fingerprint: The fingerprint of its specification; equal ones share one folder.
        spec: What it consists of.
        installs: Every distribution in it, and every one that was not installed, with the reason.
        findings: The same reasons as text for the author of the program; empty if all succeeded.
        acquire_lease: What `lease` calls; a context manager that prevents pruning.
    """

    path: Path | None
    spec: EnvSpec
    fingerprint: str
    installs: tuple[Install, ...] = ()
    findings: tuple[str, ...] = ()
    acquire_lease: Callable[[], AbstractContextManager[None]] = field(
        default=_no_lease, repr=False, compare=False
    )

    def lease(self) -> AbstractContextManager[None]:
        """Return a context manager that prevents pruning, by this or any other process.

        Raises:
            SandboxLostError: it was pruned before; resolve again. `Environments.using` does both.
        """
        return self.acquire_lease()


INSTALL = "planish.environment.install"


def record_events(installs: Iterable[Install]) -> None:
    """Add an event for each install to the current span, if it is recording."""
    span = trace.get_current_span()
    if not span.is_recording():
        return
    for one in installs:
        values: dict[str, AttributeValue] = {
            "planish.environment.distribution": one.distribution,
            "planish.environment.fingerprint": one.fingerprint,
            "planish.environment.outcome": one.outcome,
            "planish.environment.cached": one.cached,
            "planish.environment.seconds": one.seconds,
        }
        if one.version is not None:
            values["planish.environment.version"] = one.version
        if one.reason:
            values["planish.environment.reason"] = one.reason
        span.add_event(INSTALL, values)
