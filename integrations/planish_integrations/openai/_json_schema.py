"""A JSON schema in the form OpenAI's API wants it."""

from collections.abc import Mapping
from typing import Any

from planish_integrations.transport.decoded import as_list, as_map, as_text

__all__ = ["named_schema"]


def named_schema(schema: Mapping[str, Any]) -> dict[str, object]:
    """The schema with a name, and whether the model can be held to it to the letter.

    "strict" needs every object to list all its properties as required and to allow no others
    (OpenAI's guide "Structured outputs"); a schema that does not is a wish, not a promise.
    """
    title = "".join(c if c.isalnum() and c.isascii() else "_" for c in as_text(schema.get("title")))
    return {"name": title[:64] or "answer", "schema": dict(schema), "strict": _strict(schema)}


def _strict(part: object) -> bool:
    fields = as_map(part)
    kind, properties = fields.get("type"), as_map(fields.get("properties"))
    if kind == "object" or properties:
        required = set(map(str, as_list(fields.get("required"))))
        if fields.get("additionalProperties") is not False or set(properties) - required:
            return False
    inner = [*fields.values(), *properties.values(), *as_map(fields.get("$defs")).values()]
    return all(_strict(p) for v in inner for p in ([v] if isinstance(v, dict) else as_list(v)))
