"""LiteLLM, where it is installed: offline, on asyncio, and closed when a test is done."""

import os
from collections.abc import AsyncIterator
from typing import Any

import pytest

# It looks for a newer price table on the network when it is imported, unless told not to.
os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def library(anyio_backend: str) -> AsyncIterator[Any]:
    """The module; its clients, which it keeps for the whole process, are closed at the end."""
    litellm: Any = pytest.importorskip("litellm", reason="litellm is not installed")
    # The default transport is aiohttp, whose sessions outlive their event loop.
    litellm.disable_aiohttp_transport = True
    litellm.in_memory_llm_clients_cache.flush_cache()
    yield litellm
    await litellm.close_litellm_async_clients()
    litellm.in_memory_llm_clients_cache.flush_cache()
