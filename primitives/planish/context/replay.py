"""Record what a step had produced when it was cut short, and restore it from the record.

How far a step gets that its time, an error or the winner of a race ends depends on the moment.
With interceptors, what it has produced until then is therefore part of the decision that ended
it. A journal that answers the decision answers for the step too: the step is not run again.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from planish import errors
from planish.abc import Clock
from planish.context.admission import charge
from planish.context.interception import decide
from planish.context.ledger import Ledger
from planish.context.scope import current
from planish.context.time import run_for
from planish.data.record import Record
from planish.data.report import Report
from planish.data.usage import Usage

__all__ = ["Endings", "Raised", "Reached", "run_until"]

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Raised(Record):
    """An error that a step raised and that did not end the run, as a journal records it.

    Attributes:
        type: The name of its class.
        message: Its message.
    """

    type: str
    message: str

    @classmethod
    def of(cls, error: Exception) -> "Raised":
        """Return the record of an error."""
        return cls(type(error).__name__, str(error))

    def to_error(self) -> Exception:
        """Return an error of the same name and message.

        An error of planish is of its own class, without what is not in the message. Any other is
        of a new class with the same name.
        """
        kind: Any = getattr(errors, self.type, None)
        if not (isinstance(kind, type) and issubclass(kind, errors.PlanishError)):
            kind = type(self.type, (Exception,), {})
        try:
            return cast("Exception", kind(self.message))
        except TypeError:  # its constructor needs more than a message
            error = cast("Exception", kind.__new__(kind))
            error.args = (self.message,)
            return error


@dataclass(frozen=True, slots=True, kw_only=True)
class Reached(Record):
    """What a step had produced that ended without a result, as a journal records it.

    Attributes:
        report: The attempts that it had made; None if there were none.
        usage: What it had used.
        error: What it raised; None if it was cancelled.
    """

    report: Report | None
    usage: Usage
    error: Raised | None = None

    def restore(self) -> None:
        """Record it in the ledger of the scope, and charge the usage to the ledger and budgets."""
        scope = current()
        charge(scope.budgets, self.usage)
        if scope.ledger is not None:
            scope.ledger.spend(self.usage)
            scope.ledger.record(self.report)
            scope.ledger.abandon()  # its attempts have their usage already


@dataclass(frozen=True, slots=True, kw_only=True)
class Endings(Record):
    """How the steps of a combinator ended, as a journal records it.

    Attributes:
        cut: What each step had produced that ended without a result; None for those that
            returned one. These are run again, and their effects are answered from the journal.
        winner: Index of the step whose end cancelled the others; None if none did.
    """

    cut: tuple[Reached | None, ...]
    winner: int | None = None


async def run_until(
    name: str, call: Callable[[], Awaitable[R]], seconds: float, clock: Clock, ledger: Ledger
) -> list[R]:
    """Run a step until it ends, or its time is over: which of the two it was is an effect.

    Args:
        name: What limits the time.
        call: Runs the step.
        seconds: The time.
        clock: What it is measured by.
        ledger: Of this step alone.

    Returns:
        Its result; nothing if it was cancelled because its time was over.
    """
    results: list[R] = []

    async def race_the_clock() -> Endings:
        results.extend(await run_for(call, seconds, clock))
        if results:
            return Endings(cut=(None,))
        return Endings(cut=(Reached(report=ledger.partial_report("timeout"), usage=ledger.usage),))

    async def repeat(endings: Endings) -> None:
        (reached,) = endings.cut
        if reached is None:
            results.append(await call())
        else:
            reached.restore()

    if current().interceptors:
        await decide(name, race_the_clock, Endings, repeat=repeat)
    else:
        results.extend(await run_for(call, seconds, clock))
    return results
