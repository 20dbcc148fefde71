"""Tokens and costs of all recorded replies are those that the providers state."""

import pytest
from tests.integrations.models.transport.protocols import READERS
from tests.integrations.models.transport.recorded import APIS, Exchange, Shared, answered

from planish.data.message import Reply
from planish_integrations.models.transport._parsing import StreamReader, reply_from_body

UNTOLD = (0, 0, 0, 0)
every_protocol = pytest.mark.parametrize("protocol", APIS)


def reply_of(protocol: str, exchange: Exchange, prompt_tokens: int = 0) -> Reply:
    """Read a whole exchange in process."""
    if not exchange.streamed:
        return reply_from_body(exchange.body, READERS[protocol](), None, prompt_tokens)
    reader = StreamReader(READERS[protocol](), exchange.framing, None, prompt_tokens)
    reader.feed(exchange.body)
    reader.end()
    return reader.to_reply()


TOTALS = {"chat": 64, "responses": 33, "anthropic": 0, "gemini": 21, "ollama": 0}
"""How many of the recorded replies state a total; Anthropic and Ollama never do."""


@every_protocol
def test_all_tokens_that_a_provider_counts_are_counted(protocol: str, shared_data: Shared) -> None:
    """The sum over all recorded exchanges is that of the providers' own totals."""
    rows = answered(shared_data, protocol)
    told = [(row, total) for row in rows if (total := row.total) is not None]
    counted = [reply_of(protocol, row).usage.tokens for row, _ in told]
    assert counted == [total for _, total in told]
    sums = sum(counted), sum(total for _, total in told)
    print(f"{protocol}: {len(told)} totals, {sums[0]} tokens counted of {sums[1]}")  # noqa: T201
    assert len(told) >= TOTALS[protocol]
    for row in rows:
        usage = reply_of(protocol, row).usage
        assert usage.reasoning_tokens <= usage.output_tokens, row.id
        assert usage.cache_write_tokens <= usage.input_tokens, row.id


@every_protocol
def test_only_what_no_provider_counts_is_estimated(protocol: str, shared_data: Shared) -> None:
    untold = 0
    for row in answered(shared_data, protocol):
        exact, estimated = reply_of(protocol, row).usage, reply_of(protocol, row, 10).usage
        if row.usage == UNTOLD:
            untold += 1
            assert estimated.input_tokens == 10
            assert estimated.estimated_tokens == estimated.tokens > 10
        else:
            assert estimated == exact
    assert untold == (4 if protocol == "chat" else 0)


@every_protocol
def test_the_cost_that_a_provider_reports_is_the_cost(protocol: str, shared_data: Shared) -> None:
    rows = answered(shared_data, protocol)
    told = [(row, cost) for row in rows if (cost := row.cost)]
    for row, cost in told:
        assert reply_of(protocol, row).usage.usd == pytest.approx(cost), row.id
    # OpenRouter and Perplexity; xAI and OpenRouter.
    assert len(told) == {"chat": 11, "responses": 7}.get(protocol, 0)
