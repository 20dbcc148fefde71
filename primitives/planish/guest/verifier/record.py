"""Record how asserts and tests end, one record for each change of state."""

from __future__ import annotations

from time import perf_counter

from .bounds import VALUE
from .guard import name_of
from .instrument import COMPARE
from .show import show, show_sides

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .channel import Put
    from .evidence import Evidence
    from .failure import Witness

__all__ = ["Recorder", "finish_test"]


class Recorder:
    """Run tests one after the other and record how they and their asserts end.

    A test has passed only when a record says so. Of an assert, the first evaluation, its
    passing, the first repetition and the failure are recorded, so that a loop of a million
    costs three records.

    Args:
        put: Where to.
        witness: Called with everything that is raised.
        evidence: Counts the uses of the candidate.
    """

    def __init__(self, put: Put, witness: Witness, evidence: Evidence) -> None:
        self.put = put
        self.witness = witness
        self.evidence = evidence
        self.uses: int = 0
        self.test: Any = None
        self.states: dict[tuple[Any, int], str] = {}
        self.started: float = 0.0

    def begin(self, test: Any) -> None:
        """Record that a test has started."""
        self.test = test
        self.witness.loaded = True
        self.uses = self.evidence.uses
        self.evidence.asserted = False
        self.put("begin", test=test)
        self.evidence.watch()
        self.started = perf_counter()

    def passed(self, *, relies: bool = False) -> None:
        """Record that a test has passed.

        Args:
            relies: It uses values that were made of the candidate's before it was begun.
        """
        self.evidence.unwatch()
        if not relies and self.evidence.uses == self.uses:
            self.put("unused", test=self.test)
        self.put("passed", test=self.test, seconds=perf_counter() - self.started)

    def skipped(self, message: str, *, expected: bool = False, mark: str = "") -> None:
        """Record that a test was skipped, or failed as expected.

        Args:
            message: Why.
            expected: It has run, and failed.
            mark: The mark of its parameters: "skip" or "xfail".
        """
        self.evidence.unwatch()
        untouched = self.evidence.uses == self.uses
        facts = {"message": message, "untouched": untouched, "expected": expected}
        facts |= {"mark": mark} if mark else {}
        self.put("skipped", test=self.test, **facts)

    def raised(self, error: BaseException) -> None:
        """Record that a test has raised; a skip is not a failure."""
        seconds = perf_counter() - self.started
        self.evidence.unwatch()
        if name_of(error) in ("SkipTest", "Skipped"):
            self.skipped(str(error))
        else:
            self.put("raised", test=self.test, seconds=seconds, **self.witness.raised(error))

    def outside(self, error: BaseException, *, used: bool) -> None:
        """Record what was raised outside of the tests that have numbers.

        Args:
            error: A skip is none that the code may have decided.
            used: The code was used before.
        """
        if used or name_of(error) not in ("SkipTest", "Skipped"):
            self.put("setup", **self.witness.raised(error))

    def run(self, test: Any, call: Callable[[], Any], relies: Callable[[], bool]) -> None:
        """Run a test. What it returns is awaited where it is a coroutine.

        Args:
            test: Its number or name.
            call: Runs it.
            relies: Tells whether it uses what was made of the candidate's values before.
        """
        self.begin(test)
        try:
            finish(call())
        except BaseException as error:  # noqa: BLE001  # a test may raise what it likes
            self.raised(error)
        else:
            self.passed(relies=relies())

    def hook(self, line: int) -> Callable[..., bool]:
        """Record the start of an assert; return a function that takes its values."""
        self.evidence.asserted = True
        key = (self.test, line)
        state = self.states.get(key)
        if state is None:
            self._state(key, "begun")
        elif state == "passed":
            self._state(key, "repeated")

        def saw(operator: str, left: Any, right: Any = None) -> bool:
            compare = COMPARE.get(operator)
            value = compare(left, right) if compare else left
            truth = not value if operator == "Not" else bool(value)
            if not truth:
                self._state(key, "failed")
                self._values(key, operator, left, right)
            elif self.states[key] == "begun":
                self._state(key, "passed")
            return truth

        return saw

    def _state(self, key: tuple[Any, int], state: str) -> None:
        self.states[key] = state
        self.put("assert", test=key[0], line=key[1], state=state)

    def _values(self, key: tuple[Any, int], operator: str, left: Any, right: Any) -> None:
        # A record of its own: showing a value can take forever, and it has failed before that.
        if operator in COMPARE:
            sides = dict(zip(("left", "right"), show_sides(left, right, VALUE), strict=True))
        else:
            sides = {"left": show(left, VALUE)[0]}
        self.put("values", test=key[0], line=key[1], operator=operator, **sides)


def finish(value: Any) -> Any:
    """Return the value, awaited if it is a coroutine."""
    if name_of(value) != "coroutine" or not hasattr(value, "cr_frame"):
        return value
    import asyncio  # noqa: PLC0415  # it costs 50 ms

    return asyncio.run(value)


def finish_test(value: Any) -> None:
    """Await what a test has returned, if it is a coroutine.

    Raises:
        AssertionError: it is False: the test would have checked nothing.
    """
    if finish(value) is False:
        raise AssertionError("the test returned False")
