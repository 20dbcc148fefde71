"""Which program of `StdioPairs` runs next, and the program that runs the user's checker."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from planish.data.execution import Failure
from planish.data.program import Completed, Program, ResourceLimits
from planish.data.tests import StdioPairs
from planish.verification._bounds import VALUE, bounded
from planish.verification._bundle import checker
from planish.verification._outputs import wrong_output

__all__ = [
    "Checked",
    "PairRuns",
    "checked_pairs",
    "checker_failure",
    "is_broken",
    "pair_limits",
    "pairs_stop",
    "why_not_run",
]

_MAIN = "_planish_checker.py"
_CHECKED = "checked.jsonl"
_JUDGED = ("right", "wrong")
_FIELDS = {"pair", "state", "message"}
_AT_ONCE = 10  # times the limit of a program, at most, for one that checks many outputs
_SLACK = 65_536  # bytes that an output may be longer than twice the expected one


@dataclass(frozen=True, slots=True)
class Checked:
    """What the user's checker found about one pair.

    Attributes:
        state: "right", "wrong", "broken" (it refuses the expected output itself) or "begun"
            (it did not come to an end).
        message: Why it is not right.
    """

    state: str
    message: str = ""


@dataclass(slots=True)
class PairRuns:
    """The programs of `StdioPairs`, one after the other, as long as their options say.

    Attributes:
        tests: The pairs.
        programs: The program of each pair.
        limits: What the program that runs the checker may use.
        completed: How the programs of the pairs ended that were run.
        checked: How the programs ended that ran the checker.
    """

    tests: StdioPairs
    programs: Sequence[Program]
    limits: ResourceLimits
    completed: list[Completed] = field(default_factory=list[Completed])
    checked: list[Completed] = field(default_factory=list[Completed])
    _checks: bool = False
    _unchecked: list[int] = field(default_factory=list[int])
    _used: float = 0.0
    _failed: bool = False

    def next(self) -> Program | None:
        """Return the next program to run; None if there is none."""
        ended = len(self.completed) == len(self.programs) or self._stopped()
        self._checks = bool(self._unchecked) and (ended or self.tests.stop_at_first)
        if self._checks:
            return self._checker()
        if ended:
            return None
        program = self.programs[len(self.completed)]
        if self.tests.seconds is None:
            return program
        left = min(program.limits.seconds, self.tests.seconds - self._used)
        return replace(program, limits=replace(program.limits, seconds=left))

    def add(self, completed: Completed) -> None:
        """Record how the program ended that `next` returned."""
        if self._checks:
            self.checked.append(completed)
            found = checked_pairs([completed])
            self._failed = any(_state(found, pair) != "right" for pair in self._unchecked)
            self._unchecked = []
            return
        index = len(self.completed)
        self.completed.append(completed)
        self._used += _charge(completed, self.programs[index].limits)
        if self.tests.checker is not None and completed.ok:
            self._unchecked.append(index)
        else:
            self._failed = self._failed or not self._passed(index, completed)

    def _passed(self, index: int, completed: Completed) -> bool:
        written = completed.stdout.decode("utf-8", "replace")
        wanted = self.tests.pairs[index].stdout
        return completed.ok and wrong_output(self.tests, written, wanted) is None

    def _stopped(self) -> bool:
        if self.tests.stop_at_first and self._failed:
            return True
        return self.tests.seconds is not None and self._used >= self.tests.seconds

    def _checker(self) -> Program:
        rows = [
            (
                index,
                self.tests.pairs[index].stdin,
                self.tests.pairs[index].stdout,
                self.completed[index].stdout.decode("utf-8", "replace"),
            )
            for index in self._unchecked
        ]
        seconds = self.limits.seconds * min(len(rows), _AT_ONCE)
        return Program(
            main=_MAIN,
            files={
                _MAIN: checker(),
                "checker.py": (self.tests.checker or "").encode(),
                "pairs.json": json.dumps(rows).encode(),
            },
            collect=(_CHECKED,),
            limits=replace(self.limits, seconds=seconds),
        )


def pair_limits(tests: StdioPairs, number: int, limits: ResourceLimits) -> ResourceLimits:
    """Return what the program of one pair may use.

    Its output may be as long as the expected one needs.
    """
    expected = len(tests.pairs[number].stdout.encode("utf-8", "replace"))
    seconds = limits.seconds if tests.seconds_each is None else tests.seconds_each
    return replace(
        limits,
        seconds=min(limits.seconds, seconds),
        output_bytes=max(limits.output_bytes, 2 * expected + _SLACK),
    )


def checked_pairs(checked: Sequence[Completed]) -> Mapping[int, Checked]:
    """Return what the checker found, by the index of the pair."""
    found: dict[int, Checked] = {}
    for completed in checked:
        for row in _rows(completed.files.get(_CHECKED, b"")):
            found[row["pair"]] = Checked(row["state"], bounded(row["message"], VALUE))
        for pair, one in found.items():
            if one.state == "begun":
                how = f"limit of {completed.limit}" if completed.limit else "own end"
                found[pair] = Checked("begun", f"the checker was stopped at its {how}")
    return found


def checker_failure(checked: Sequence[Completed]) -> Failure | None:
    """Return the failure of a checker that did not judge an output."""
    unjudged = (one for one in checked_pairs(checked).values() if one.state not in _JUDGED)
    first = next(unjudged, None)
    return None if first is None else Failure(name="CheckerError", message=first.message)


def is_broken(checked: Sequence[Completed]) -> bool:
    """Return whether the checker refused an expected output itself."""
    return any(one.state == "broken" for one in checked_pairs(checked).values())


def pairs_stop(tests: StdioPairs, completed: Sequence[Completed]) -> Failure | None:
    """Return the failure of pairs that are left when the time of all is used up."""
    ran, count = len(completed), len(tests.pairs)
    if ran == count or tests.seconds is None or any(one.limit for one in completed):
        return None
    message = f"the {tests.seconds:g} s for all pairs were used up after {ran} of {count}"
    return Failure(name="Timeout", message=message)


def why_not_run(tests: StdioPairs, *, failed: bool) -> str:
    """Return why a pair was not run.

    Args:
        tests: The pairs.
        failed: A pair before it did not pass.
    """
    if tests.stop_at_first and failed:
        return "a pair before it did not pass"
    if tests.seconds is not None:
        return f"the {tests.seconds:g} s for all pairs were used up"
    return ""


def _rows(data: bytes) -> Iterator[dict[str, Any]]:
    *lines, _ = data.split(b"\n")  # the last one may be cut short
    for line in lines:
        try:
            row = json.loads(line)
        except ValueError:
            continue  # a checker that writes to the file itself
        if isinstance(row, dict) and set(cast("dict[str, Any]", row)) == _FIELDS:
            yield cast("dict[str, Any]", row)


def _state(found: Mapping[int, Checked], pair: int) -> str:
    return found[pair].state if pair in found else ""


def _charge(completed: Completed, limits: ResourceLimits) -> float:
    """Return the seconds a program used: all of its limit if it was stopped there.

    They are those of the processor where the sandbox counts them, so that load changes nothing.
    """
    used = completed.duration if completed.cpu_seconds is None else completed.cpu_seconds
    return max(used, limits.seconds) if completed.limit == "seconds" else used
