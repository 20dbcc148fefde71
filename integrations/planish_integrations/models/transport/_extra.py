"""Fields that a user adds to the body of each request."""

from collections.abc import Mapping
from typing import Any, cast

from planish_integrations.models.transport._secret import holds_secret
from planish_integrations.models.transport.json_values import as_list, as_map, decode, encode

__all__ = ["Fields", "merge_fields", "validate_extra", "without_secrets"]


class Fields(dict[str, object]):
    """Fields of a request's body; the repr has their names only, since values may be secrets."""

    def __repr__(self) -> str:
        return f"Fields({', '.join(self)})"


def validate_extra(extra: Mapping[str, Any], reserved: frozenset[str]) -> Mapping[str, object]:
    """Return a copy of the fields, as JSON reads them back.

    Args:
        extra: What the user adds.
        reserved: The fields that the protocol sets.

    Raises:
        ValueError: a field is one that the protocol sets.
        TypeError: a value has no JSON form.
    """
    if conflicts := reserved & extra.keys():
        raise ValueError(f"extra may not set {', '.join(sorted(conflicts))}: planish sets them")
    return as_map(decode(encode(dict(extra))))  # a copy; what JSON cannot represent fails here


def merge_fields(body: Mapping[str, object], extra: Mapping[str, object]) -> dict[str, object]:
    """Return both with `extra` overriding; objects that are in both are merged likewise."""
    both = {**body, **extra}
    for name in body.keys() & extra.keys():
        ours, theirs = as_map(body[name]), as_map(extra[name])
        if ours and theirs:
            both[name] = merge_fields(ours, theirs)
    return both


def without_secrets(value: Any) -> Any:
    """Return decoded JSON with "***" in the place of each secret, at any depth."""
    kind = cast("Any", type(value))
    if issubclass(kind, Mapping):
        return {
            name: "***"
            if isinstance(item, str) and holds_secret(str(name))
            else without_secrets(item)
            for name, item in value.items()
        }
    return [without_secrets(item) for item in as_list(value)] or value
