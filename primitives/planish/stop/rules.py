"""`Stop`, the base class of stop rules, `Progress`, what they decide by, and the plain rules."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any, TypeVar, cast

from planish.arguments import require_count, require_number, require_text
from planish.configuration import Configured
from planish.data.usage import Usage
from planish.errors import WiringError

__all__ = [
    "Progress",
    "Stop",
    "deadline",
    "max_attempts",
    "max_usage",
    "require_stop",
    "success",
    "when",
]

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
        """Return the state after every outcome of the history was added to an initial one.

        In a loop only the outcomes since the round before are added, so that a rule that looks
        at the whole history takes as long in the last round as in the first.

        Args:
            name: What is computed; another name for each function.
            initial: The state before the first outcome.
            add: Returns the state after an outcome. It may change the state that it is given.
        """
        known = self.folded.get(name)
        count, state = (0, initial) if known is None else cast("tuple[int, State]", known)
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


_RESERVED = (
    *("success", "max_attempts", "unverified", "budget", "timeout", "test_error", "all_failed"),
    *("judged", "error", "cancelled"),
)


class when(Stop):
    """A stop rule with a condition of your own.

    Args:
        name: Its stop reason.
        condition: Returns whether to stop. It is not async: a rule is a pure function.

    Raises:
        ValueError: the name is not a text, is empty, or is a stop reason of planish's own, such as
            "success" or "budget": docs/errors-and-limits.md lists them.
        WiringError: the condition is not a function; at run time, it is async, or returned None.
    """

    def __init__(self, name: str, condition: Callable[[Progress], bool]) -> None:
        require_text("when", "name", name)
        if not name.strip() or name in _RESERVED:
            reserved = ", ".join(map(repr, _RESERVED))
            raise ValueError(
                f"when({name!r}, ...): choose another name: it is the report's stop reason, and "
                f"{reserved} are planish's own"
            )
        if not callable(condition):
            raise WiringError(
                f"when({name!r}, {condition!r}): the condition must be a function of Progress"
            )
        self.name = name
        self.condition = condition

    def check(self, progress: Progress) -> str | None:
        """Return the rule's name if its condition holds."""
        holds = cast("object", self.condition(progress))
        if holds is None:  # a forgotten `return` would be a rule that never stops
            raise WiringError(
                f"when({self.name!r}, ...): the condition returned None: return True or False"
            )
        if isinstance(holds, Coroutine):  # it is true, so that it would always stop
            holds.close()
            raise WiringError(
                f"when({self.name!r}, ...): the condition is async: write it with `def`, and await "
                "in a step or a judge what it needs"
            )
        return self.name if holds else None


class success(Stop):
    """Stop when the last outcome passed. Every loop has this as its first rule."""

    def check(self, progress: Progress) -> str | None:
        """Return "success" if the last outcome passed."""
        return "success" if progress.history[-1].passed else None


class max_attempts(Stop):
    """Stop after a number of attempts.

    Args:
        attempts: Number of attempts, including the first; at least 1.

    Raises:
        ValueError: it is less than 1.
    """

    def __init__(self, attempts: int) -> None:
        require_count("max_attempts", "attempts", attempts)
        self.attempts = attempts

    def check(self, progress: Progress) -> str | None:
        """Return "max_attempts" if the history has that many rounds."""
        return "max_attempts" if len(progress.history) >= self.attempts else None


class deadline(Stop):
    """Start no further attempt after a time.

    `Timeout` also ends an attempt that is running.

    Args:
        seconds: Seconds since the loop began; at least 0.

    Raises:
        ValueError: it is negative.
    """

    def __init__(self, seconds: float) -> None:
        require_number("deadline", "seconds", seconds, least=0)
        self.seconds = seconds

    def check(self, progress: Progress) -> str | None:
        """Return "deadline" if the time is over."""
        return "deadline" if progress.seconds >= self.seconds else None


class max_usage(Stop):
    """Start no further attempt once the loop has used an amount.

    Its stop reason is "budget". `planish.budget` also refuses single calls.

    Args:
        tokens: Input and output tokens together.
        usd: US dollars.
        model_calls: Requests that models replied to.

    Raises:
        ValueError: all of them are None, or one is not a number of at least 0; tokens and calls
            are whole numbers.
    """

    def __init__(
        self, *, tokens: int | None = None, usd: float | None = None, model_calls: int | None = None
    ) -> None:
        limits: dict[str, float | None] = {"tokens": tokens, "usd": usd, "model_calls": model_calls}
        self.limits: dict[str, float] = {k: v for k, v in limits.items() if v is not None}
        if not self.limits:
            raise ValueError(f"max_usage() limits nothing: set at least one of {', '.join(limits)}")
        for name, limit in self.limits.items():
            check = require_number if name == "usd" or limit == inf else require_count
            check("max_usage", name, limit, least=0)

    def check(self, progress: Progress) -> str | None:
        """Return "budget" if one of the limits is reached."""
        usage = progress.usage
        reached = any(getattr(usage, name) >= limit for name, limit in self.limits.items())
        return "budget" if reached else None
