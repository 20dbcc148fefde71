"""The sandboxes that the suite runs on: every kind and tier, as far as this machine has them."""

import atexit
import os
import shutil
import subprocess
import tempfile
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, ExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import anyio
from tests.integrations.sandboxes.containers import bwrap_engine
from tests.integrations.sandboxes.e2b.support import connected

from planish.abc import Sandbox
from planish.data.program import Program
from planish.data.sandbox import Guarantee
from planish_integrations.containers import ContainerSandbox
from planish_integrations.local import LocalSandbox, Tier, probe
from planish_integrations.testing.e2b import LoopbackE2B
from planish_integrations.unsafe import UnsafeLocalSandbox

__all__ = ["IMAGE", "PLACES", "Place", "engine_with_image", "local", "place_named"]

Open = Callable[[], AbstractAsyncContextManager[Sandbox]]

IMAGE = "PLANISH_CONTAINER_IMAGE"
"""The variable that names an image of a real engine; `containers/image.py` makes one."""

_IMAGES = ("docker.io/library/python:3.11-slim", "docker.io/library/python:3.12-slim")

_resources = ExitStack()  # a folder and a server that last as long as this process
atexit.register(_resources.close)


@dataclass(frozen=True)
class Place:
    """One kind of sandbox, or one tier of the local sandbox.

    Attributes:
        name: Its name in the ids of tests.
        open: Opens a sandbox of it. Those of the local sandbox are shared by all tests.
        absent: Why this machine cannot have it; None if it can.
        documented: Guarantees that its results do not state, because nothing isolates the
            program from what enforces them, but that its documentation does.
        is_isolated: Whether the host is safe from its programs. Not in "unsafe", nor in "e2b":
            the loopback server runs programs as the user of this process.
    """

    name: str
    open: Open
    absent: Callable[[], str | None]
    documented: frozenset[Guarantee] = frozenset()
    is_isolated: bool = True

    def __str__(self) -> str:
        return self.name

    @property
    def tier(self) -> Tier | None:
        """The tier of the local sandbox that it is; None if it is no such tier."""
        return next((tier for tier in _TIERS if tier == self.name), None)

    async def guarantees(self) -> frozenset[Guarantee]:
        """Return what its documentation guarantees, and the result of an empty program."""
        if self.name not in _stated:
            async with self.open() as sandbox:
                done = await sandbox.run(Program(main="main.py", files={"main.py": b""}))
            _stated[self.name] = frozenset(done.guarantees)
        return self.documented | _stated[self.name]


_TIERS: tuple[Tier, ...] = ("namespaces", "bubblewrap", "landlock")
_stated: dict[str, frozenset[Guarantee]] = {}


@cache
def _absent_tiers() -> dict[str, str | None]:
    return {report.tier: report.reason or None for report in anyio.run(probe)}


def _absent_tier(tier: Tier) -> str | None:
    return _absent_tiers()[tier]


@cache
def local(tier: Tier) -> LocalSandbox:
    """Return the sandbox of a tier that all tests of this process share."""
    return LocalSandbox(tier=tier, concurrency=4)


@asynccontextmanager
async def _local(tier: Tier) -> AsyncGenerator[Sandbox]:
    yield local(tier)


@asynccontextmanager
async def _unsafe() -> AsyncGenerator[Sandbox]:
    yield UnsafeLocalSandbox(concurrency=8)


@cache
def _stand_in_engine() -> str:
    folder = Path(tempfile.mkdtemp(prefix="stand-in-engine-"))
    _resources.callback(shutil.rmtree, folder)
    return bwrap_engine.install(folder)


@asynccontextmanager
async def _stand_in() -> AsyncGenerator[Sandbox]:
    yield ContainerSandbox(engine=_stand_in_engine(), image="none")


@cache
def _server() -> LoopbackE2B:
    return _resources.enter_context(LoopbackE2B())


@asynccontextmanager
async def _e2b() -> AsyncGenerator[Sandbox]:
    async with connected(_server()) as sandbox:
        yield sandbox


@cache
def engine_with_image() -> tuple[str, str] | str:
    """Return a real container engine and an image that it has; or why there is none.

    Nothing is pulled: tests need no network.
    """
    why = "neither docker nor podman is on PATH"
    for engine in ("docker", "podman"):
        if shutil.which(engine) is None:
            continue
        if _fails(engine, "info"):
            why = f"{engine} is installed but does not answer"
            continue
        wanted = [os.environ[IMAGE]] if IMAGE in os.environ else _IMAGES
        for image in wanted:
            if not _fails(engine, "image", "inspect", image):
                return engine, image
        why = f"{engine} has no image {' or '.join(wanted)}; pull it, or name one with {IMAGE}"
    return why


def _fails(*command: str) -> bool:
    done = subprocess.run(command, capture_output=True, check=False, timeout=60)
    return done.returncode != 0


@asynccontextmanager
async def _engine() -> AsyncGenerator[Sandbox]:
    found = engine_with_image()
    assert not isinstance(found, str), found
    yield ContainerSandbox(engine=found[0], image=found[1])


def _no_engine() -> str | None:
    found = engine_with_image()
    return found if isinstance(found, str) else None


def _no_stand_in() -> str | None:
    return None if bwrap_engine.works() else "bubblewrap cannot make namespaces here"


def _nothing() -> None:
    return None


_UNSAFE: frozenset[Guarantee] = frozenset(
    {"cleanup", "cpu", "disk", "environment", "memory", "memory_total", "output", "processes"}
)
_E2B: frozenset[Guarantee] = frozenset({"memory_total"})  # but for shared memory

PLACES = (
    *(Place(tier, partial(_local, tier), partial(_absent_tier, tier)) for tier in _TIERS),
    Place("unsafe", _unsafe, _nothing, documented=_UNSAFE, is_isolated=False),
    Place("bwrap_container", _stand_in, _no_stand_in),
    Place("container", _engine, _no_engine),
    Place("e2b", _e2b, _nothing, documented=_E2B, is_isolated=False),
)
"""All of them. "bwrap_container" is `ContainerSandbox` with the stand-in engine of
`containers/bwrap_engine.py`, which has no control groups; "container" has a real engine."""


def place_named(name: str) -> Place:
    """Return the place of this name."""
    return next(place for place in PLACES if place.name == name)
