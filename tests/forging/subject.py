"""A task of the forging suite, in every kind of tests that can say it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from planish.data.tests import Assertions, Case, Cases, PytestFile, Stdio, StdioPairs, Tests

__all__ = ["Subject", "about", "called"]


@dataclass(frozen=True, kw_only=True)
class Subject:
    """One task.

    Attributes:
        names: What a candidate defines; the first is the entry point.
        right: Code that is right.
        wrong: Code that no test passes.
        facts: Expressions that are true for right code, each a test.
        cases: The same as rows of arguments and values, where it can be put so.
        before: Imports and helpers of the tests, in front of them.
        pairs: What a program reads, and what it should print.
        predicates: Rows of arguments and what must be true of `result`.
        named: The task names the entry point.
    """

    names: tuple[str, ...]
    right: str
    wrong: str
    facts: tuple[str, ...] = ()
    cases: tuple[tuple[Any, Any], ...] = ()
    before: str = ""
    pairs: tuple[tuple[str, str], ...] = ()
    predicates: tuple[tuple[Any, str], ...] = ()
    named: bool = True

    @property
    def entry(self) -> str | None:
        """What the task calls the entry point."""
        return self.names[0] if self.names and self.named else None

    @property
    def checks(self) -> str:
        """The facts as assert statements, one a line."""
        return self.before + self.lines

    @property
    def lines(self) -> str:
        """The facts alone."""
        return "".join(f"assert {fact}\n" for fact in self.facts)

    @property
    def unit(self) -> str:
        """The facts as a unittest class."""
        rows = [
            f"    def test_{number}(self):\n        {_asserted(fact)}\n"
            for number, fact in enumerate(self.facts)
        ]
        return f"import unittest\n{self.before}class TestAll(unittest.TestCase):\n{''.join(rows)}"

    @property
    def file(self) -> str:
        """The facts as a pytest file."""
        rows = [f"def test_{n}():\n    assert {fact}\n" for n, fact in enumerate(self.facts)]
        return f"from solution import {', '.join(self.names)}\n{self.before}{''.join(rows)}"

    @property
    def tests(self) -> Mapping[str, Tests]:
        """The tests, by kind."""
        found: dict[str, Tests] = {}
        if self.facts:
            found |= {
                "checks": Assertions(self.checks),
                "script": Assertions(self.checks, run_as="script"),
                "unittest": Assertions(self.unit),
                "pytest": PytestFile(self.file),
            }
        if self.cases:
            found["cases"] = Cases(tuple(Case((arg,), value) for arg, value in self.cases))
        if self.predicates:
            rows = [Case((arg,), predicate=text) for arg, text in self.predicates]
            found["predicates"] = Cases(tuple(rows))
        if self.pairs:
            found["stdio"] = StdioPairs(tuple(Stdio(*pair) for pair in self.pairs))
        return found


def _asserted(fact: str) -> str:
    left, equal, right = fact.partition(" == ")
    if equal and " and " not in fact:
        return f"self.assertEqual({left}, {right})"
    return f"self.assertTrue({fact})"


def called(name: str, right: str, wrong: str, rows: tuple[tuple[Any, Any], ...]) -> Subject:
    """A function by what it gives for what."""
    return Subject(
        names=(name,),
        right=f"def {name}(x):\n    return {right}\n",
        wrong=f"def {name}(x):\n    return {wrong}\n",
        facts=tuple(f"{name}({arg!r}) == {value!r}" for arg, value in rows),
        cases=rows,
    )


def about(
    name: str,
    right: str,
    wrong: str,
    *facts: str,
    before: str = "",
    named: bool = True,
    predicates: tuple[tuple[Any, str], ...] = (),
) -> Subject:
    """A function by what is true of it."""
    return Subject(
        names=(name,),
        right=f"def {name}(x):\n    return {right}\n",
        wrong=f"def {name}(x):\n    return {wrong}\n",
        facts=facts,
        before=before,
        named=named,
        predicates=predicates,
    )
