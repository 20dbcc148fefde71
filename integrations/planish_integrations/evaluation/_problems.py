"""Files of problems: HumanEval as published, or the task files of recordings."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from planish_integrations.evaluation._errors import DatasetError
from planish_integrations.evaluation._fields import text_of, texts_of
from planish_integrations.evaluation._humaneval import from_humaneval
from planish_integrations.evaluation._jsonl import read_lines
from planish_integrations.evaluation._problem import Problem
from planish_integrations.evaluation._skips import Skip

__all__ = ["Problems", "load_problems"]


@dataclass(frozen=True, slots=True)
class Problems:
    """The problems of a file.

    Attributes:
        problems: In the file's order.
        skipped: Lines that hold none.
    """

    problems: tuple[Problem, ...]
    skipped: tuple[Skip, ...] = ()


def load_problems(path: Path) -> Problems:
    """Read a file of problems, one JSON object a line, gzipped or not.

    Raises:
        DatasetError: the file cannot be read, or holds no problem at all.
    """
    problems: list[Problem] = []
    skipped: list[Skip] = []
    lines = read_lines(path)
    for line in lines:
        problem = _from_task_file(line.row) or from_humaneval(line.row)
        if problem is None:
            reason = line.trouble or "is not a task: it lacks a prompt, an id or tests"
            skipped.append(Skip(reason, line.number, text_of(line.row, "task_id")))
        else:
            problems.append(problem)
    if not problems:
        raise DatasetError(
            f"{path}: no tasks: neither HumanEval (task_id, prompt, entry_point, "
            "canonical_solution, test) nor a task file (bench, task_id, prompt, test_suffix); "
            f"its rows have {', '.join(lines[0].row)}"
        )
    return Problems(tuple(problems), tuple(skipped))


def _from_task_file(row: Mapping[str, Any]) -> Problem | None:
    task_id, tests = text_of(row, "task_id"), text_of(row, "test_suffix")
    if task_id is None or tests is None:
        return None
    return Problem(
        bench=text_of(row, "bench") or "tasks",
        task_id=task_id,
        prompt=text_of(row, "prompt") or "",
        entry_point=text_of(row, "entry_point"),
        preamble=text_of(row, "preamble") or "",
        tests=tests,
        visible_tests=texts_of(row, "visible_tests") or (),
        canonical=text_of(row, "canonical"),
    )
