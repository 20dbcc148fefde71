"""Recorded replies of one model to one problem, and how a reply becomes a program."""

from dataclasses import dataclass, replace
from typing import Literal, get_args

from planish import Task
from planish.extraction import ExtractedCode, extract
from planish_integrations.evaluation._problem import Problem

__all__ = ["FORMS", "Form", "Order", "Run", "Series"]

Form = Literal["raw", "code", "body"]
"""What was recorded: the whole reply, its extracted code, or a completion of the prompt."""

Order = Literal["feedback", "independent"]
"""How the replies of a series are related: attempts of one loop, or independent samples."""

FORMS: tuple[str, ...] = get_args(Form)


@dataclass(frozen=True, slots=True)
class Series:
    """All recorded replies to one problem, in order.

    Attributes:
        problem: The problem.
        form: What was recorded of each reply.
        replies: The recorded texts.
    """

    problem: Problem
    form: Form
    replies: tuple[str, ...]

    @property
    def graded_problem(self) -> Problem:
        """The problem that judges this form's programs: a completion already has the preamble."""
        return replace(self.problem, preamble="") if self.form == "body" else self.problem

    def extract(self, text: str, task: Task) -> ExtractedCode:
        """Return the code of a reply. Recorded code is used unchanged, even if it is empty."""
        match self.form:
            case "raw":
                return extract(text, entry_point=task.required_name, language=task.language)
            case "code":
                return ExtractedCode(text, None, None, 0)
            case "body":
                return ExtractedCode(self.problem.prompt + text, None, None, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One model on one benchmark, as it was recorded.

    Attributes:
        source: The source: the file's name, or the name in its rows.
        name: The run's name in the source.
        sequence: How the replies of each series are related.
        series: One for each problem.
    """

    source: str
    name: str
    sequence: Order
    series: tuple[Series, ...]

    @property
    def key(self) -> str:
        """The key of the run's figures."""
        return f"{self.source}|{self.name}"

    @property
    def rows(self) -> int:
        """How many replies it has."""
        return sum(len(one.replies) for one in self.series)
