"""A client that leaves no connection."""

from collections.abc import AsyncIterator

import httpx
import pytest


@pytest.fixture
async def http(anyio_backend: str) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(trust_env=False, timeout=20) as client:
        yield client
