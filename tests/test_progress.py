"""`Progress.fold`: what rules compute over all rounds, one round at a time."""

from dataclasses import dataclass
from typing import Any

from planish.data import Status, Usage
from planish.stop import Progress, confidence, repeated_candidate


@dataclass(frozen=True)
class Round:
    """What a rule looks at."""

    digest: str
    score: float | None = None
    passed: bool = False
    status: Status | None = Status.PARTIAL_SUCCESS


@dataclass
class Adder:
    """Counts how often it is called."""

    calls: int = 0

    def add(self, state: int, outcome: int) -> int:
        self.calls += 1
        return state + outcome


def test_a_fold_adds_only_what_the_rounds_since_have_brought() -> None:
    adder = Adder()
    folded: dict[str, tuple[int, Any]] = {}
    for count in range(1, 6):
        progress = Progress(tuple(range(count)), 0.0, Usage(), folded)
        assert progress.fold("sum", 0, adder.add) == sum(range(count))
        assert progress.fold("sum", 0, adder.add) == sum(range(count))
    assert adder.calls == 5
    assert Progress((1, 2)).fold("sum", 0, adder.add) == 3


def test_rules_decide_alike_whether_they_saw_the_rounds_before_or_not() -> None:
    codes = ["a", "b", "a", "c", "c", "d", "b"]
    outcomes = tuple(Round(code) for code in codes)
    folded: dict[str, tuple[int, Any]] = {}
    for count in range(1, len(outcomes) + 1):
        history = outcomes[:count]
        for rule in (repeated_candidate(), confidence(0.3)):
            assert rule.check(Progress(history, 0.0, Usage(), folded)) == rule.check(
                Progress(history)
            )
        repeated = codes[count - 1] in codes[: count - 1]
        assert (repeated_candidate().check(Progress(history)) is not None) == repeated
