"""One span for one request, whatever it took; tokens on it and nowhere else."""

from dataclasses import replace
from typing import Any

import pytest
from httpx import URL
from tests.integrations.models.transport.in_run import ask_in_run
from tests.integrations.models.transport.protocols import LOOPBACK_NAMES, MODELS
from tests.laws.kit import answer, grade

from planish import BestOf, CodeGenerator, Retry, Task, Validator, step
from planish.data import Reply, Usage
from planish.errors import OverloadedError, RequestError
from planish.testing.clock import FakeClock
from planish.testing.telemetry import capture
from planish_integrations.models.transport import Backoff
from planish_integrations.testing import Fault, LoopbackProvider, recorded_answers

USED = Usage(input_tokens=50, output_tokens=20, cached_tokens=8, reasoning_tokens=5)
RESENDS = "http.request.resend_count"
REQUEST_ID = "planish.request.id"


@pytest.mark.anyio
@pytest.mark.parametrize("protocol", MODELS)
async def test_one_span_covers_all_resends(protocol: str) -> None:
    faults = [Fault.error(503), Fault.dropped(), None]
    async with LoopbackProvider(["hi"], faults=faults) as server:
        url = server.url(LOOPBACK_NAMES[protocol])
        model = MODELS[protocol]("m", base_url=url, api_key="k", clock=FakeClock())
        with capture() as captured:
            reply = await ask_in_run(model)
        (span,) = captured.by_name("chat m")
        attributes = span.attributes or {}
        assert attributes[RESENDS] == reply.resends == 2
        assert attributes[REQUEST_ID] == reply.request_id == "req_3"
        assert attributes["gen_ai.response.finish_reasons"] == ("stop",)
        assert attributes["gen_ai.provider.name"] == model.provider
        address = attributes["server.address"], attributes["server.port"]
        assert address == model.server_address == ("127.0.0.1", URL(url).port)


@pytest.mark.anyio
@pytest.mark.parametrize("protocol", ["chat", "responses"])
@pytest.mark.parametrize("effort", ["low", None])
async def test_the_effort_that_a_request_asks_for_is_on_its_span(
    protocol: str, effort: Any
) -> None:
    async with LoopbackProvider(["hi"]) as server:
        url = server.url(LOOPBACK_NAMES[protocol])
        model = MODELS[protocol]("m", base_url=url, api_key="k", effort=effort)
        with capture() as captured:
            await ask_in_run(model)
    (span,) = captured.by_name("chat m")
    assert (span.attributes or {}).get("gen_ai.request.reasoning.level") == effort


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("https://user:pass@example.com/v1?key=k", ("example.com", 443)),
        ("http://example.com", ("example.com", 80)),
        ("http://[::1]:8000/v1", ("::1", 8000)),
    ],
)
def test_the_server_of_spans_has_the_port_of_the_scheme(url: str, address: tuple[str, int]) -> None:
    assert MODELS["chat"]("m", base_url=url, api_key="k").server_address == address


@pytest.mark.anyio
async def test_a_request_that_fails_says_its_id_and_its_resends() -> None:
    async with LoopbackProvider("hi", faults=Fault.error(503)) as server:
        model = MODELS["chat"](
            "m",
            base_url=server.url("openai"),
            api_key="k",
            clock=FakeClock(),
            backoff=Backoff(tries=3),
        )
        with capture() as captured, pytest.raises(OverloadedError) as caught:
            await ask_in_run(model)
        (span,) = captured.by_name("chat m")
        attributes = span.attributes or {}
        assert attributes[RESENDS] == caught.value.resends == 2
        assert attributes["error.type"] == "planish.errors.OverloadedError"
        assert not [name for name in attributes if "usage" in name]


@pytest.mark.anyio
async def test_the_id_of_a_refused_request_is_on_the_error_and_on_the_span() -> None:
    refused = {"status": 400, "headers": {"x-request-id": "req_7"}, "body": {"error": "no"}}
    async with LoopbackProvider(recorded_answers([refused])) as server:
        model = MODELS["chat"]("m", base_url=server.url("openai"), api_key="k")
        with capture() as captured, pytest.raises(RequestError) as caught:
            await ask_in_run(model)
        (span,) = captured.by_name("chat m")
        assert (span.attributes or {})[REQUEST_ID] == caught.value.request_id == "req_7"


@pytest.mark.anyio
@pytest.mark.parametrize("protocol", MODELS)
async def test_the_sum_over_the_tree_is_the_reports_usage_to_the_token(protocol: str) -> None:
    used = USED
    if protocol == "ollama":  # tells neither
        used = replace(USED, cached_tokens=0, reasoning_tokens=0)
    texts = [answer(n % 4, f"try {n}") for n in range(6)]
    replies = [Reply(text=text, usage=used) for text in texts]
    faults = [Fault.error(503), None, Fault.malformed()]
    async with LoopbackProvider(replies, faults=faults) as server:
        model = MODELS[protocol](
            "m", base_url=server.url(LOOPBACK_NAMES[protocol]), api_key="k", clock=FakeClock()
        )
        attempt = CodeGenerator(model) >> step(grade) >> Validator()
        with capture() as captured:
            report = await BestOf(Retry(attempt, attempts=2), n=3).run(
                Task("Pass some checks.", tests="assert PASSED == 4")
            )
    spans = captured.spans
    for name, counted in (
        ("input_tokens", report.usage.input_tokens),
        ("output_tokens", report.usage.output_tokens),
        ("cache_read.input_tokens", report.usage.cached_tokens),
        ("reasoning.output_tokens", report.usage.reasoning_tokens),
    ):
        told = [(s.attributes or {}).get(f"gen_ai.usage.{name}", 0) for s in spans]
        assert sum(int(str(n)) for n in told) == counted
    estimated = [(s.attributes or {}).get("planish.usage.estimated_tokens", 0) for s in spans]
    assert sum(int(str(n)) for n in estimated) == report.usage.estimated_tokens
    # Beside the one that could not be read, whose usage is estimated:
    assert report.usage.tokens - report.usage.estimated_tokens == 6 * used.tokens
    assert report.usage.failed_calls == 2
    assert len(captured.by_name("chat m")) == report.usage.model_calls == 6
    assert len({span.context.trace_id for span in spans if span.context}) == 1
