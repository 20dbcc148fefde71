"""What could be left behind: on a pipeline, in the event loop, in the context."""

from collections.abc import Mapping
from types import FunctionType, MethodType
from typing import Any, cast

import anyio
from opentelemetry import trace
from tests.laws.kit import Tally

from planish.context.scope import current
from planish.stores import MemoryStore

__all__ = ["around", "state"]

# What is told apart by identity; a tally and a store are the caller's, and remember on purpose.
_WHOLE = (str, int, float, bytes, type(None), type, FunctionType, MethodType, Tally, MemoryStore)


def as_mapping(thing: Any) -> Mapping[Any, Any]:
    return thing  # type: ignore[no-any-return]


def state(thing: Any, seen: frozenset[int] = frozenset()) -> Any:
    """All that a pipeline holds, as deep as it goes, in a form that compares."""
    if isinstance(thing, _WHOLE) or id(thing) in seen:
        return id(thing)
    seen |= {id(thing)}
    if isinstance(thing, Mapping):
        return {key: state(value, seen) for key, value in as_mapping(thing).items()}
    if isinstance(thing, tuple | list):
        return [state(item, seen) for item in cast("list[Any]", thing)]
    held: dict[str, Any] = getattr(thing, "__dict__", {})
    return (id(thing), type(thing), {name: state(value, seen) for name, value in held.items()})


def around() -> Any:
    """What surrounds the running code: its scope, its span, the tasks of the loop."""
    tasks = {task.id for task in anyio.get_running_tasks()}
    return current(), trace.get_current_span(), tasks
