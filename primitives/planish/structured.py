"""Answers as values: a model is asked for JSON of a schema, and once more where it errs.

Models that take a schema are sent it (`Request.schema`); all are told it in words, so that any
`Model` will do. What comes back is checked here, whoever promised it.
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
# The words of a schema behind which other schemas stand: by name, in a list, or one.
_SCHEMA_MAPS = ("properties", "$defs", "patternProperties")
_SCHEMA_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
_SINGLE_SCHEMAS = ("items", "additionalProperties", "not", "contains")
_ANSWER_CHARS = 4_000  # characters of a wrong answer that are shown back: room for the real ones


async def ask_for(model: Model, request: Request, kind: type[T]) -> T:
    """Ask a model for a value of a type, within the budget, traced.

    Where the answer is no such value, the model is asked once more and shown what is wrong with
    it. Both requests count: see `planish.ask`.

    Args:
        model: Whom to ask.
        request: The question; the schema is added to it.
        kind: A pydantic model, a dataclass, or any type pydantic knows.

    Returns:
        The value.

    Raises:
        ModelError: the second answer is no such value either, or a filter stopped one. And the
            other errors of `planish.ask`.
    """
    adapter = TypeAdapter(kind)
    schema = schema_of(kind)
    wanted = "Answer with JSON only, no other text, that fits this JSON schema:\n"
    told = Message("user", wanted + json.dumps(schema, ensure_ascii=False))
    first = replace(request, messages=(*request.messages, told), schema=schema)
    reply = await ask(model, first)
    value, wrong = _parse(adapter, reply)
    if value is None:
        shown = reply.text[:_ANSWER_CHARS] or "(nothing)"
        again = (
            Message("assistant", shown),
            Message("user", f"That does not fit: {wrong}\nAnswer again, with JSON only."),
        )
        reply = await ask(model, replace(first, messages=(*first.messages, *again)))
        value, wrong = _parse(adapter, reply)
    if value is None:
        raise ModelError(
            f"{model.provider}'s {model.name} answered twice with what is no "
            f"{getattr(kind, '__name__', kind)!s}: {wrong}",
            request_id=reply.request_id,
        )
    return value[0]


def schema_of(kind: Any) -> dict[str, Any]:
    """The JSON schema of a type, with every field required and no others allowed.

    So providers can hold a model to it to the letter. A field that has a default is still said
    by the model; only objects whose keys are not known beforehand stay open.

    Args:
        kind: Any type pydantic knows.
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
    """What stands behind a word of a schema, with the schemas in it closed."""
    if word in _SCHEMA_MAPS:
        return {name: _close_schema(schema) for name, schema in value.items()}
    if word in _SCHEMA_LISTS:
        return [_close_schema(schema) for schema in value]
    if word in _SINGLE_SCHEMAS and isinstance(value, dict):
        return _close_schema(cast("Mapping[str, Any]", value))
    kept: Any = value
    return kept


def _parse(adapter: TypeAdapter[T], reply: Reply) -> tuple[tuple[T] | None, str]:
    """The value, in a tuple as it may be None itself; and what is wrong where there is none."""
    if reply.finish_reason == "content_filter":
        raise ModelError(
            f"the answer was stopped by a filter: {reply.text[:200]!r}", request_id=reply.request_id
        )
    wrong = ""
    for text in _json_candidates(reply.text):
        try:
            return (adapter.validate_json(text),), ""
        except ValidationError as error:
            wrong = wrong or _describe(error)
    if reply.finish_reason == "length":
        wrong = f"it was cut off at the most tokens allowed; be shorter ({wrong})"
    return None, wrong


def _json_candidates(text: str) -> Iterator[str]:
    """Where JSON may be in an answer: all of it, its last fenced block, its outermost braces."""
    yield text.strip()
    if fenced := _FENCE.findall(text):
        yield fenced[-1]
    begin, end = text.find("{"), text.rfind("}")
    if 0 <= begin < end:
        yield text[begin : end + 1]


def _describe(error: ValidationError) -> str:
    """What pydantic found, without its links and without what the model wrote."""
    found = error.errors(include_url=False, include_context=False, include_input=False)
    lines = (f"{'.'.join(map(str, e['loc'])) or 'the answer'}: {e['msg']}" for e in found[:20])
    return "; ".join(lines)
