"""Run equal programs once: recordings are full of them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any

from planish import Cache, Candidate, CodeExecution, Execution, Map, Primitive, step
from planish.abc import Sandbox
from planish.combinators.cache import MemoryStore
from planish.combinators.map import ItemResult
from planish.data import Assertions, ResourceLimits
from planish_integrations.evaluation._errors import Skip, skips_as_json
from planish_integrations.evaluation._figures import figures_of
from planish_integrations.evaluation._recordings import Recordings
from planish_integrations.evaluation._replay import SeriesResult, replay_series
from planish_integrations.evaluation._series import Run, Series

__all__ = ["PROGRAM_LIMITS", "CachedExecution", "ReplayedRuns", "replay_all"]

_CACHE_SIZE = 4096  # executions; each is a few kB, and equal programs stand close together


class CachedExecution(Primitive[Candidate, Execution]):
    """Execute each different program once, over all tasks, loops and runs.

    Programs are equal when preamble, code and tests are, to the letter. Candidates that their
    own loop has tried before are passed on: the step knows them by itself.

    Args:
        step: What executes.
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
"""What the recordings' verdicts were measured under."""

_TRIES = 2  # what a lack of processes or memory breaks for a moment is tried once more

_Job = tuple[Run, Series]


@dataclass(frozen=True, slots=True)
class ReplayedRuns:
    """What came of recordings.

    Attributes:
        figures: For each run's key its figures, with what was left out under "skipped".
        skipped: Everything that was left out, the raised included.
        raised: Replies that have no ending because something was raised.
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
) -> ReplayedRuns:
    """Put every recorded reply through the real loop and sandbox.

    A series that the world breaks (a sandbox that fails) is replayed once more; then it is left
    out, with the reason.

    Args:
        recordings: What to replay.
        sandbox: Where the programs run.
        concurrency: Series replayed at once.
        limits: What each program may use; 6 s and 2 GiB by default.
        on_done: Called with the number of rows of each series that is done.
    """
    execution = CachedExecution(CodeExecution(sandbox, limits=limits))

    async def one(job: _Job) -> SeriesResult:
        return await replay_series(*job, execution, concurrency=concurrency)

    outcome = _Results()
    pipeline = Map(step(one), concurrency=concurrency)
    waiting: list[_Job] = [(run, series) for run in recordings.runs for series in run.series]
    for last in range(1, _TRIES + 1):
        broken: list[_Job] = []
        async with pipeline.stream(waiting) as results:
            async for result in results:
                if last < _TRIES and (result.value is None or result.value.errors):
                    broken.append(result.item)
                    continue
                outcome.add(result)
                if on_done is not None:
                    on_done(len(result.item[1].replies))
        waiting = broken
    return outcome.summarize(recordings)


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
        others = _flat(skips for key, skips in recordings.skips.items() if key not in figures)
        if others:
            figures["skipped"] = skips_as_json(others)
        raised = _flat(self.errors.values())
        skipped = (*_flat(recordings.skips.values()), *raised)
        return ReplayedRuns(figures, skipped, len(raised))


def _flat(groups: Iterable[Sequence[Skip]]) -> list[Skip]:
    return [skip for skips in groups for skip in skips]
