"""A program with its tests, and what the suite expects to be written in its data modules."""

from dataclasses import dataclass, field
from typing import Any, Literal

from planish import Task
from planish.data.tests import Assertions, Case, PytestFile, Stdio, StdioPairs

__all__ = [
    "Honest",
    "Kind",
    "cases",
    "checks",
    "needing",
    "pytest_file",
    "script",
    "stdio",
    "twin",
]

Kind = Literal["checks", "script", "pytest", "cases", "stdio"]


@dataclass(frozen=True)
class Honest:
    """A right program and its tests.

    Attributes:
        name: What it is about, unique in the suite.
        kind: How its tests are written.
        code: The candidate.
        tests: Test code; for "cases" and "stdio" `pairs` has them.
        pairs: Arguments and expected values, or input and expected output.
        entry: The entry point.
        wrong: A piece of the code, and what makes the program wrong in its stead.
        limit: The name of the limit in `limits.py` that the program meets; None: none.
        needs: Packages beyond the standard library.
        right: False for the wrong twin.
    """

    name: str
    kind: Kind
    code: str
    tests: str = ""
    pairs: tuple[tuple[Any, Any], ...] = ()
    entry: str | None = None
    wrong: tuple[str, str] | None = None
    limit: str | None = None
    needs: tuple[str, ...] = field(default=())
    right: bool = True

    def task(self) -> Task:
        """The task that planish is given."""
        tests: Any = Assertions(self.tests) if self.kind == "checks" else None
        if self.kind == "script":
            tests = Assertions(self.tests, run_as="script")
        elif self.kind == "pytest":
            tests = PytestFile(self.tests)
        elif self.kind == "cases":
            tests = [Case(args, expected) for args, expected in self.pairs]
        elif self.kind == "stdio":
            tests = StdioPairs(tuple(Stdio(given, wanted) for given, wanted in self.pairs))
        return Task(self.name, tests=tests, entry_point=self.entry)


def twin(program: Honest) -> Honest:
    """The program with one piece made wrong."""
    if program.wrong is None or program.code.count(program.wrong[0]) != 1:
        raise ValueError(f"{program.name}: the piece to change stands in the code once")
    code = program.code.replace(*program.wrong)
    return Honest(
        f"{program.name}, made wrong",
        program.kind,
        code,
        program.tests,
        program.pairs,
        program.entry,
        limit=program.limit,
        needs=program.needs,
        right=False,
    )


def checks(
    name: str,
    code: str,
    tests: str,
    *,
    entry: str | None = None,
    wrong: tuple[str, str] | None = None,
    limit: str | None = None,
) -> Honest:
    """A program tested by assert statements, functions that assert, or a unittest class."""
    return Honest(name, "checks", code, tests, entry=entry, wrong=wrong, limit=limit)


def script(name: str, code: str, tests: str, *, wrong: tuple[str, str] | None = None) -> Honest:
    """A program that is one script with its tests."""
    return Honest(name, "script", code, tests, wrong=wrong)


def pytest_file(
    name: str,
    code: str,
    tests: str,
    *,
    wrong: tuple[str, str] | None = None,
    limit: str | None = None,
) -> Honest:
    """A program tested by a pytest file."""
    return Honest(name, "pytest", code, tests, wrong=wrong, limit=limit)


def cases(
    name: str,
    code: str,
    entry: str,
    *pairs: tuple[Any, Any],
    wrong: tuple[str, str] | None = None,
) -> Honest:
    """A program whose entry point is called with a table of arguments."""
    return Honest(name, "cases", code, pairs=pairs, entry=entry, wrong=wrong)


def stdio(
    name: str,
    code: str,
    *pairs: tuple[str, str],
    wrong: tuple[str, str] | None = None,
) -> Honest:
    """A program that reads its input and prints its answer."""
    return Honest(name, "stdio", code, pairs=pairs, wrong=wrong)


def needing(*packages: str) -> "tuple[str, ...]":
    """The packages that a theme needs."""
    return packages
