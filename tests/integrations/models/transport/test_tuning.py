"""`effort` and `cache`: one option for all providers, and the field that each of them knows."""

from collections.abc import Mapping
from typing import Any

import pytest
from tests.integrations.models.transport.protocols import LOOPBACK_NAMES, MODELS

from planish.data import Message, Request
from planish.errors import UnsupportedError
from planish_integrations.models.transport import HttpModel, Secret
from planish_integrations.models.transport.protocol import ProviderProtocol
from planish_integrations.testing import LoopbackProvider

ASK = Request(
    messages=(Message("system", "be brief"), Message("user", "hello"), Message("assistant", "hi")),
    schema={"type": "object", "properties": {}},
    max_tokens=100,
)
SENT: Mapping[str, tuple[str, dict[str, Any]]] = {
    "chat": ("gpt-6.1-terra", {"reasoning_effort": "low"}),
    "responses": ("gpt-6.1-terra", {"reasoning": {"effort": "low"}}),
    "anthropic": ("claude-sonnet-5-5", {"thinking": {"type": "adaptive"}}),
    "gemini": ("gemini-3.8-flash", {}),
    "ollama": ("gpt-oss", {"think": "low"}),
}


async def sent(protocol: str, name: str, **options: Any) -> dict[str, Any]:
    """The JSON of one request."""
    async with LoopbackProvider("{}") as server:
        url = server.url(LOOPBACK_NAMES[protocol])
        await MODELS[protocol](name, base_url=url, api_key="k", **options).reply(ASK)
        body: dict[str, Any] = server.requests[0].json
        return body


@pytest.mark.anyio
@pytest.mark.parametrize("protocol", MODELS)
async def test_effort_adds_the_field_of_the_protocol_and_changes_no_other(protocol: str) -> None:
    name, fields = SENT[protocol]
    plain, tuned = await sent(protocol, name), await sent(protocol, name, effort="low")
    match protocol:
        case "anthropic":
            assert tuned.pop("output_config") == plain.pop("output_config") | {"effort": "low"}
        case "gemini":
            config = plain.pop("generationConfig") | {"thinkingConfig": {"thinkingLevel": "low"}}
            assert tuned.pop("generationConfig") == config
        case _:
            pass
    assert tuned == plain | fields


@pytest.mark.anyio
@pytest.mark.parametrize(("effort", "tokens"), [("low", 1024), ("medium", 8192), ("high", 24576)])
async def test_models_of_gemini_without_levels_have_a_budget(effort: str, tokens: int) -> None:
    body = await sent("gemini", "gemini-2.5-flash", effort=effort)
    assert body["generationConfig"]["thinkingConfig"] == {"thinkingBudget": tokens}


@pytest.mark.anyio
@pytest.mark.parametrize("protocol", MODELS)
async def test_cache_marks_the_first_message_where_a_provider_needs_that(protocol: str) -> None:
    name, _ = SENT[protocol]
    plain, marked = await sent(protocol, name), await sent(protocol, name, cache=True)
    if protocol == "anthropic":
        block = {"type": "text", "text": "hello", "cache_control": {"type": "ephemeral"}}
        plain["messages"][0]["content"] = [block]
        assert len(plain["messages"]) == 2
    assert marked == plain


@pytest.mark.anyio
async def test_extra_overrides_what_the_options_send() -> None:
    body = await sent("responses", "m", effort="low", extra={"reasoning": {"effort": "minimal"}})
    assert body["reasoning"] == {"effort": "minimal"}


@pytest.mark.parametrize(
    "name", ["claude-haiku-4-5", "claude-opus-4-5-20251101", "claude-sonnet-4@20250514"]
)
def test_a_model_without_levels_refuses_them_where_they_are_written(name: str) -> None:
    with pytest.raises(UnsupportedError, match="budget_tokens"):
        MODELS["anthropic"](name, api_key="k", effort="high")
    assert MODELS["anthropic"](name, api_key="k", cache=True)


@pytest.mark.parametrize("name", ["claude-opus-4-6", "claude-sonnet-4-6", "claude-opus-4-7", "any"])
def test_a_model_with_levels_accepts_them(name: str) -> None:
    assert MODELS["anthropic"](name, api_key="k", effort="high")


@pytest.mark.parametrize("protocol", MODELS)
def test_another_word_is_refused(protocol: str) -> None:
    with pytest.raises(ValueError, match="effort='extreme': must be 'low', 'medium' or 'high'"):
        MODELS[protocol]("m", api_key="k", effort="extreme")


class Plain:
    """A protocol of the user's, without `tune`."""

    reserved_fields: frozenset[str] = frozenset()


def test_a_protocol_without_these_fields_refuses_the_options() -> None:
    own: Any = Plain()
    protocol: ProviderProtocol = own
    where: dict[str, Any] = {"provider": "p", "base_url": "http://x", "api_key": Secret("")}
    with pytest.raises(UnsupportedError, match="Plain has no effort= and cache="):
        HttpModel("m", protocol=protocol, cache=True, **where)
