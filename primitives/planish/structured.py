"""Structured output: request a value of a type from a model, as JSON of a schema.

The schema is sent as `Request.schema` to providers that accept one, and in the prompt to all, so
that every `Model` can be used. The reply is validated here in both cases.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeVar, cast

from pydantic import TypeAdapter, ValidationError

from planish.abc import Model
from planish.data.message import Message, Reply, Request
from planish.effects import ask
from planish.errors import ModelError

__all__ = ["ask_for", "schema_of"]

T = TypeVar("T")

_FENCE = re.compile(r"```[a-zA-Z]*\s*\n(.*?)\n?\s*```", re.DOTALL)
# The keywords of a schema whose values are schemas: by name, in a list, or a single one.
_SCHEMA_MAPS = ("properties", "$defs", "patternProperties")
_SCHEMA_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
_SINGLE_SCHEMAS = ("items", "additionalProperties", "not", "contains")
_REPLY_CHARS = 4_000  # of an invalid reply that are sent back: more than real replies have


async def ask_for(model: Model, request: Request, kind: type[T]) -> T:
    """Request a value of a type from a model, within the budget and with a span.

    If the reply is not such a value, one more request is sent, which says what is wrong. Both
    requests count towards the budget: see `planish.effects.ask`.

    Args:
        model: The model.
        request: The request, without the schema, which is added to it.
        kind: A pydantic model, a dataclass, or any other type that pydantic supports.

    Returns:
        The value.

    Raises:
        ModelError: the second reply is not such a value either, or a content filter stopped a
            reply. Also the other errors of `planish.effects.ask`.
    """
    adapter = TypeAdapter(kind)
    schema = schema_of(kind)
    instruction = "Answer with JSON only, no other text, that fits this JSON schema:\n"
    message = Message("user", instruction + json.dumps(schema, ensure_ascii=False))
    first = replace(request, messages=(*request.messages, message), schema=schema)
    reply = await ask(model, first)
    value, error = _parse(adapter, reply)
    if value is None:
        correction = (
            Message("assistant", reply.text[:_REPLY_CHARS] or "(nothing)"),
            Message("user", f"That does not fit: {error}\nAnswer again, with JSON only."),
        )
        reply = await ask(model, replace(first, messages=(*first.messages, *correction)))
        value, error = _parse(adapter, reply)
    if value is None:
        raise ModelError(
            f"two replies of {model.provider}'s {model.name} are not a valid "
            f"{getattr(kind, '__name__', kind)!s}: {error}",
            request_id=reply.request_id,
        )
    return value[0]


def schema_of(kind: Any) -> dict[str, Any]:
    """Return the JSON schema of a type, with every field required and no other field allowed.

    Providers can enforce only such schemas strictly. Fields with a default are required too;
    objects whose keys are not known beforehand allow any key.

    Args:
        kind: Any type that pydantic supports.
    """
    return _close_schema(TypeAdapter(kind).json_schema())


def _close_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    closed = {
        word: _close_value(word, value) for word, value in schema.items() if word != "default"
    }
    if schema.get("type") == "object" and "properties" in schema:
        closed["required"] = list(schema["properties"])
        closed.setdefault("additionalProperties", False)
    return closed


def _close_value(word: str, value: Any) -> Any:
    """Return the value of a schema's keyword, with the schemas in it closed."""
    if word in _SCHEMA_MAPS:
        return {name: _close_schema(schema) for name, schema in value.items()}
    if word in _SCHEMA_LISTS:
        return [_close_schema(schema) for schema in value]
    if word in _SINGLE_SCHEMAS and isinstance(value, dict):
        return _close_schema(cast("Mapping[str, Any]", value))
    unchanged: Any = value
    return unchanged


def _parse(adapter: TypeAdapter[T], reply: Reply) -> tuple[tuple[T] | None, str]:
    """Return the value, in a tuple as it may be None itself, and what is wrong if there is none."""
    if reply.finish_reason == "content_filter":
        raise ModelError(
            f"a content filter stopped the reply: {reply.text[:200]!r}", request_id=reply.request_id
        )
    message = ""
    for text in _json_candidates(reply.text):
        try:
            return (adapter.validate_json(text),), ""
        except ValidationError as error:
            message = message or _describe(error)
    if reply.finish_reason == "length":
        message = f"it was cut off at the maximum of tokens; be shorter ({message})"
    return None, message


def _json_candidates(text: str) -> Iterator[str]:
    """Yield the parts of a reply that may be JSON: all, the last code block, the outer braces."""
    yield text.strip()
    if fenced := _FENCE.findall(text):
        yield fenced[-1]
    begin, end = text.find("{"), text.rfind("}")
    if 0 <= begin < end:
        yield text[begin : end + 1]


def _describe(error: ValidationError) -> str:
    """Return pydantic's messages, without links and without the model's text."""
    errors = error.errors(include_url=False, include_context=False, include_input=False)
    lines = (f"{'.'.join(map(str, e['loc'])) or 'the answer'}: {e['msg']}" for e in errors[:20])
    return "; ".join(lines)
