"""What a session holds between its steps."""

from dataclasses import dataclass

from planish.data._record import Record

__all__ = ["Variable"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable(Record):
    """One variable of a session, in short: the value itself stays where it is.

    Attributes:
        name: Its name.
        type: The name of its class.
        shape: Rows, columns and so on, or the number of items; None where it has none.
        preview: The value as text, bounded: of a table 30 rows, of a text 100 characters, of a
            collection 3 items.
    """

    name: str
    type: str
    shape: tuple[int, ...] | None = None
    preview: str = ""
