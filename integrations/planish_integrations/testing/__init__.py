"""Servers on loopback that speak the real protocols, for tests without an account.

`LoopbackProvider` answers as the providers of language models do, or fails as they fail:

    async with LoopbackProvider(["hello"], faults=[Fault.rate_limit()]) as server:
        model = OpenAIModel("any", base_url=server.url("openai"), api_key="")
        reply = await model.reply(request)
    assert len(server.requests) == 2

The loopback E2B stands in `planish_integrations.testing.e2b`, because it needs E2B's SDK.
"""

from ._answer import Answer, recorded
from ._fault import Chance, Fault, FaultKind, RetryForm
from ._protocol import WireName
from ._provider import LoopbackProvider
from ._request import Received

__all__ = [
    "Answer",
    "Chance",
    "Fault",
    "FaultKind",
    "LoopbackProvider",
    "Received",
    "RetryForm",
    "WireName",
    "recorded",
]
