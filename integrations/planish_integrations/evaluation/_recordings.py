"""Load directories of recorded replies: `tasks.jsonl.gz` and one file for each source."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from planish_integrations.evaluation._errors import DatasetError, Skip
from planish_integrations.evaluation._jsonl import read_lines
from planish_integrations.evaluation._recorded_rows import ProblemBank, RecordedReply, parse_row
from planish_integrations.evaluation._series import Run, Series

__all__ = ["Recordings", "load_recordings"]

_ENDS = (".jsonl.gz", ".jsonl")


@dataclass(frozen=True, slots=True)
class Recordings:
    """The runs of a directory.

    Attributes:
        runs: In the files' order.
        skips: For each run's key the skipped rows; under "" those of no run.
    """

    runs: tuple[Run, ...]
    skips: dict[str, list[Skip]]


def load_recordings(
    directory: Path,
    *,
    source: str | None = None,
    run: str | None = None,
    attempts: int | None = None,
) -> Recordings:
    """Read recorded replies. Recorded verdicts are ignored.

    Args:
        directory: Contains `tasks.jsonl.gz` and `<source>.jsonl.gz` files.
        source: Only this source.
        run: Only runs of this name.
        attempts: Only the first `attempts` replies to each problem.

    Raises:
        DatasetError: there are no such files or runs, or a file cannot be read.
    """
    bank = ProblemBank(directory)
    rows: dict[str, list[RecordedReply]] = defaultdict(list)
    skips: dict[str, list[Skip]] = defaultdict(list)
    for name, path in _sources(directory, source).items():
        for line in read_lines(path):
            row, skip = parse_row(line, name, bank)
            if row is not None:
                rows[row.key].append(row)
            elif skip is not None:
                skips[skip.key].append(skip.skip)
    selected = {key: run_rows for key, run_rows in rows.items() if run in (None, run_rows[0].run)}
    if not selected:
        raise DatasetError(_no_runs_message(directory, run, rows, skips))
    runs = tuple(_run(run_rows, attempts, skips[key]) for key, run_rows in selected.items())
    return Recordings(
        runs, {k: v for k, v in skips.items() if v and (run is None or k in selected)}
    )


def _no_runs_message(
    directory: Path,
    run: str | None,
    rows: Mapping[str, Sequence[RecordedReply]],
    skips: Mapping[str, Sequence[Skip]],
) -> str:
    if rows:
        names = sorted({run_rows[0].run for run_rows in rows.values()})
        return f"no run {run!r} in {directory}; there are: {', '.join(names)}"
    reasons = sorted({skip.reason for run_skips in skips.values() for skip in run_skips})
    return f"{directory}: no reply can be replayed: {'; '.join(reasons[:3])}"


def _sources(directory: Path, source: str | None) -> dict[str, Path]:
    paths = {
        path.name.removesuffix(end): path
        for end in _ENDS
        for path in sorted(directory.glob(f"*{end}"))
    }
    paths.pop("tasks", None)
    if not paths:
        raise DatasetError(f"{directory}: no recordings (<source>.jsonl.gz) next to the tasks")
    if source is None:
        return paths
    if source not in paths:
        raise DatasetError(f"no source {source!r} in {directory}; there are: {', '.join(paths)}")
    return {source: paths[source]}


def _run(rows: Sequence[RecordedReply], attempts: int | None, skips: list[Skip]) -> Run:
    by_problem: dict[str, list[RecordedReply]] = defaultdict(list)
    for row in rows:
        by_problem[row.problem.key].append(row)
    first = rows[0]
    feedback = any(row.sequence == "feedback" for row in rows)
    return Run(
        source=first.source,
        name=first.run,
        sequence="feedback" if feedback else "independent",
        series=tuple(_series(run_rows, attempts, skips) for run_rows in by_problem.values()),
    )


def _series(rows: Sequence[RecordedReply], attempts: int | None, skips: list[Skip]) -> Series:
    # A row without an attempt number follows the earlier rows of the file.
    ordered = sorted(rows, key=lambda row: row.attempt or len(rows))
    first = ordered[0]
    same_form: list[RecordedReply] = []
    for row in ordered:
        if (row.form, row.problem) == (first.form, first.problem):
            same_form.append(row)
        else:
            reason = "its form or tests are not those of the task's first row"
            skips.append(Skip(reason, row.line, row.problem.task_id))
    return Series(first.problem, first.form, tuple(row.text for row in same_form[:attempts]))
