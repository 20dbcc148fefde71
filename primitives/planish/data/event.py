"""`Event`, the base class of all events of a run, of planish and of a user's own."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import ClassVar, Literal

from planish.data.record import Record

__all__ = ["Action", "Event"]

Action = Literal["generate", "regenerate", "execute", "analyze", "terminate"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Event(Record):
    """Base class of all events. Derive your own from it, and `emit` them in a step of yours.

    Example:
        A frozen dataclass with keywords only, and a `kind`:
        `class Retrieved(Event): kind: ClassVar[str] = "retrieved"; documents: int`.

    Attributes:
        kind: The name of the kind of event, in snake case.
        path: The segments of the path of the step, outermost first, for example
            ("Retry#2", "Race[0]"); see `planish.effects.current_path`.
        attempt: Attempt of the innermost loop, from 1; 0 outside a loop.
        run_id: Of the outermost run: 16 random hexadecimal digits.
        time: Seconds since the Unix epoch when it was emitted.
        trace_id: Of the trace, as 32 hexadecimal digits; None if the run is not traced.
        span_id: Of the current span, as 16 hexadecimal digits; None if the run is not traced.
    """

    kind: ClassVar[str]

    path: tuple[str, ...] = ()
    attempt: int = 0
    run_id: str = ""
    time: float = 0.0
    trace_id: str | None = None
    span_id: str | None = None

    @property
    def action(self) -> Action | None:
        """The agent action that the event stands for; None if it stands for none."""
        return None

    def fields(self) -> Mapping[str, str | float | bool | None]:
        """Return what a log shows of the event, besides what all events have.

        By default the fields of its class whose values are texts, numbers, truth values or None.
        """
        own = (field.name for field in fields(self) if field.name not in _COMMON)
        values = ((name, getattr(self, name)) for name in own)
        return {name: value for name, value in values if isinstance(value, _PLAIN)}


_COMMON = frozenset(field.name for field in fields(Event))
_PLAIN = (str, int, float, bool, type(None))
