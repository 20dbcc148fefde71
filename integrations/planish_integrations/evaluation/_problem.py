"""One problem of a benchmark: what is asked, and how an answer is judged."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from planish import Task
from planish.data import Assertions
from planish.data.tests import Tests

__all__ = ["Problem", "test_counts"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A task of a benchmark, with the tests the model may see apart from the hidden ones.

    Attributes:
        bench: The benchmark's name.
        task_id: The problem's name in it.
        prompt: What the model is given: as a rule the head of a function and its docstring.
        entry_point: What is asked for.
        preamble: Code that stands before every answer: imports and helpers of the prompt.
        tests: The tests that decide. Text is code, run after the answer as one script.
        visible_tests: Tests the model may see: assertions, or tests of the kind that decides.
        canonical: A whole program that is right; None where the benchmark has none.
        counts: How many tests are run of each field of the published row.
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
        """A name no problem of another benchmark has; the `Task.id`."""
        own = self.task_id.startswith(self.bench)
        return self.task_id if own else f"{self.bench}:{self.task_id}"

    def task(self) -> Task:
        """The problem, judged by all its tests.

        Raises:
            TaskError: it cannot be judged: its tests do not parse, or check nothing.
        """
        return self._task(self.tests)

    def visible_task(self) -> Task:
        """The problem, judged by its visible tests only.

        Raises:
            TaskError: as `task`, and where it has no visible tests.
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
    """Return, for each benchmark, its tasks and the tests of each field of its rows."""
    found: dict[str, Any] = {}
    for problem in problems:
        known = found.setdefault(problem.bench, {"tasks": 0, "tests": {}})
        known["tasks"] += 1
        for name, count in problem.counts.items():
            known["tests"][name] = known["tests"].get(name, 0) + count
    return found
