"""A session that is open for one test."""

from collections.abc import AsyncIterator

import pytest

from planish_integrations.local.session import LocalSession


@pytest.fixture
async def session(anyio_backend: str) -> AsyncIterator[LocalSession]:
    async with LocalSession() as opened:
        yield opened
