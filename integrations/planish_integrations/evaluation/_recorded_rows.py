"""The problems that recordings answer."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, cast

from planish.data.tests import Tests
from planish.errors import TaskError
from planish_integrations.evaluation._errors import DatasetError, Skip
from planish_integrations.evaluation._jsonl import Line, text_of, texts_of, whole_of
from planish_integrations.evaluation._problem import Problem
from planish_integrations.evaluation._problem_files import load_problems
from planish_integrations.evaluation._series import FORMS, Form, Order

__all__ = ["Bank", "Row", "Skipped", "row_of"]

_TASK_FILES = ("tasks.jsonl.gz", "tasks.jsonl")


class Bank:
    """The problems a directory of recordings is about.

    Args:
        directory: Holds `tasks.jsonl.gz`. Where a row says that its task belongs to another
            split (`task_split`), the directory of that name beside this one is asked too.

    Raises:
        DatasetError: there is no such directory, or no task file in it.
    """

    def __init__(self, directory: Path) -> None:
        if not directory.is_dir():
            raise DatasetError(f"{directory}: there is no such directory")
        self._directory = directory
        self._known: dict[tuple[str, str], Problem] = {}
        self._read: set[Path] = set()
        self._troubles: dict[Problem, str | None] = {}
        if not self._take(directory):
            raise DatasetError(f"{directory}: no tasks.jsonl.gz in it")

    def find(self, row: Mapping[str, Any]) -> Problem | None:
        """The problem of a row; None when it is not known."""
        bench, task_id = text_of(row, "bench"), text_of(row, "task_id")
        if task_id is None:
            return None
        found = self._find(bench, task_id)
        split = text_of(row, "task_split")
        if found is None and split and self._take(self._directory.parent / split):
            found = self._find(bench, task_id)
        return found

    def trouble_of(self, problem: Problem) -> str | None:
        """Why a problem cannot be judged; None when it can."""
        if problem not in self._troubles:
            try:
                problem.task()
                self._troubles[problem] = None
            except TaskError as error:
                self._troubles[problem] = str(error)
        return self._troubles[problem]

    def _find(self, bench: str | None, task_id: str) -> Problem | None:
        if bench is not None:
            return self._known.get((bench, task_id))
        same = [problem for (_, known), problem in self._known.items() if known == task_id]
        return same[0] if len(same) == 1 else None

    def _take(self, directory: Path) -> bool:
        """Read a directory's tasks; False where it has none, or was read before."""
        path = next((p for name in _TASK_FILES if (p := directory / name).is_file()), None)
        if path is None or path in self._read:
            return False
        self._read.add(path)
        for problem in load_problems(path).problems:
            self._known.setdefault((problem.bench, problem.task_id), problem)
        return True


_TESTS = re.compile(r"((own|row|hidden|upstream)_)?tests?(_(suffix|text|code))?")
"""What a row's own tests are called: recordings older than their tasks bring them along."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One recorded reply.

    Attributes:
        line: Its line in the file, from 1.
        source: Who recorded it.
        run: In which run.
        problem: What it answers, judged by the row's own tests where it has some.
        attempt: Its place among the replies to the problem, from 1; None where it is not said.
        form: What was recorded.
        sequence: How it belongs to the others.
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


class Skipped(NamedTuple):
    """A row that was left out, with the key of its run ("" where it has none)."""

    key: str
    skip: Skip


def row_of(line: Line, stem: str, bank: Bank) -> tuple[Row | None, Skipped | None]:
    """The reply of a line, or why it is left out.

    Args:
        line: One line of a source's file.
        stem: The file's name, for rows that do not say their source.
        bank: The problems.
    """
    row = line.row
    source = text_of(row, "source") or stem
    run = text_of(row, "run", "model") or stem
    key = "" if line.trouble else f"{source}|{run}"
    reason = line.trouble or _trouble(row)
    problem = None if reason else bank.find(row)
    if problem is not None:
        problem = _with_own(problem, row)
        reason = bank.trouble_of(problem)
    if problem is None or reason is not None:
        reason = reason or "its task is not among the tasks"
        return None, Skipped(key, Skip(reason, line.number, text_of(row, "task_id")))
    return Row(
        line=line.number,
        source=source,
        run=run,
        problem=problem,
        attempt=whole_of(row, "attempt"),
        form=cast("Form", row.get("form") or "raw"),
        sequence=_sequence(row),
        text=row["completion"] or "",
    ), None


def _trouble(row: Mapping[str, Any]) -> str | None:
    if text_of(row, "task_id") is None:
        return "has no task_id"
    if "completion" not in row:
        return "has no completion"
    if not isinstance(row["completion"], str | None):
        return "its completion is not a text"
    if (row.get("form") or "raw") not in FORMS:
        return f"its form {row['form']!r} is none of {', '.join(FORMS)}"
    return None


def _sequence(row: Mapping[str, Any]) -> Order:
    said = row.get("sequence")
    if said is None:
        return "feedback" if "feedback_after" in row else "independent"
    # "final-only" is a series of one sample.
    return "feedback" if said == "feedback" else "independent"


def _with_own(problem: Problem, row: Mapping[str, Any]) -> Problem:
    """The problem with what the row itself says of it: recordings may be older than the tasks."""
    visible = texts_of(row, "visible_tests")
    return replace(
        problem,
        prompt=text_of(row, "prompt") or problem.prompt,
        preamble=_or(text_of(row, "preamble"), problem.preamble),
        entry_point=text_of(row, "entry_point") or problem.entry_point,
        tests=_own_tests(problem, row),
        visible_tests=problem.visible_tests if visible is None else visible,
    )


def _or(own: str | None, otherwise: str) -> str:
    return otherwise if own is None else own


def _own_tests(problem: Problem, row: Mapping[str, Any]) -> str | Tests:
    names = [name for name in row if _TESTS.fullmatch(name)]
    own = text_of(row, "test_suffix", *names)
    if own is None:
        listed = (texts_of(row, name) for name in names)
        return next(("\n".join(tests) for tests in listed if tests), problem.tests)
    name = text_of(row, "entry_point") or problem.entry_point
    # As HumanEval publishes them, tests define `check` and leave calling it to the harness.
    called = "def check(" not in own or own.count("check(") > 1
    return own if called or name is None else f"{own}\ncheck({name})\n"
