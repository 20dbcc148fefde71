"""Load files of problems: published benchmarks, or the task files of recordings."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from planish_integrations.evaluation._apps import from_apps
from planish_integrations.evaluation._codecontests import from_codecontests
from planish_integrations.evaluation._errors import DatasetError, RowError, Skip
from planish_integrations.evaluation._evalplus import from_evalplus
from planish_integrations.evaluation._humaneval import from_humaneval
from planish_integrations.evaluation._jsonl import id_field, read_lines, text_field, text_list_field
from planish_integrations.evaluation._livecodebench import from_livecodebench
from planish_integrations.evaluation._mbpp import from_mbpp
from planish_integrations.evaluation._problem import Problem

__all__ = ["Problems", "load_problems"]


@dataclass(frozen=True, slots=True)
class Problems:
    """The problems of a file.

    Attributes:
        problems: In the file's order.
        skips: The lines that contain none.
    """

    problems: tuple[Problem, ...]
    skips: tuple[Skip, ...] = ()


def load_problems(path: Path) -> Problems:
    """Read a file of problems, one JSON object a line, gzipped or not.

    Raises:
        DatasetError: the file cannot be read, or contains no problem that can be used.
    """
    problems: list[Problem] = []
    skips: list[Skip] = []
    lines = read_lines(path)
    row_error = ""
    for line in lines:
        try:
            problem = next((found for read in _READERS if (found := read(line.row))), None)
            reason = line.error or "is not a task: it lacks a prompt, an id or tests"
        except RowError as error:
            problem, reason = None, str(error)
            row_error = row_error or reason
        if problem is None:
            skips.append(Skip(reason, line.number, id_field(line.row, *_IDS)))
        else:
            problems.append(problem)
    if not problems and row_error:
        raise DatasetError(f"{path}: no task can be run as published: {row_error}")
    if not problems:
        raise DatasetError(
            f"{path}: no tasks: a row must have the fields of a known format: {_FORMATS}; "
            f"its rows have {', '.join(lines[0].row)}"
        )
    return Problems(tuple(problems), tuple(skips))


def _from_task_file(row: Mapping[str, Any]) -> Problem | None:
    task_id = id_field(row, "task_id")
    if task_id is None or row.get("test_suffix") is None:
        return None
    for name in ("bench", "prompt", "entry_point", "preamble", "canonical", "test_suffix"):
        if row.get(name) is not None and text_field(row, name) is None:
            raise RowError(f"its {name!r} is not a text")
    if row.get("visible_tests") is not None and text_list_field(row, "visible_tests") is None:
        raise RowError("its 'visible_tests' is not a list of texts")
    return Problem(
        bench=text_field(row, "bench") or "tasks",
        task_id=task_id,
        prompt=text_field(row, "prompt") or "",
        entry_point=text_field(row, "entry_point"),
        preamble=text_field(row, "preamble") or "",
        tests=text_field(row, "test_suffix") or "",
        visible_tests=text_list_field(row, "visible_tests") or (),
        canonical_solution=text_field(row, "canonical"),
        counts={"test_suffix": 1},
    )


_READERS: tuple[Callable[[Mapping[str, Any]], Problem | None], ...] = (
    _from_task_file,
    from_evalplus,
    from_livecodebench,
    from_codecontests,
    from_apps,
    from_mbpp,
    from_humaneval,
)
_IDS = ("task_id", "question_id", "problem_id", "name")
_FORMATS = (
    "HumanEval (task_id, prompt, entry_point, canonical_solution, test), EvalPlus (base_input, "
    "plus_input), MBPP (task_id, code, test_list), APPS (question, input_output), CodeContests "
    "(description, public_tests), LiveCodeBench (question_content, public_test_cases), or a task "
    "file (bench, task_id, prompt, test_suffix)"
)
