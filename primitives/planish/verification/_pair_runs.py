"""Run the programs of `StdioPairs` one after another, and the user's checker."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from planish.data.program import Completed, Program, ResourceLimits
from planish.data.tests import StdioPairs
from planish.verification._bundle import checker
from planish.verification._output import output_difference
from planish.verification._pair_results import CHECKER_RECORDS, CheckerResult, checker_results

__all__ = ["PairRuns", "pair_limits"]


_MAIN = "_planish_checker.py"
_MAX_BATCH = 10  # the time limit of a checker of many outputs, in limits of one program
_BATCH_BYTES = 4 << 20  # of the outputs after which the checker is run: the host holds their text
_MIB = 1 << 20
_OUTPUT_MARGIN = 65_536  # bytes that an output may be longer than twice the expected one


@dataclass(slots=True)
class PairRuns:
    """The runs of `StdioPairs`: which program is next, and how the earlier ones ended.

    Attributes:
        tests: The pairs; their options say when to stop.
        programs: The program of each pair.
        limits: Resource limits of a program that runs the checker.
        completed: Results of the pairs' programs that were run, in order.
        checker_runs: Results of the programs that ran the checker.
    """

    tests: StdioPairs
    programs: Sequence[Program]
    limits: ResourceLimits
    completed: list[Completed] = field(default_factory=list[Completed])
    checker_runs: list[Completed] = field(default_factory=list[Completed])
    _checking: bool = False
    _unchecked: list[int] = field(default_factory=list[int])
    _unchecked_bytes: int = 0
    _seconds: float = 0.0
    _failed: bool = False

    def next(self) -> Program | None:
        """Return the next program to run; None if there is none."""
        ended = len(self.completed) == len(self.programs) or self._is_finished()
        due = ended or self.tests.stop_at_first or self._unchecked_bytes >= _BATCH_BYTES
        self._checking = bool(self._unchecked) and due
        if self._checking:
            return self._checker()
        if ended:
            return None
        program = self.programs[len(self.completed)]
        if self.tests.seconds is None:
            return program
        seconds = min(program.limits.seconds, self.tests.seconds - self._seconds)
        return replace(program, limits=replace(program.limits, seconds=seconds))

    def add(self, completed: Completed) -> None:
        """Record the result of the program that `next` returned."""
        if self._checking:
            self.checker_runs.append(completed)
            found = checker_results([completed])
            wrong = any(_checker_state(found, pair) != "right" for pair in self._unchecked)
            self._failed = self._failed or wrong
            self._unchecked, self._unchecked_bytes = [], 0
            return
        index = len(self.completed)
        self.completed.append(completed)
        self._seconds += _used_seconds(completed, self.programs[index].limits)
        if self.tests.checker is not None and completed.ok:
            self._unchecked.append(index)
            self._unchecked_bytes += len(completed.stdout)
        else:
            self._failed = self._failed or not self._passed(index, completed)

    def _passed(self, index: int, completed: Completed) -> bool:
        actual = completed.stdout.decode("utf-8", "replace")
        expected = self.tests.pairs[index].stdout
        return completed.ok and output_difference(self.tests, actual, expected) is None

    def _is_finished(self) -> bool:
        if self.tests.stop_at_first and self._failed:
            return True
        return self.tests.seconds is not None and self._seconds >= self.tests.seconds

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
        files = {
            _MAIN: checker(),
            "checker.py": (self.tests.checker or "").encode(),
            "pairs.json": json.dumps(rows).encode(),
        }
        size = sum(map(len, files.values())) // _MIB + 1  # in JSON a byte may become six
        limits = replace(
            self.limits,
            seconds=self.limits.seconds * min(len(rows), _MAX_BATCH),
            disk_mb=max(self.limits.disk_mb, 2 * size),
        )
        return Program(main=_MAIN, files=files, collect=(CHECKER_RECORDS,), limits=limits)


def pair_limits(tests: StdioPairs, number: int, limits: ResourceLimits) -> ResourceLimits:
    """Return the resource limits of one pair's program.

    `output_bytes` is raised where the expected output needs more.
    """
    expected = len(tests.pairs[number].stdout.encode("utf-8", "replace"))
    seconds = limits.seconds if tests.seconds_each is None else tests.seconds_each
    return replace(
        limits,
        seconds=min(limits.seconds, seconds),
        output_bytes=max(limits.output_bytes, 2 * expected + _OUTPUT_MARGIN),
    )


def _checker_state(found: Mapping[int, CheckerResult], pair: int) -> str:
    return found[pair].state if pair in found else ""


def _used_seconds(completed: Completed, limits: ResourceLimits) -> float:
    """Return the seconds a program used: at least its limit if it was stopped at the limit.

    CPU time if the sandbox measures it, so that load of the machine has no influence.
    """
    used = completed.duration if completed.cpu_seconds is None else completed.cpu_seconds
    return max(used, limits.seconds) if completed.limit == "seconds" else used
