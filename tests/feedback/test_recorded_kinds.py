"""The kinds of failures agree with the classes that were measured for recorded replies."""

import gzip
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import pytest
from tests.integrations.evaluation.recorded import runs_of

from planish import Candidate, CodeExecution, Execution, Map, step
from planish.data import FailureKind
from planish.feedback import failure_kind
from planish_integrations.evaluation import PROGRAM_LIMITS, Run, Series
from planish_integrations.local import LocalSandbox

pytestmark = pytest.mark.replay

SharedData = Callable[[str], Path]

MAPPING: Mapping[str, FailureKind | None] = {
    "pass": None,
    # It does not parse: other text for the same program would.
    "syntax": "logic",
    # A name that the code does not define, or defines otherwise than the tests call it. A module
    # that is not installed is of this class too: see EXCEPTIONS.
    "name/import": "logic",
    # A wrong value: the tests are a benchmark's, and pass with its own solutions.
    "assertion": "logic",
    # The code raised: a ValueError, an IndexError.
    "other-exc": "logic",
    # Memory or depth of recursion: the recorder's MemoryError and RecursionError.
    "resource": "resource",
    "timeout": "timeout",
    # It ended itself before the tests had run: nothing limited it.
    "early-exit": "logic",
    # A signal that no limit sends, such as SIGSEGV.
    "crash": "logic",
}
"""What a failure of each measured class is about. Written before the kinds were compared."""

EXCEPTIONS: Mapping[str, FailureKind] = {
    "ModuleNotFoundError": "environment",
}
"""Measured exceptions that are about something else than the others of their class."""

LOOPS = [
    "ldb|humaneval__gpt-3.5-turbo-0613",
    "ldb|mbpp__gpt-3.5-turbo-0613",
    "mapcoder-reflexion|ChatGPT-Reflexion-10-HumanEval",
]
"""The recordings of several attempts with feedback."""

OTHERS = [
    "reflexion|simple_human_eval_py_logging",
    "codet|codegen-16B-n100",
]
"""Recordings of independent samples, which have more classes. Raw replies are left out: the
recorder took other code from them than planish does."""

AGREEMENT = 0.99


@dataclass(frozen=True)
class Row:
    """One recorded reply, with the class that was measured for its program."""

    series: Series
    number: int
    measured: Mapping[str, Any]

    @property
    def wanted(self) -> FailureKind | None:
        name: str = self.measured["exc"] or ""
        return EXCEPTIONS[name] if name in EXCEPTIONS else MAPPING[self.measured["result"]]


def rows_of(directory: Path, run: Run) -> Iterator[Row]:
    measured: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    with gzip.open(directory / f"{run.source}.jsonl.gz", "rt") as lines:
        for row in map(json.loads, lines):
            if row["run"] == run.name:
                measured[row["bench"], row["task_id"]].append(row)
    for series in run.series:
        own = measured[series.problem.bench, series.problem.task_id]
        own.sort(key=lambda row: row["attempt"])
        for number in range(len(series.replies)):
            yield Row(series, number, own[number]["verified_full"])


def kinds_of(rows: Sequence[Row]) -> list[FailureKind | None]:
    """Return the kind of each reply's failure in a real sandbox."""
    execution = CodeExecution(LocalSandbox(), limits=PROGRAM_LIMITS)

    async def one(row: Row) -> Execution:
        task = row.series.graded_problem.task()
        found = row.series.extract(row.series.replies[row.number], task)
        return await execution.run(Candidate(task=task, code=found.code, problem=found.problem))

    async def every() -> list[FailureKind | None]:
        results = await Map(step(one), concurrency=2).run(rows)
        return [failure_kind(result.unwrap()) for result in results]

    return anyio.run(every)


def compare(rows: Sequence[Row]) -> None:
    """Compare kinds and classes; print the table of both, and each that differs."""
    kinds = kinds_of(rows)
    table = Counter((row.measured["result"], kind) for row, kind in zip(rows, kinds, strict=True))
    print(f"\n{'measured':<14}{'kind':<14}replies")  # noqa: T201
    for (result, kind), count in sorted(table.items(), key=str):
        print(f"{result:<14}{kind or 'none':<14}{count}")  # noqa: T201
    differing = [
        (row.series.problem.key, row.number + 1, dict(row.measured), kind)
        for row, kind in zip(rows, kinds, strict=True)
        if kind != row.wanted
    ]
    print(f"{len(differing)} of {len(rows)} differ", *differing, sep="\n")  # noqa: T201
    failed = sum(row.wanted is not None for row in rows)
    assert failed >= 10
    assert len(differing) <= (1 - AGREEMENT) * failed, differing  # of the failures alone


@pytest.mark.parametrize(
    "every", [pytest.param(1, marks=pytest.mark.long, id="all"), pytest.param(3, id="some")]
)
def test_the_kinds_of_recorded_attempts_agree_with_their_classes(
    shared_data: SharedData, every: int
) -> None:
    directory = shared_data("replay/dev")
    runs = runs_of(directory)
    rows = [row for key in LOOPS for row in rows_of(directory, runs[key])]
    compare(rows[::every])


@pytest.mark.long
@pytest.mark.parametrize("key", OTHERS)
def test_the_kinds_of_recorded_samples_agree_with_their_classes(
    shared_data: SharedData, key: str
) -> None:
    directory = shared_data("replay/dev")
    compare([*rows_of(directory, runs_of(directory)[key])])


@pytest.mark.long
def test_every_measured_class_has_a_kind(shared_data: SharedData) -> None:
    directory = shared_data("replay/dev")
    for run in runs_of(directory).values():
        for row in rows_of(directory, run):
            assert row.measured["result"] in MAPPING
