"""Format values and calls as source code would show them, without addresses or secrets.

Used by the `repr` of primitives, judges and stop rules.
"""

import dataclasses
import functools
import inspect
import re
import threading
from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any, cast

__all__ = ["format_bounded", "format_call", "format_value"]

_LONGEST = 200  # characters of one text; a prompt may have thousands
_HIDDEN = "***"
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_LOGIN = re.compile(r"://[^/@\s]+@")
_SECRET = re.compile(
    r"(^|[^a-z])(api_?key|password|passwd|secret|token|credentials?|auth|authorization)$"
)


class _Room(threading.local):
    """How many characters may still be formatted in this thread; None if not limited."""

    left: int | None = None


_room = _Room()


def format_bounded(value: object, limit: int = 200) -> str:
    """Format a value as `format_value` does, cut to a number of characters.

    Parts that would not be seen are not formatted: a pipeline whose parts are shared can have a
    text that is longer than any memory.

    Args:
        value: Any value.
        limit: The most characters of the result.
    """
    outer = _room.left
    _room.left = limit
    try:
        text = format_value(value)
    except RecursionError:
        text = f"{type(value).__name__}(…)"
    finally:
        _room.left = outer
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def format_value(value: object) -> str:
    """Format a value as source code would show it.

    Functions and classes are formatted by their qualified name; objects without a `repr` of
    their own by the name of their class, with their `name` if it is a text, as models and
    sandboxes have it; dataclasses by the fields that differ from their defaults. Texts longer
    than 200 characters are cut. No memory address is in the result.

    Args:
        value: Any value.
    """
    if _room.left is None:
        return _format(value)
    if _room.left <= 0:
        return "…"
    text = _format(value)
    _room.left -= len(text)
    return text


def _format(value: object) -> str:
    kind = type(value)
    if isinstance(value, str | bytes):
        return _format_text(value)
    if isinstance(value, functools.partial):  # a routine too from Python 3.14 on
        partial = cast("functools.partial[Any]", value)  # type: ignore[redundant-cast]  # pyright: Unknown
        return format_call("partial", (partial.func, *partial.args), partial.keywords)
    if isinstance(value, type) or inspect.isroutine(value):
        return _short_name(cast("Any", value))
    if isinstance(value, Enum):
        return f"{kind.__name__}.{value.name}"
    if kind in (dict, list, tuple, set, frozenset):
        return _format_container(value)
    if dataclasses.is_dataclass(kind) and hasattr(kind.__repr__, "__wrapped__"):
        return format_call(_short_name(kind), (), _changed_fields(value))
    if kind.__repr__ is object.__repr__:
        name: object = getattr(value, "name", None)
        return (
            format_call(_short_name(kind), (name,)) if isinstance(name, str) else _short_name(kind)
        )
    return _LOGIN.sub(f"://{_HIDDEN}@", _ADDRESS.sub("", repr(value)))


def format_call(
    name: str, positional: Iterable[object], by_name: Mapping[str, object] | None = None
) -> str:
    """Format a call as source code would show it.

    Args:
        name: What is called.
        positional: The positional arguments.
        by_name: The keyword arguments. A text is hidden if its keyword names a secret, as
            `api_key`, `password` and `token` do.
    """
    parts = [format_value(value) for value in positional]
    parts += [f"{key}={_format_named(key, value)}" for key, value in (by_name or {}).items()]
    return f"{name}({', '.join(parts)})"


def _format_named(name: object, value: object) -> str:
    named = isinstance(name, str) and _SECRET.search(name.lower())
    return repr(_HIDDEN) if named and isinstance(value, str | bytes) else format_value(value)


def _format_text(text: str | bytes) -> str:
    if len(text) > _LONGEST:
        beginning = repr(text[:_LONGEST])
        text_repr = f"{beginning[:-1]}…{beginning[-1]}"
    else:
        text_repr = repr(text)
    return _LOGIN.sub(f"://{_HIDDEN}@", text_repr)


def _format_container(container: Any) -> str:
    if isinstance(container, dict):
        items = cast("dict[object, object]", container).items()
        pairs = (f"{format_value(key)}: {_format_named(key, item)}" for key, item in items)
        return f"{{{', '.join(pairs)}}}"
    members = [format_value(member) for member in cast("Iterable[object]", container)]
    if isinstance(container, tuple):
        return f"({', '.join(members)}{',' if len(members) == 1 else ''})"
    if isinstance(container, list):
        return f"[{', '.join(members)}]"
    members.sort()  # the order of a set differs between processes
    formatted = f"{{{', '.join(members)}}}" if members else ""
    if isinstance(container, frozenset):
        return f"frozenset({formatted})"
    return formatted or "set()"


def _changed_fields(record: Any) -> dict[str, object]:
    changed: dict[str, object] = {}
    for field in dataclasses.fields(record):
        value: object = getattr(record, field.name)
        default: object = field.default
        if field.default_factory is not dataclasses.MISSING:
            default = field.default_factory()
        if field.repr and field.init and value is not default and value != default:
            changed[field.name] = value
    return changed


def _short_name(thing: Any) -> str:
    # Source code does not name the function in which a local function is defined.
    name: str = getattr(thing, "__qualname__", None) or type(thing).__qualname__
    return name.rpartition("<locals>.")[2]
