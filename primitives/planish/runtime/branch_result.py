"""`BranchResult`: how one branch of several ended, filled in while it runs."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from planish.context.path import Path
from planish.context.replay import Raised, Reached
from planish.data.attempt import Branch, BranchOutcome
from planish.data.report import Report
from planish.data.usage import Usage
from planish.errors import Suspended, attach_report
from planish.representation import format_bounded
from planish.runtime.naming import given_name
from planish.runtime.primitive import Primitive

__all__ = ["BranchNames", "BranchResult"]

Out = TypeVar("Out")


class BranchNames:
    """The names of branches: what they were called, or their `repr` in 200 characters at most.

    A name that several branches have begins with the number of the branch, from 0, as in its path.

    Formatting takes as long as constructing a pipeline, and most pipelines have many parts.
    """

    __slots__ = ("_branches", "_names")

    def __init__(self, branches: Sequence[Primitive[Any, Any]]) -> None:
        self._branches = branches
        self._names: tuple[str, ...] | None = None

    @staticmethod
    def samples(step: Primitive[Any, Any], count: int) -> list["BranchResult[Any]"]:
        """Return an empty result for each of several runs of one step, with its number."""
        name = given_name(step) or "candidate"
        return [BranchResult(f"{name} {index}") for index in range(count)]

    def results(self) -> list["BranchResult[Any]"]:
        """Return an empty result for each branch, with its name."""
        if self._names is None:
            found = [given_name(b) or format_bounded(b) for b in self._branches]
            times = Counter(found)
            self._names = tuple(
                f"{index}: {name}" if times[name] > 1 else name for index, name in enumerate(found)
            )
        return [BranchResult(name) for name in self._names]


@dataclass(slots=True)
class BranchResult(Generic[Out]):
    """How a branch ended; filled in by `run_branch`.

    Attributes:
        name: The branch's name, else its `repr`, cut to 200 characters.
        outcome: What it returned.
        ending: How it ended; "cancelled" until then.
        error: What it raised.
        partial_report: What it had reached when it raised or was cancelled.
        beaten: Another branch had won when this run was recorded, so this one cannot win.
        suspended: What it raised to be resumed later. It counts as cancelled.
        usage: What it used.
        path: Its path; empty until it starts.
        started: When it began, in seconds since the Unix epoch; None until then.
        seconds: How long it ran, in wall seconds.
    """

    name: str
    outcome: Out | None = None
    ending: BranchOutcome = "cancelled"
    error: Exception | None = None
    partial_report: Report | None = None
    beaten: bool = False
    suspended: Suspended | None = None
    usage: Usage = field(default_factory=Usage)
    path: Path = ()
    started: float | None = None
    seconds: float = 0.0

    def branch(self) -> Branch:
        """Return it as a part of a report."""
        return Branch(
            name=self.name,
            outcome=self.ending,
            error=None if self.error is None else repr(self.error),
            usage=self.usage,
            path=self.path,
            started=self.started,
            seconds=self.seconds,
        )

    def reached(self) -> Reached | None:
        """Return what it had produced when it ended; None if it ended with an outcome."""
        if self.has_outcome:
            return None
        raised = None if self.error is None else Raised.of(self.error)
        return Reached(report=self.partial_report, usage=self.usage, error=raised)

    def restore(self, reached: Reached) -> None:
        """End it as a journal has recorded, without a run: it raised, or was cancelled."""
        self.partial_report, self.usage = reached.report, reached.usage
        if reached.error is not None:
            self.error, self.ending = reached.error.to_error(), "failed"
            attach_report(self.error, reached.report)
        reached.restore()

    @property
    def has_outcome(self) -> bool:
        """Whether it ended with an outcome."""
        return self.ending in ("won", "lost")

    @property
    def passed(self) -> bool:
        """Whether its outcome passed; an outcome without `passed` counts as passed."""
        return self.has_outcome and bool(getattr(self.outcome, "passed", True))
