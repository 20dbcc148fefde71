"""A stream that breaks while a listener receives it is requested once more, without an attempt."""

import pytest
from tests.integrations.models.transport.protocols import LOOPBACK_NAMES, MODELS
from tests.laws.kit import answer, grade

from planish import CodeGenerator, Task, Validator, step
from planish.errors import ModelError
from planish.events import Event, TokensReceived, listen
from planish.testing.telemetry import capture
from planish_integrations.models.transport import Backoff
from planish_integrations.testing import Fault, LoopbackProvider

pytestmark = pytest.mark.anyio
TASK = Task("Pass all checks.", tests="assert PASSED == 4")
QUICK = Backoff(tries=2, first=0.01)


@pytest.mark.parametrize("protocol", sorted(MODELS))
async def test_a_broken_stream_is_requested_once_more(protocol: str) -> None:
    heard: list[Event] = []
    long = answer(4, "x" * 20_000)
    faults = [Fault.reset(15_000), None]
    async with LoopbackProvider([long], faults=faults) as server:
        url = server.url(LOOPBACK_NAMES[protocol])
        model = MODELS[protocol]("m", base_url=url, api_key="k", backoff=QUICK)
        with capture() as telemetry:
            async with model, listen(heard.append):
                chain = CodeGenerator(model) >> step(grade) >> Validator()
                report = await chain.run(TASK)
        assert len(server.requests) == 2
    assert report.passed
    assert report.usage.model_calls == 1
    assert any(isinstance(event, TokensReceived) for event in heard)
    (chat,) = [span for span in telemetry.spans if span.name.startswith("chat")]
    assert (chat.attributes or {})["http.request.resend_count"] == 1


async def test_one_that_breaks_twice_is_an_error() -> None:
    faults = [Fault.reset(15_000)] * 3
    async with LoopbackProvider(lambda _: answer(4, "x" * 20_000), faults=faults) as server:
        model = MODELS["chat"]("m", base_url=server.url("openai"), api_key="k", backoff=QUICK)
        async with model, listen(lambda _: None):
            with pytest.raises(ModelError):
                await (CodeGenerator(model) >> step(grade) >> Validator()).run(TASK)
