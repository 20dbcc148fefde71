"""Where candidates are judged: every sandbox of ours, opened and closed again."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import cache

from planish.abc import Sandbox
from planish_integrations.local import LocalSandbox, Tier

__all__ = ["PLACES", "TIERS", "sandbox_of"]

TIERS: tuple[Tier, ...] = ("landlock", "namespaces", "bubblewrap")
"""Where a pass may rest on isolation."""

PLACES = (*TIERS, "unsafe", "session", "e2b")
"""All of them."""


@asynccontextmanager
async def sandbox_of(place: str) -> AsyncGenerator[Sandbox]:
    """Open one of the places.

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
        from tests.integrations.sandboxes.e2b.ours import connected  # noqa: PLC0415

        from planish_integrations.testing.e2b import LoopbackE2B  # noqa: PLC0415

        with LoopbackE2B() as server:
            async with connected(server) as remote:
                yield remote
    else:
        yield next(_local(tier) for tier in TIERS if tier == place)


@cache
def _local(tier: Tier) -> LocalSandbox:
    """One for all tests of a process: a sandbox starts in a quarter of a second."""
    return LocalSandbox(tier=tier)
