"""What one model answered to one problem, and how an answer becomes a program."""

from dataclasses import dataclass, replace
from typing import Literal, get_args

from planish import Task
from planish.extraction import ExtractedCode, extract
from planish_integrations.evaluation._problem import Problem

__all__ = ["FORMS", "Form", "Order", "Run", "Series"]

Form = Literal["raw", "code", "body"]
"""What was recorded: the whole reply; its code, taken out; or what completes the prompt."""

Order = Literal["feedback", "independent"]
"""How the replies of a series belong together: attempts of one loop, or samples."""

FORMS: tuple[str, ...] = get_args(Form)


@dataclass(frozen=True, slots=True)
class Series:
    """All recorded replies to one problem, in order.

    Attributes:
        problem: What was asked.
        form: What was recorded of each reply.
        replies: The recorded texts.
    """

    problem: Problem
    form: Form
    replies: tuple[str, ...]

    @property
    def graded_problem(self) -> Problem:
        """The problem as this form's programs meet it: what completes a prompt has its head."""
        return replace(self.problem, preamble="") if self.form == "body" else self.problem

    def extract(self, text: str, task: Task) -> ExtractedCode:
        """The code of a reply. What was recorded as code is taken verbatim, be it empty."""
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
        source: Who recorded it: the file's name, or what its rows say.
        name: The run's name there.
        sequence: How the replies of each series belong together.
        series: One for each problem.
    """

    source: str
    name: str
    sequence: Order
    series: tuple[Series, ...]

    @property
    def key(self) -> str:
        """What its figures are filed under."""
        return f"{self.source}|{self.name}"

    @property
    def rows(self) -> int:
        """How many replies it has."""
        return sum(len(one.replies) for one in self.series)
