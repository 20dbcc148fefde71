"""The problems that recordings answer."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from planish import TaskError
from planish_integrations.evaluation._errors import DatasetError
from planish_integrations.evaluation._fields import text_of
from planish_integrations.evaluation._problem import Problem
from planish_integrations.evaluation._problems import load_problems

__all__ = ["Bank"]

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
