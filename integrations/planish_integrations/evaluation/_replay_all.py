"""Replay whole recordings, many series at once."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any

import anyio

from planish import Cache, Candidate, CodeExecution, Execution, Map, Primitive, step
from planish.abc import Sandbox
from planish.combinators.map import ItemResult
from planish.data import Assertions, ResourceLimits
from planish.stores import MemoryStore
from planish_integrations.evaluation._errors import Skip, skips_as_json
from planish_integrations.evaluation._figures import figures_of
from planish_integrations.evaluation._recordings import Recordings
from planish_integrations.evaluation._replay import SeriesResult, replay_series
from planish_integrations.evaluation._series import Run, Series

__all__ = ["PROGRAM_LIMITS", "CachedExecution", "ReplayedRuns", "replay_all"]

_CACHE_SIZE = 4096  # executions of a few kB each; equal programs are close together


class CachedExecution(Primitive[Candidate, Execution]):
    """Execute each different program once, over all tasks, loops and runs.

    Programs are equal if preamble, code and tests are identical. A candidate that its own loop has
    tried before goes to the step, which recognizes it.

    Args:
        step: Executes candidates.
    """

    def __init__(self, step: Primitive[Candidate, Execution]) -> None:
        self.step = step
        self._cached = Cache(step, store=MemoryStore(_CACHE_SIZE), key=_digest)

    async def _run(self, value: Candidate) -> Execution:
        feedback = value.task.feedback
        if feedback is not None and any(
            one.digest == value.digest for one in feedback.previous_attempts
        ):
            return await self.step.run(value)
        execution = await self._cached.run(value)
        if execution.candidate is value:
            return execution
        return replace(execution, candidate=value, runs=0, duration=0.0)


def _digest(candidate: Candidate) -> bytes:
    task = candidate.task
    tests = task.tests.code if isinstance(task.tests, Assertions) else repr(task.tests)
    parts = (task.preamble, candidate.code, tests, task.entry_point, candidate.problem)
    return blake2b(repr(parts).encode(), digest_size=16).digest()


PROGRAM_LIMITS = ResourceLimits(seconds=6.0, memory_mb=2048)
"""The limits under which the recordings' verdicts were measured."""

_ROUNDS = 2  # a temporary lack of processes or memory gets a second try

_Job = tuple[Run, Series]


@dataclass(frozen=True, slots=True)
class ReplayedRuns:
    """The result of replaying recordings.

    Attributes:
        figures: For each run's key its figures, with the skipped rows under "skipped".
        skips: Everything that was skipped, including replies with an error.
        error_count: Replies that have no outcome because of an error.
    """

    figures: Mapping[str, Any]
    skips: tuple[Skip, ...]
    error_count: int


async def replay_all(
    recordings: Recordings,
    sandbox: Sandbox,
    *,
    concurrency: int,
    limits: ResourceLimits = PROGRAM_LIMITS,
    on_done: Callable[[int], None] | None = None,
    stop: anyio.CancelScope | None = None,
) -> ReplayedRuns:
    """Replay every recorded reply through the real loop and sandbox.

    A series that fails because of an infrastructure error is replayed once more; if it fails
    again, it is skipped with the reason.

    Args:
        recordings: The recordings.
        sandbox: Runs the programs.
        concurrency: Series replayed at once.
        limits: The limits of each program; 6 s and 2 GiB by default.
        on_done: Called with the number of rows of each finished series.
        stop: A new scope. If it is cancelled, series that run are cancelled too, and the figures
            are those of the finished ones. None (the default) for no such scope.
    """
    execution = CachedExecution(CodeExecution(sandbox, limits=limits))

    async def one(job: _Job) -> SeriesResult:
        return await replay_series(*job, execution, concurrency=concurrency)

    summary = _Results()
    pipeline = Map(step(one), concurrency=concurrency)
    jobs: list[_Job] = [(run, series) for run in recordings.runs for series in run.series]
    with anyio.CancelScope() if stop is None else stop:
        for number in range(1, _ROUNDS + 1):
            failed: list[_Job] = []
            async with pipeline.stream(jobs) as results:
                async for result in results:
                    if number < _ROUNDS and (result.value is None or result.value.errors):
                        failed.append(result.item)
                        continue
                    summary.add(result)
                    if on_done is not None:
                        on_done(len(result.item[1].replies))
            jobs = failed
    return summary.summarize(recordings)


@dataclass(slots=True)
class _Results:
    results: dict[str, list[SeriesResult]] = field(default_factory=dict[str, list[SeriesResult]])
    errors: dict[str, list[Skip]] = field(default_factory=dict[str, list[Skip]])

    def add(self, result: ItemResult[_Job, SeriesResult]) -> None:
        run, series = result.item
        if result.value is None:
            self._add_errors(run, series, [repr(result.error)] * len(series.replies))
        else:
            self.results.setdefault(run.key, []).append(result.value)
            self._add_errors(run, series, result.value.errors)

    def _add_errors(self, run: Run, series: Series, reasons: Iterable[str]) -> None:
        skips = [Skip(reason, task_id=series.problem.task_id) for reason in reasons]
        self.errors.setdefault(run.key, []).extend(skips)

    def summarize(self, recordings: Recordings) -> ReplayedRuns:
        figures: dict[str, Any] = {}
        for run in recordings.runs:
            figures[run.key] = figures_of(run, self.results.get(run.key, ()))
            skips = [*recordings.skips.get(run.key, ()), *self.errors.get(run.key, ())]
            if skips:
                figures[run.key]["skipped"] = skips_as_json(skips)
        other_skips = _flat(skips for key, skips in recordings.skips.items() if key not in figures)
        if other_skips:
            figures["skipped"] = skips_as_json(other_skips)
        error_skips = _flat(self.errors.values())
        skipped = (*_flat(recordings.skips.values()), *error_skips)
        return ReplayedRuns(figures, skipped, len(error_skips))


def _flat(groups: Iterable[Sequence[Skip]]) -> list[Skip]:
    return [skip for skips in groups for skip in skips]
