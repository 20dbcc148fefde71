"""A session that is open for one test: in one tier with asyncio, in the other with trio.

Tiers and event loops have nothing to do with each other, so two of the four pairs are enough.
"""

from collections.abc import AsyncIterator

import pytest

from planish.errors import UnsupportedError
from planish_integrations.local import LocalSandbox, LocalSession, Tier


@pytest.fixture
async def sandbox(anyio_backend: str) -> AsyncIterator[LocalSandbox]:
    try:
        tier: Tier = "namespaces" if anyio_backend == "asyncio" else "landlock"
        async with LocalSandbox(tier=tier) as made:
            yield made
    except UnsupportedError as error:
        pytest.skip(str(error))


@pytest.fixture
async def session(sandbox: LocalSandbox) -> AsyncIterator[LocalSession]:
    async with LocalSession(sandbox) as opened:
        yield opened
