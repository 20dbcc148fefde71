"""Record in the trail of the run what no step returns: `record`."""

from typing import cast

from planish.context.scope import current
from planish.data.record import Record
from planish.data.trail import kind_of_record
from planish.errors import WiringError

__all__ = ["record"]


def record(record: Record, *, kind: str | None = None) -> None:
    """Add a record to the trail of the run: a diagnosis, an approval, a choice.

    What a step returns is in the trail of its own accord, if it is a `planish.data.Record`. This is
    for what happens within a step, or in a feedback policy. Outside a run it does nothing.

    Args:
        record: The record: a frozen dataclass of your own that derives from `Record`.
        kind: What it is; None (the default) for the name of its class in snake case.

    Raises:
        WiringError: it is no `Record`.
    """
    if not isinstance(cast("object", record), Record):
        raise WiringError(f"record({record!r}): must be a dataclass that derives from Record")
    ledger = current().ledger
    if ledger is not None:
        ledger.add_to_trail(kind or kind_of_record(record), record)
