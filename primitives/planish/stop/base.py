"""`Stop`, the base class of stop rules, and `Progress`, what they decide by."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from planish.configuration import Configured
from planish.data.usage import Usage
from planish.errors import WiringError

__all__ = ["Progress", "Stop", "require_stop"]

State = TypeVar("State")


@dataclass(frozen=True, slots=True)
class Progress:
    """The state of a loop after a round, the input of every stop rule.

    Attributes:
        history: The outcome of every round so far, oldest first; at least one.
        seconds: Seconds since the loop began.
        usage: Usage of the loop so far.
        folded: What `fold` has computed in the rounds before; the same dict in all of them.
    """

    history: Sequence[Any]
    seconds: float = 0.0
    usage: Usage = field(default_factory=Usage)
    folded: dict[str, tuple[int, Any]] = field(
        default_factory=dict[str, tuple[int, Any]], repr=False, compare=False
    )

    def fold(self, name: str, initial: State, add: Callable[[State, Any], State]) -> State:
        """Return what adding every outcome of the history to an initial state comes to.

        In a loop only the outcomes since the round before are added, so that a rule that looks
        at the whole history takes as long in the last round as in the first.

        Args:
            name: What is computed; another name for each function.
            initial: The state before the first outcome.
            add: Returns the state after an outcome. It may change the state that it is given.
        """
        count, state = self.folded.get(name, (0, initial))
        for outcome in self.history[count:]:
            state = add(state, outcome)
        self.folded[name] = len(self.history), state
        return state


class Stop(Configured, ABC):
    """Base class of stop rules. `a | b` stops if either rule does, `a & b` if both do.

    Rules are values: two rules of one class with equal arguments are equal.
    """

    @abstractmethod
    def check(self, progress: Progress) -> str | None:
        """Return the reason to stop now, or None to continue."""

    def __or__(self, other: "Stop", /) -> "Stop":
        require_stop(f"{self!r} | ...", other)
        return _AnyOf(*_flatten(self, _AnyOf), *_flatten(other, _AnyOf))

    def __and__(self, other: "Stop", /) -> "Stop":
        require_stop(f"{self!r} & ...", other)
        return _AllOf(*_flatten(self, _AllOf), *_flatten(other, _AllOf))


def require_stop(place: str, rule: object) -> None:
    """Check that a value is a stop rule.

    Args:
        place: Where it stands, for the message.
        rule: The value.

    Raises:
        WiringError: it is not; the message says how to make one of a function.
    """
    if isinstance(rule, Stop):
        return
    if isinstance(rule, type):
        raise WiringError(f"{place}: {rule.__qualname__} is a class; write {rule.__qualname__}()")
    advice = "; write when('a reason', function)" if callable(rule) else ""
    raise WiringError(f"{place}: {rule!r} is not a stop rule of planish.stop{advice}")


def _flatten(rule: Stop, kind: "type[_AnyOf | _AllOf]") -> tuple[Stop, ...]:
    return rule.rules if isinstance(rule, kind) else (rule,)


class _AnyOf(Stop):
    def __init__(self, *rules: Stop) -> None:
        self.rules = rules

    def check(self, progress: Progress) -> str | None:
        return next((r for rule in self.rules if (r := rule.check(progress)) is not None), None)

    def __repr__(self) -> str:
        return " | ".join(map(repr, self.rules))


class _AllOf(Stop):
    def __init__(self, *rules: Stop) -> None:
        self.rules = rules

    def check(self, progress: Progress) -> str | None:
        reasons = [rule.check(progress) for rule in self.rules]
        return None if None in reasons else " & ".join(r for r in reasons if r is not None)

    def __repr__(self) -> str:
        return " & ".join(f"({r!r})" if isinstance(r, _AnyOf) else repr(r) for r in self.rules)
