"""Where candidates are judged: every sandbox of ours, opened and closed again."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import cache

from planish.abc import Sandbox
from planish_integrations.local import LocalSandbox, Tier

__all__ = ["ISOLATED", "PLACES", "TIERS", "WITHOUT_PYTEST", "local_sandbox", "sandbox_of"]

TIERS: tuple[Tier, ...] = ("landlock", "namespaces", "bubblewrap")
"""The tiers of the local sandbox."""

ISOLATED = (*TIERS, "bwrap_container", "container")
"""Where a pass may rest on isolation: their results guarantee `results`."""

PLACES = (*ISOLATED, "unsafe", "session", "e2b")
"""All of them."""

WITHOUT_PYTEST = ("bwrap_container", "container", "e2b")
"""Where programs run on another Python than the tests, which has no pytest."""


@asynccontextmanager
async def sandbox_of(place: str, kind: str = "checks") -> AsyncGenerator[Sandbox]:
    """Open one of the places.

    Args:
        place: One of `PLACES`.
        kind: What is run there. "pytest": on a tier, pytest is imported before.

    Raises:
        UnsupportedError: this machine cannot have it.
    """
    if place == "unsafe":
        from planish_integrations.unsafe import UnsafeLocalSandbox  # noqa: PLC0415

        yield UnsafeLocalSandbox()
    elif place == "session":
        from planish_integrations.local import (  # noqa: PLC0415
            InSession,
            LocalSession,
        )

        async with LocalSandbox(tier="landlock") as local, LocalSession(local) as session:
            yield InSession(session)
    elif place == "e2b":
        from tests.integrations.sandboxes.e2b.support import connected  # noqa: PLC0415

        from planish_integrations.testing.e2b import LoopbackE2B  # noqa: PLC0415

        with LoopbackE2B() as server:
            async with connected(server) as remote:
                yield remote
    elif place in ("bwrap_container", "container"):
        import pytest  # noqa: PLC0415
        from tests.integrations.sandboxes.places import place_named  # noqa: PLC0415

        absent = place_named(place).absent()
        if absent:
            pytest.skip(absent)
        async with place_named(place).open() as contained:
            yield contained
    else:
        yield local_sandbox(next(tier for tier in TIERS if tier == place), kind)


def local_sandbox(tier: Tier, kind: str = "checks") -> LocalSandbox:
    """Return the sandbox of a tier that all tests of this process share.

    A sandbox starts in a quarter of a second, and pytest in half a second more, so programs
    of the kind "pytest" are forked from an interpreter that has it imported.
    """
    return _local(tier, ("pytest",) if kind == "pytest" else ())


@cache
def _local(tier: Tier, preload: tuple[str, ...]) -> LocalSandbox:
    return LocalSandbox(tier=tier, preload=preload)
