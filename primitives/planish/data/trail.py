"""`TrailEntry`: one thing that happened in a run, in the order in which a report lists them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, cast

from planish.data.attempt import Attempt
from planish.data.record import Record, from_tree, to_tree
from planish.data.task import Task

__all__ = ["ATTEMPT", "TrailEntry", "kind_of_record"]

ATTEMPT = "attempt"
"""The kind of the entry of an attempt."""

_LONGEST = 10_000  # characters of a record that cannot be converted to JSON


class _AsPart:
    """Marker of a record: an attempt is its index in JSON, any other record its fields."""

    def __get_pydantic_core_schema__(self, _source: Any, _handler: Any) -> Any:
        from pydantic_core import core_schema  # noqa: PLC0415 - loaded only to serialise

        return core_schema.any_schema(
            serialization=core_schema.plain_serializer_function_ser_schema(_to_part)
        )


def _to_part(record: Any) -> Any:
    if isinstance(record, Attempt):
        return record.index
    if not isinstance(record, Record):
        return record
    try:
        tree = to_tree(record)
        return tree if _is_plain(tree) else to_tree(record, mode="json")
    except Exception:  # noqa: BLE001 - of a user's own; the report must be writable
        return repr(record)[:_LONGEST]


def _is_plain(tree: Any) -> bool:
    """Return whether a tree has only what a document can hold."""
    if isinstance(tree, dict):
        entries = cast("Any", tree).items()
        return all(isinstance(name, str) and _is_plain(part) for name, part in entries)
    if isinstance(tree, list | tuple):
        parts = cast("Sequence[Any]", tree)
        return all(map(_is_plain, parts))
    return tree is None or isinstance(tree, bool | int | float | str)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrailEntry(Record):
    """One thing that happened in a run.

    Attributes:
        kind: "attempt"; "task" for a task that a step made; else the name of the record's class
            in snake case, or the kind that `planish.effects.record` was given.
        record: The attempt, as in the report's history, or the record that a step returned. After
            JSON, records of your own types are dicts of their fields.
        path: The segments of the path where it happened, outermost first.
        time: When it happened, in seconds since the Unix epoch.
    """

    kind: str
    record: Annotated[Any, _AsPart()]
    path: tuple[str, ...] = ()
    time: float = field(default=0.0, compare=False)

    def _check_read(self) -> None:
        if self.kind == ATTEMPT and type(self.record) is not int:
            raise ValueError("the entry of an attempt has its index in the history")

    def __post_init__(self) -> None:
        tree: object = self.record
        if self.kind == "task" and isinstance(tree, Mapping):
            object.__setattr__(self, "record", from_tree(Task, cast("object", tree)))


def kind_of_record(record: Record) -> str:
    """Return the kind of a record in a trail: the name of its class in snake case."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", type(record).__name__).lower()
