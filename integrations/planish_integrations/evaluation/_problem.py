"""`Problem`: a task of a benchmark and the tests that judge an answer."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from planish import Task
from planish.data import Assertions
from planish.data.tests import Tests

__all__ = ["Problem", "test_counts"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A task of a benchmark; the tests that the model may see are separate from the hidden ones.

    Attributes:
        bench: The benchmark's name.
        task_id: The problem's name in it.
        prompt: The model's prompt: usually the head of a function and its docstring.
        entry_point: The function or class to write.
        preamble: Code that precedes every answer: imports and helpers of the prompt.
        tests: The tests that decide. A text is code, run after the answer as one script.
        visible_tests: Tests that the model may see: assertions, or tests of the type of `tests`.
        canonical_solution: A complete correct program; None if the benchmark has none.
        counts: How many tests each field of the published row contains.
    """

    bench: str
    task_id: str
    prompt: str
    entry_point: str | None
    tests: str | Tests
    preamble: str = ""
    visible_tests: tuple[str, ...] | Tests = ()
    canonical_solution: str | None = None
    counts: Mapping[str, int] = field(default_factory=dict[str, int], hash=False)

    @property
    def key(self) -> str:
        """A name that is unique among benchmarks; the `Task.id`."""
        has_prefix = self.task_id.startswith(self.bench)
        return self.task_id if has_prefix else f"{self.bench}:{self.task_id}"

    def task(self) -> Task:
        """Return the task, judged by all tests.

        Raises:
            TaskError: it cannot be judged: its tests do not parse, or check nothing.
        """
        return self._task(self.tests)

    def visible_task(self) -> Task:
        """Return the task, judged by its visible tests only.

        Raises:
            TaskError: as for `task`, or it has no visible tests.
        """
        visible = self.visible_tests
        return self._task("\n".join(visible) if isinstance(visible, tuple) else visible)

    def _task(self, tests: str | Tests) -> Task:
        return Task(
            self.prompt if self.prompt.strip() else f"Write {self.entry_point or self.task_id}.",
            tests=Assertions(tests, run_as="script") if isinstance(tests, str) else tests,
            entry_point=self.entry_point,
            preamble=self.preamble,
            id=self.key,
        )


def test_counts(problems: Iterable[Problem]) -> dict[str, Any]:
    """Return for each benchmark the number of its tasks, and of the tests in each field."""
    counts: dict[str, Any] = {}
    for problem in problems:
        totals = counts.setdefault(problem.bench, {"tasks": 0, "tests": {}})
        totals["tasks"] += 1
        for name, count in problem.counts.items():
            totals["tests"][name] = totals["tests"].get(name, 0) + count
    return counts
