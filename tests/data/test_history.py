"""All outcomes of a run, for outcomes of one's own types."""

from dataclasses import dataclass
from typing import Any

import pytest

from planish import Retry, step
from planish.data import History


@dataclass(frozen=True)
class Guess:
    """An outcome of a type of one's own."""

    value: int

    @property
    def passed(self) -> bool:
        """Whether it is right."""
        return self.value >= 9

    @property
    def score(self) -> float:
        """How near it is."""
        return 1 / (1 + abs(9 - self.value))

    @property
    def feedback(self) -> int:
        """The next value."""
        return self.value + 1


@dataclass(frozen=True)
class Ask:
    """An input that takes feedback."""

    value: int = 0

    def with_feedback(self, feedback: Any, /) -> "Ask":
        """Return the input with another value."""
        return Ask(feedback)


def guess(ask: Ask) -> Guess:
    return Guess(ask.value if ask.value != 2 else -5)


def keep(outcome: Guess) -> History[Guess]:
    return History.of(outcome)


@pytest.mark.anyio
async def test_outcomes_of_any_type_keep_their_history() -> None:
    loop = Retry(step(guess) >> keep, attempts=4)
    found = await loop.run(Ask())
    assert [one.value for one in found.outcomes] == [0, 1, -5, -4]
    assert found.best == Guess(1)
    assert (found.passed, found.stop_reason) == (False, "max_attempts")
    raced = await (loop | Retry(step(guess) >> keep, attempts=1)).run(Ask(8))
    assert (raced.passed, raced.best) == (True, Guess(9))
    assert Guess(8) in raced.outcomes
    assert (await (step(guess) >> History.of).run(Ask(7))).best == Guess(7)
