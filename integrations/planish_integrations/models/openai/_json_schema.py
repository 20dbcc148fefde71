"""A JSON schema in the form OpenAI's API wants it."""

from collections.abc import Mapping
from typing import Any

from planish_integrations.models.transport.decoded import as_list, as_map, as_text

__all__ = ["named_schema"]

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
