"""Repeat from records what a step had reached when it was cut short.

A journal answers the effects that it has recorded. Where it has recorded too that a step was cut
short, because its time was over, because it raised, or because another branch had won, the step
is run again only as far as it got then: it is recorded how many of its effects were answered. An
effect beyond that is not made, but waits to be cancelled.
"""

from collections import Counter
from collections.abc import Awaitable, Callable, Generator, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from math import inf
from typing import Any, NoReturn, TypeVar, cast

import anyio
import anyio.lowlevel

from planish import errors
from planish.context.interception import Effect, Proceed, decide
from planish.context.path import format_path
from planish.context.scope import current, override_context
from planish.data.record import Record

__all__ = ["Raised", "Reached", "Replayed", "Tracker", "run_again", "run_until"]

R = TypeVar("R")

_QUIET_ROUNDS = 100
"""For so many rounds of the event loop nothing has to happen before a step counts as at its end."""


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


@dataclass(frozen=True, slots=True)
class Reached(Record):
    """How far a step got that ended without a result, as a journal records it.

    Attributes:
        answered: How many effects were answered in it, by what they are.
        error: What it raised; None if it was cancelled.
    """

    answered: Mapping[str, int]
    error: Raised | None = None


class Tracker:
    """Counts the effects that are answered in a step, and in the steps around it."""

    __slots__ = ("_outer", "answered")

    def __init__(self) -> None:
        self._outer: Tracker | None = current().tracker
        self.answered: Counter[str] = Counter()

    def count(self, effect: Effect[Any]) -> None:
        """Count one effect."""
        name = _name(effect)
        tracker: Tracker | None = self
        while tracker is not None:
            tracker.answered[name] += 1
            tracker = tracker._outer  # noqa: SLF001 - its own class

    def reached(self, error: Exception | None = None) -> Reached:
        """Return how far the step got.

        Args:
            error: What it raised, if anything.
        """
        return Reached(dict(self.answered), None if error is None else Raised.of(error))

    async def run(self, call: Callable[[], Awaitable[R]]) -> R:
        """Run the step."""
        with override_context(tracker=self):
            return await call()


def _name(effect: Effect[Any]) -> str:
    return f"{format_path(effect.path)} {effect.kind} {effect.name}"


class Replayed:
    """A step that is run again as far as it got when it was cut short.

    Args:
        reached: How far it got.
    """

    __slots__ = ("_active", "_begun", "_left", "_outer")

    def __init__(self, reached: Reached) -> None:
        self._left: Counter[str] = Counter(reached.answered)
        self._outer: Replayed | None = current().replayed
        self._active = 0
        self._begun = 0

    def _chain(self) -> Iterator["Replayed"]:
        step: Replayed | None = self
        while step is not None:
            yield step
            step = step._outer  # noqa: SLF001 - its own class

    async def answer(self, effect: Effect[R], answer: Callable[[Proceed[R]], Awaitable[R]]) -> R:
        """Let the interceptors answer an effect if it was answered then; else wait.

        Args:
            effect: The effect, other than a decision.
            answer: Asks the interceptors, with what they are to call if they have no record.
        """
        if not self.takes(effect):
            await anyio.sleep_forever()
        with self.busy():
            return await answer(self._block)

    def takes(self, effect: Effect[Any]) -> bool:
        """Return whether an effect was answered then, and count it."""
        name = _name(effect)
        if any(step._left[name] < 1 for step in self._chain()):  # noqa: SLF001 - its own class
            return False
        for step in self._chain():
            step._left[name] -= 1  # noqa: SLF001 - its own class
        return True

    def _count(self, change: int) -> None:
        for step in self._chain():
            step._active += change  # noqa: SLF001 - its own class
            step._begun += change > 0  # noqa: SLF001 - its own class

    @contextmanager
    def busy(self) -> Generator[None]:
        """Say that something is going on in the step, for a `with` block."""
        self._count(1)
        try:
            yield
        finally:
            self._count(-1)

    async def _block(self) -> NoReturn:
        """Wait to be cancelled, in place of an effect whose record is missing."""
        self._count(-1)
        try:
            await anyio.sleep_forever()
        finally:
            self._count(1)
        raise AssertionError("sleep_forever has returned")

    async def settled(self) -> None:
        """Wait until nothing goes on in the step: it has got as far as it had."""
        with self._outer.busy() if self._outer is not None else nullcontext():
            quiet = 0
            while quiet < _QUIET_ROUNDS:
                begun = self._begun
                # An effect that is looked up may wait for a disk: do not spin.
                await (anyio.sleep(0.001) if self._active else anyio.lowlevel.checkpoint())
                quiet = 0 if self._active or self._begun != begun else quiet + 1


async def run_again(call: Callable[[], Awaitable[Any]], reached: Reached) -> None:
    """Run a step again as far as it got when it was cut short, then cancel it.

    What it has produced is in the ledger. What it raises is raised.

    Args:
        call: Runs the step.
        reached: How far it got.
    """
    replayed = Replayed(reached)
    raised: list[Exception | errors.Suspended] = []
    async with anyio.create_task_group() as group:

        async def run() -> None:
            try:
                with override_context(replayed=replayed):
                    await call()
            except (Exception, errors.Suspended) as error:  # noqa: BLE001 - raised below
                raised.append(error)
            group.cancel_scope.cancel()

        group.start_soon(run)
        await replayed.settled()
        group.cancel_scope.cancel()
    if raised:
        raise raised[0]


async def run_until(name: str, call: Callable[[], Awaitable[R]], deadline: float) -> list[R]:
    """Run a step until it ends, or until a deadline: which of the two it was is an effect.

    Args:
        name: What sets the deadline.
        call: Runs the step.
        deadline: The time, in seconds of anyio's clock.

    Returns:
        Its result; nothing if the deadline passed.
    """
    results: list[R] = []

    async def race_the_clock() -> Reached | None:
        tracker = Tracker()
        # A step that is run again was cut short by something else, before this time was over.
        with anyio.CancelScope(deadline=inf if current().replayed else deadline):
            results.append(await tracker.run(call))
        return None if results else tracker.reached()

    async def repeat(reached: Reached | None) -> None:
        if reached is None:
            results.append(await call())
        else:
            await run_again(call, reached)

    if current().interceptors:
        await decide(name, race_the_clock, Reached | None, repeat=repeat)
    else:
        with anyio.CancelScope(deadline=deadline):
            results.append(await call())
    return results
