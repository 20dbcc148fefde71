"""Recordings with the verdicts that were measured when they were made, for comparison only."""

import gzip
import json
from collections import defaultdict
from pathlib import Path
from typing import Any, cast, get_args

from planish_integrations.evaluation import Run, Series, load_recordings
from planish_integrations.evaluation._replay import GateResult, ProgramOutcome, SeriesResult

__all__ = ["as_recorded", "runs_of"]

ENDINGS: tuple[str, ...] = get_args(ProgramOutcome)

Verdicts = dict[tuple[str, str], list[dict[str, Any]]]


def runs_of(directory: Path) -> dict[str, Run]:
    """The runs of a directory by their key."""
    return {run.key: run for run in load_recordings(directory).runs}


def as_recorded(directory: Path, run: Run) -> list[SeriesResult]:
    """What replaying a run would give if every program ended as it did for its recorder."""
    rows: Verdicts = defaultdict(list)
    with gzip.open(directory / f"{run.source}.jsonl.gz", "rt") as lines:
        for row in map(json.loads, lines):
            if row["run"] == run.name:
                rows[row["bench"], row["task_id"]].append(row)
    return [_replayed(one, rows, run) for one in run.series]


def _replayed(series: Series, rows: Verdicts, run: Run) -> SeriesResult:
    own = sorted(
        rows[series.problem.bench, series.problem.task_id], key=lambda row: row["attempt"]
    )[: len(series.replies)]
    endings = [row["verified_full"]["result"] for row in own]
    assert set(endings) <= set(ENDINGS)
    visible = [row["verified_visible"]["result"] for row in own if "verified_visible" in row]
    loop = run.sequence == "feedback"
    return SeriesResult(
        series=series,
        outcomes=cast("tuple[ProgramOutcome, ...]", tuple(endings)),
        full=_gate(endings) if loop else GateResult(None, len(endings)),
        visible=_gate(visible) if visible else None,
    )


def _gate(results: list[str]) -> GateResult:
    if "pass" not in results:
        return GateResult(None, len(results))
    first = results.index("pass") + 1
    return GateResult(first, first)
