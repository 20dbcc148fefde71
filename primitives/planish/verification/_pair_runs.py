"""Run the programs of `StdioPairs` one after another, and the user's checker."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from planish.data.program import Completed, Program, ResourceLimits
from planish.data.tests import StdioPairs
from planish.verification._bundle import checker
from planish.verification._output import wrong_output
from planish.verification._pair_results import CHECKED, Checked, checked_pairs

__all__ = ["PairRuns", "pair_limits"]


_MAIN = "_planish_checker.py"
_AT_ONCE = 10  # times the limit of a program, at most, for one that checks many outputs
_SLACK = 65_536  # bytes that an output may be longer than twice the expected one


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
            collect=(CHECKED,),
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


def _state(found: Mapping[int, Checked], pair: int) -> str:
    return found[pair].state if pair in found else ""


def _charge(completed: Completed, limits: ResourceLimits) -> float:
    """Return the seconds a program used: all of its limit if it was stopped there.

    They are those of the processor where the sandbox counts them, so that load changes nothing.
    """
    used = completed.duration if completed.cpu_seconds is None else completed.cpu_seconds
    return max(used, limits.seconds) if completed.limit == "seconds" else used
