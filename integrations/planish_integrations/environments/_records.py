"""What became of a resolution: the environment, and each installation in it."""

from collections.abc import Callable, Generator, Iterable
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from opentelemetry import trace
from opentelemetry.util.types import AttributeValue

from ._spec import EnvSpec

__all__ = ["INSTALL", "Environment", "Install", "InstallOutcome", "tell"]

InstallOutcome = Literal["installed", "refused", "missing", "failed"]
"""`missing`: no index has it for this Python; `failed`: it is broken, or in conflict."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Install:
    """What became of one distribution. Also an event of the span around.

    Attributes:
        distribution: Its name.
        version: The version that was installed; None where none was.
        fingerprint: Of the environment's specification.
        outcome: How it went.
        cached: It lay there already: nothing was installed for this one.
        seconds: What building its environment took, when it was built.
        reason: Why not, where it was not installed.
    """

    distribution: str
    version: str | None = None
    fingerprint: str = ""
    outcome: InstallOutcome = "installed"
    cached: bool = False
    seconds: float = 0.0
    reason: str = ""


@contextmanager
def _nothing_to_hold() -> Generator[None]:
    yield


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """A folder of installed packages, ready to be put on a program's path, read-only.

    Attributes:
        path: The folder; None where nothing had to be installed.
        fingerprint: Of its specification. Equal ones are the same folder.
        spec: What it is made of.
        installs: Every distribution in it, and every one that was not installed, with why.
        findings: The same as text, for whoever wrote the program; empty where all went well.
    """

    path: Path | None
    spec: EnvSpec
    fingerprint: str
    installs: tuple[Install, ...] = ()
    findings: tuple[str, ...] = ()
    hold: Callable[[], AbstractContextManager[None]] = field(
        default=_nothing_to_hold, repr=False, compare=False
    )

    def lease(self) -> AbstractContextManager[None]:
        """Keep it from being pruned, by this or any other process, while in use.

        Raises:
            SandboxLostError: it has been pruned already; resolve again. `Environments.using`
                does both.
        """
        return self.hold()


INSTALL = "planish.environment.install"


def tell(installs: Iterable[Install]) -> None:
    """Add the events to the current span, if there is one that is kept."""
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
