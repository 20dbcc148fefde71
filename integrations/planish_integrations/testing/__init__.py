"""Servers on loopback that speak the providers' protocols, for tests without an account.

`LoopbackProvider` answers as the providers of language models do, or fails as they fail:

    async with LoopbackProvider(["hello"], faults=[Fault.rate_limit()]) as server:
        model = OpenAIModel("any", base_url=server.url("openai"), api_key="")
        reply = await model.reply(request)
    assert len(server.requests) == 2

The loopback E2B is `planish_integrations.testing.e2b`, because it requires E2B's SDK.
"""

from ._answer import Answer, recorded_answers
from ._fault import Fault, FaultKind, RandomFaults, RetryForm
from ._protocol import ProtocolName
from ._provider import LoopbackProvider
from ._request import ReceivedRequest

__all__ = [
    "Answer",
    "Fault",
    "FaultKind",
    "LoopbackProvider",
    "ProtocolName",
    "RandomFaults",
    "ReceivedRequest",
    "RetryForm",
    "recorded_answers",
]
