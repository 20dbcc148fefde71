"""Each protocol's model keeps the contract of models, over a real socket."""

import re

import pytest
from tests.integrations.models.transport.protocols import LOOPBACK_NAMES, MODELS

from planish.testing import check_model
from planish_integrations.testing import Fault, LoopbackProvider, ReceivedRequest


def the_word(received: ReceivedRequest) -> str:
    """What the conformance kit asks for."""
    found = re.search(r"nothing else: (\w+)", received.text)
    return found[1] if found else "?"


@pytest.mark.anyio
@pytest.mark.parametrize("protocol", MODELS)
async def test_it_keeps_the_contract(protocol: str) -> None:
    async with LoopbackProvider(the_word) as server:
        model = MODELS[protocol]("m", base_url=server.url(LOOPBACK_NAMES[protocol]), api_key="k")
        assert len(await check_model(model, promptly=10.0)) == 8
        async with model:
            assert len(await check_model(model, promptly=10.0)) == 8


@pytest.mark.anyio
@pytest.mark.parametrize("protocol", MODELS)
async def test_it_keeps_the_contract_where_every_third_request_fails(protocol: str) -> None:
    faults = [Fault.error(503), None, None] * 40
    async with LoopbackProvider(the_word, faults=faults) as server:
        model = MODELS[protocol]("m", base_url=server.url(LOOPBACK_NAMES[protocol]), api_key="k")
        assert len(await check_model(model, promptly=10.0)) == 8
        assert server.injected_faults
