"""A session that is open for one test, in each tier that this machine has."""

from collections.abc import AsyncIterator
from typing import cast

import pytest

from planish import UnsupportedError
from planish_integrations.local import LocalSandbox
from planish_integrations.local.session import LocalSession


@pytest.fixture(params=["namespaces", "landlock"])
async def sandbox(
    anyio_backend: str, request: pytest.FixtureRequest
) -> AsyncIterator[LocalSandbox]:
    tier = cast("str", request.param)
    try:
        async with LocalSandbox(tier="namespaces" if tier == "namespaces" else "landlock") as made:
            yield made
    except UnsupportedError as error:
        pytest.skip(str(error))


@pytest.fixture
async def session(sandbox: LocalSandbox) -> AsyncIterator[LocalSession]:
    async with LocalSession(sandbox) as opened:
        yield opened
