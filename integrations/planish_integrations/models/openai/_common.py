"""What both of OpenAI's protocols share: server variants, JSON schemas, token counts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from planish.data.message import Request
from planish.data.usage import Usage
from planish.errors import UnsupportedError
from planish_integrations.models.transport.json_values import (
    as_amount,
    as_count,
    as_list,
    as_map,
    as_text,
)

__all__ = [
    "ProtocolVariant",
    "named_schema",
    "parse_cost",
    "parse_usage",
    "reject_unsupported",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProtocolVariant:
    """How one server's chat-completions API differs: names of fields, and fields it rejects.

    Attributes:
        max_tokens: The field for `Request.max_tokens`. OpenAI's reasoning models reject the old
            name, "max_tokens"; few other servers accept the new one.
        seed: The field for `Request.seed`; None if the server accepts none.
        stop: The server accepts `Request.stop`.
        stream_usage: The server reports the usage of a stream only if `stream_options` requests
            it. Servers that always report it may reject that field.
        schema: "json_schema" if the server accepts `Request.schema`; "json_object" if it only
            has a JSON mode without a schema; None if it has neither.
        key_header: The header for the key: "authorization" holds it as a bearer token, any
            other header as it is.
    """

    max_tokens: str = "max_tokens"
    seed: str | None = "seed"
    stop: bool = True
    stream_usage: bool = True
    schema: Literal["json_schema", "json_object"] | None = "json_schema"
    key_header: str = "authorization"

    def key_headers(self, key: str) -> dict[str, str]:
        """Return the header for a key; none if the key is empty."""
        if not key:
            return {}
        bearer = self.key_header == "authorization"
        return {self.key_header: f"Bearer {key}" if bearer else key}


def reject_unsupported(
    request: Request, subject: str, *, seed: bool = False, stop: bool = False
) -> None:
    """Raise an error if a request sets a field that the server does not accept.

    Dropping the field silently would break a caller that relies on a seed.

    Args:
        request: The request.
        subject: Who accepts no such field, for the message.
        seed: The server accepts no `Request.seed`.
        stop: The server accepts no `Request.stop`.

    Raises:
        UnsupportedError: the request sets one of those fields.
    """
    conflicts = {"seed": seed and request.seed is not None, "stop": stop and bool(request.stop)}
    for name, conflict in conflicts.items():
        if conflict:
            raise UnsupportedError(f"{subject} accept no {name!r}: leave Request.{name} unset")


# The values of these keywords are values or names, not schemas.
_NOT_SCHEMAS = ("properties", "$defs", "enum", "const", "default", "examples", "required")


def named_schema(schema: Mapping[str, Any]) -> dict[str, object]:
    """Return a JSON schema in OpenAI's form: with a name, and with `strict` where possible.

    "strict" requires every object to list all its properties as required and to allow no others
    (OpenAI's guide "Structured outputs"); without it, the model may deviate from the schema.
    """
    title = "".join(c if c.isalnum() and c.isascii() else "_" for c in as_text(schema.get("title")))
    return {"name": title[:64] or "answer", "schema": dict(schema), "strict": _is_strict(schema)}


def _is_strict(part: object) -> bool:
    if items := as_list(part):
        return all(_is_strict(item) for item in items)
    fields = as_map(part)
    properties = as_map(fields.get("properties"))
    if fields.get("type") == "object" or properties:
        required = set(map(str, as_list(fields.get("required"))))
        if fields.get("additionalProperties") is not False or set(properties) - required:
            return False
    named = {**as_map(fields.get("$defs")), **properties}
    others = [value for keyword, value in fields.items() if keyword not in _NOT_SCHEMAS]
    return all(_is_strict(inner) for inner in [*others, *named.values()])


_Path = tuple[str, ...]

# Where servers put each count; the first one that is not 0 is used. Chat completions and
# Responses use different names; DeepSeek, Together and Mistral have their own for cached tokens.
_INPUT: Sequence[_Path] = (("prompt_tokens",), ("input_tokens",))
_OUTPUT: Sequence[_Path] = (("completion_tokens",), ("output_tokens",))
_CACHED: Sequence[_Path] = (
    ("prompt_tokens_details", "cached_tokens"),
    ("input_tokens_details", "cached_tokens"),
    ("prompt_token_details", "cached_tokens"),
    ("prompt_cache_hit_tokens",),
    ("num_cached_tokens",),
    ("cached_tokens",),
)
_CACHE_WRITES: Sequence[_Path] = (
    ("prompt_tokens_details", "cache_write_tokens"),
    ("input_tokens_details", "cache_write_tokens"),
)
_REASONING: Sequence[_Path] = (
    ("completion_tokens_details", "reasoning_tokens"),
    ("output_tokens_details", "reasoning_tokens"),
    ("reasoning_tokens",),
)
_TICKS_PER_USD = 10_000_000_000  # xAI's unit of `cost_in_usd_ticks`


def parse_usage(usage: Mapping[str, object]) -> Usage:
    """Return the token counts of a response; a count that is missing is 0.

    All that the provider counts is counted: if its total exceeds the sum of input and output, the
    rest is reasoning, which xAI's chat completions and Gemini's omit from the output.

    Args:
        usage: The response's `usage` object; empty if it has none.
    """
    sent, received, reasoning = (_count(usage, p) for p in (_INPUT, _OUTPUT, _REASONING))
    total = as_count(usage.get("total_tokens"))
    omitted = max(0, total - sent - received) if total else 0
    if not total and reasoning > received:
        omitted = reasoning
    return Usage(
        input_tokens=sent,
        output_tokens=received + omitted,
        cached_tokens=_count(usage, _CACHED),
        cache_write_tokens=_count(usage, _CACHE_WRITES),
        reasoning_tokens=max(reasoning, omitted),
    )


def parse_cost(usage: Mapping[str, object]) -> float | None:
    """Return the cost in US dollars that a response reports; None if it reports none.

    OpenRouter sends `cost`, in addition to which the upstream provider charges those who use
    their own key; xAI sends `cost_in_usd_ticks`, Perplexity `cost.total_cost`.

    Args:
        usage: The response's `usage` object; empty if it has none.
    """
    if ticks := as_count(usage.get("cost_in_usd_ticks")):
        return ticks / _TICKS_PER_USD
    cost = usage.get("cost")
    total = as_amount(as_map(cost).get("total_cost", cost))
    if total is not None and usage.get("is_byok") is True:
        upstream = as_map(usage.get("cost_details")).get("upstream_inference_cost")
        total += as_amount(upstream) or 0.0
    return total


def _count(usage: Mapping[str, object], places: Sequence[_Path]) -> int:
    for *outer, name in places:
        fields = usage
        for step in outer:
            fields = as_map(fields.get(step))
        if count := as_count(fields.get(name)):
            return count
    return 0
