"""Parse rows of a recording and find the problems they answer."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, cast

from planish.data.tests import Tests
from planish.errors import TaskError
from planish_integrations.evaluation._errors import DatasetError, Skip
from planish_integrations.evaluation._jsonl import (
    Line,
    id_field,
    positive_int_field,
    text_field,
    text_list_field,
)
from planish_integrations.evaluation._problem import Problem
from planish_integrations.evaluation._problem_files import load_problems
from planish_integrations.evaluation._series import FORMS, Form, Order

__all__ = ["ProblemBank", "RecordedReply", "SkippedRow", "parse_row"]

_TASK_FILES = ("tasks.jsonl.gz", "tasks.jsonl")


class ProblemBank:
    """The problems that a directory of recordings answers.

    Args:
        directory: Contains `tasks.jsonl.gz`. For a row with a `task_split`, the directory of that
            name next to this one is searched too.

    Raises:
        DatasetError: the directory does not exist, or has no task file.
    """

    def __init__(self, directory: Path) -> None:
        if not directory.is_dir():
            raise DatasetError(f"{directory}: there is no such directory")
        self._directory = directory
        self._problems: dict[tuple[str, str], Problem] = {}
        self._read: set[Path] = set()
        self._task_errors: dict[Problem, str | None] = {}
        if not self._load(directory):
            raise DatasetError(f"{directory}: no tasks.jsonl.gz in it")

    def find(self, row: Mapping[str, Any]) -> Problem | None:
        """Return the problem of a row; None if it is unknown."""
        bench, task_id = text_field(row, "bench"), id_field(row, "task_id")
        if task_id is None:
            return None
        found = self._find(bench, task_id)
        split = text_field(row, "task_split")
        if found is None and split and self._load(self._directory.parent / split):
            found = self._find(bench, task_id)
        return found

    def task_error(self, problem: Problem) -> str | None:
        """Return why a problem cannot be judged; None if it can."""
        if problem not in self._task_errors:
            try:
                problem.task()
                self._task_errors[problem] = None
            except TaskError as error:
                self._task_errors[problem] = str(error)
        return self._task_errors[problem]

    def _find(self, bench: str | None, task_id: str) -> Problem | None:
        if bench is not None:
            return self._problems.get((bench, task_id))
        same = [problem for (_, known), problem in self._problems.items() if known == task_id]
        return same[0] if len(same) == 1 else None

    def _load(self, directory: Path) -> bool:
        """Read a directory's tasks; return False if it has none or was read before."""
        path = next((p for name in _TASK_FILES if (p := directory / name).is_file()), None)
        if path is None or path in self._read:
            return False
        self._read.add(path)
        for problem in load_problems(path).problems:
            self._problems.setdefault((problem.bench, problem.task_id), problem)
        return True


_TESTS = re.compile(r"((own|row|hidden|upstream)_)?tests?(_(suffix|text|code))?")
"""Names of fields with a row's own tests, in recordings that are older than their tasks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedReply:
    """One recorded reply.

    Attributes:
        line: Its line in the file, from 1.
        source: The source that recorded it.
        run: The run it belongs to.
        problem: The problem it answers, with the row's own tests if it has some.
        attempt: Its place among the replies to the problem, from 1; None if not recorded.
        form: What was recorded.
        sequence: How the replies to a problem are related.
        text: The text; "" for a reply that was recorded as null.
    """

    line: int
    source: str
    run: str
    problem: Problem
    attempt: int | None
    form: Form
    sequence: Order
    text: str

    @property
    def key(self) -> str:
        """The run's key."""
        return f"{self.source}|{self.run}"


class SkippedRow(NamedTuple):
    """A skipped row and the key of its run ("" if it has none)."""

    key: str
    skip: Skip


def parse_row(
    line: Line, stem: str, bank: ProblemBank
) -> tuple[RecordedReply | None, SkippedRow | None]:
    """Return the reply of a line, or why the line is skipped.

    Args:
        line: One line of a source's file.
        stem: The file's name, for rows without a source.
        bank: The problems.
    """
    row = line.row
    source = text_field(row, "source") or stem
    run = text_field(row, "run", "model") or stem
    key = "" if line.error else f"{source}|{run}"
    reason = line.error or _format_error(row)
    problem = None if reason else bank.find(row)
    if problem is not None:
        problem = _with_own_fields(problem, row)
        reason = bank.task_error(problem)
    if problem is None or reason is not None:
        reason = reason or "its task is not among the tasks"
        return None, SkippedRow(key, Skip(reason, line.number, id_field(row, "task_id")))
    return RecordedReply(
        line=line.number,
        source=source,
        run=run,
        problem=problem,
        attempt=positive_int_field(row, "attempt"),
        form=cast("Form", row.get("form") or "raw"),
        sequence=_sequence(row),
        text=row["completion"] or "",
    ), None


def _format_error(row: Mapping[str, Any]) -> str | None:
    if id_field(row, "task_id") is None:
        return "has no task_id"
    if "completion" not in row:
        return "has no completion"
    if not isinstance(row["completion"], str | None):
        return "its completion is not a text"
    if (row.get("form") or "raw") not in FORMS:
        return f"its form {row['form']!r} is none of {', '.join(FORMS)}"
    return None


def _sequence(row: Mapping[str, Any]) -> Order:
    value = row.get("sequence")
    if value is None:
        return "feedback" if "feedback_after" in row else "independent"
    # "final-only" is a series of one sample.
    return "feedback" if value == "feedback" else "independent"


def _with_own_fields(problem: Problem, row: Mapping[str, Any]) -> Problem:
    """Return the problem with the row's own fields, since recordings may be older than tasks."""
    visible = text_list_field(row, "visible_tests")
    return replace(
        problem,
        prompt=text_field(row, "prompt") or problem.prompt,
        preamble=_first_not_none(text_field(row, "preamble"), problem.preamble),
        entry_point=text_field(row, "entry_point") or problem.entry_point,
        tests=_own_tests(problem, row),
        visible_tests=problem.visible_tests if visible is None else visible,
    )


def _first_not_none(own: str | None, default: str) -> str:
    return default if own is None else own


def _own_tests(problem: Problem, row: Mapping[str, Any]) -> str | Tests:
    names = [name for name in row if _TESTS.fullmatch(name)]
    own = text_field(row, "test_suffix", *names)
    if own is None:
        listed = (text_list_field(row, name) for name in names)
        return next(("\n".join(tests) for tests in listed if tests), problem.tests)
    name = text_field(row, "entry_point") or problem.entry_point
    # HumanEval's tests define `check` and leave the call to the test runner.
    is_called = "def check(" not in own or own.count("check(") > 1
    return own if is_called or name is None else f"{own}\ncheck({name})\n"
