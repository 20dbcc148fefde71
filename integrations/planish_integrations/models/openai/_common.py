"""What both of OpenAI's protocols share: server differences, JSON schemas, token counts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from planish.data.message import Request
from planish.data.usage import Usage
from planish.errors import UnsupportedError
from planish_integrations.models.transport.json_values import as_count, as_list, as_map, as_text

__all__ = ["Dialect", "named_schema", "refuse", "usage_of", "written_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """What one server of the chat-completions API calls things, and what it does not take.

    Attributes:
        max_tokens: Its name of `Request.max_tokens`. OpenAI's reasoning models refuse the old
            name, "max_tokens"; few other servers know the new one.
        seed: Its name of `Request.seed`; None where it takes none.
        stop: It takes `Request.stop`.
        stream_usage: A streamed answer has to be asked for its usage. Servers that tell it
            unasked may refuse the question.
        schema: "json_schema" where it takes `Request.schema`; "json_object" where it can only
            be told to answer with JSON of any kind; None where not even that.
        key_header: The header that bears the key: "authorization" as a bearer, any other as
            it is.
    """

    max_tokens: str = "max_tokens"
    seed: str | None = "seed"
    stop: bool = True
    stream_usage: bool = True
    schema: Literal["json_schema", "json_object"] | None = "json_schema"
    key_header: str = "authorization"

    def key_headers(self, key: str) -> dict[str, str]:
        """The header for this key; none for an empty one."""
        if not key:
            return {}
        bearer = self.key_header == "authorization"
        return {self.key_header: f"Bearer {key}" if bearer else key}


def refuse(request: Request, whose: str, *, seed: bool = False, stop: bool = False) -> None:
    """Refuse a request that wishes what a provider does not take.

    It is never left out in silence: who asks for a seed counts on it.

    Args:
        request: The question.
        whose: Whose model it is, for the message.
        seed: `Request.seed` is not taken.
        stop: `Request.stop` is not taken.

    Raises:
        UnsupportedError: the request sets one of those.
    """
    wishes = {"seed": seed and request.seed is not None, "stop": stop and bool(request.stop)}
    for name, refused in wishes.items():
        if refused:
            raise UnsupportedError(f"{whose} take no {name!r}: leave Request.{name} out")


# Behind these stand values or names, not schemas.
_VALUES = ("properties", "$defs", "enum", "const", "default", "examples", "required")


def named_schema(schema: Mapping[str, Any]) -> dict[str, object]:
    """The schema with a name, and whether the model can be held to it to the letter.

    "strict" needs every object to list all its properties as required and to allow no others
    (OpenAI's guide "Structured outputs"); a schema that does not is a wish, not a promise.
    """
    title = "".join(c if c.isalnum() and c.isascii() else "_" for c in as_text(schema.get("title")))
    return {"name": title[:64] or "answer", "schema": dict(schema), "strict": _strict(schema)}


def _strict(part: object) -> bool:
    if items := as_list(part):
        return all(_strict(item) for item in items)
    fields = as_map(part)
    properties = as_map(fields.get("properties"))
    if fields.get("type") == "object" or properties:
        required = set(map(str, as_list(fields.get("required"))))
        if fields.get("additionalProperties") is not False or set(properties) - required:
            return False
    named = {**as_map(fields.get("$defs")), **properties}
    others = [value for word, value in fields.items() if word not in _VALUES]
    return all(_strict(inner) for inner in [*others, *named.values()])


_Path = tuple[str, ...]

# Where servers put each count; the first that is not 0 counts. Chat completions and Responses
# call the same things differently; DeepSeek and Together have names of their own for the cache.
_INPUT: Sequence[_Path] = (("prompt_tokens",), ("input_tokens",))
_OUTPUT: Sequence[_Path] = (("completion_tokens",), ("output_tokens",))
_CACHED: Sequence[_Path] = (
    ("prompt_tokens_details", "cached_tokens"),
    ("input_tokens_details", "cached_tokens"),
    ("prompt_cache_hit_tokens",),
    ("cached_tokens",),
)
_WRITTEN: Sequence[_Path] = (
    ("prompt_tokens_details", "cache_write_tokens"),
    ("input_tokens_details", "cache_write_tokens"),
)
_REASONING: Sequence[_Path] = (
    ("completion_tokens_details", "reasoning_tokens"),
    ("output_tokens_details", "reasoning_tokens"),
)


def usage_of(told: Mapping[str, object]) -> Usage:
    """The tokens of one answer; what the provider does not tell counts as 0.

    Args:
        told: The answer's `usage` object; empty where there is none.
    """
    return Usage(
        input_tokens=_count(told, _INPUT),
        output_tokens=_count(told, _OUTPUT),
        cached_tokens=_count(told, _CACHED),
        reasoning_tokens=_count(told, _REASONING),
    )


def written_of(told: Mapping[str, object]) -> int:
    """Of its input tokens, those written to the provider's cache."""
    return _count(told, _WRITTEN)


def _count(told: Mapping[str, object], places: Sequence[_Path]) -> int:
    for *outer, name in places:
        fields = told
        for step in outer:
            fields = as_map(fields.get(step))
        if count := as_count(fields.get(name)):
            return count
    return 0
