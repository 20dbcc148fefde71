"""Feedback policies of loops: what the next attempt is given."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Literal

from planish.arguments import require_choice, require_count, require_number
from planish.configuration import Configured
from planish.data.candidate import Candidate
from planish.data.evidence_text import one_line
from planish.data.feedback import EarlierCode, Feedback, Issue, PreviousAttempt
from planish.data.report import Report
from planish.data.status import Status
from planish.data.task import Task
from planish.feedback._hints import Hints, hint_for

__all__ = [
    "Policy",
    "Rule",
    "add_hints",
    "error_signatures",
    "keep_task",
    "restart_after",
    "restart_on_repeat",
    "rules",
    "window",
]

_NO_ERROR = (Status.SUCCESS, Status.PARTIAL_SUCCESS)
_DESCRIBED = 20  # attempts that are described before a start from scratch
_SUMMARY = 200  # characters
_CHARACTERS_PER_TOKEN = 4  # of English and of code, roughly


class Policy(Configured, ABC):
    """Base class of policies that compose: each revises the feedback that the one before made.

    `Retry(feedback=[window(2), restart_on_repeat()])` applies them in order. A policy is a
    function of the outcome too, so it may be called by a policy of your own.
    """

    @abstractmethod
    def revise(self, feedback: Feedback, report: Report) -> Feedback:
        """Return the feedback for the next attempt.

        Args:
            feedback: The feedback so far: the report's own, as earlier policies revised it.
            report: The report of the last attempt.
        """

    def __call__(self, report: Report) -> Feedback | None:
        """Return the revised feedback of a report; None if the policy does not change it."""
        own = report.feedback
        revised = self.revise(own, report)
        return None if revised == own else revised


class restart_after(Policy):
    """A feedback policy that starts from scratch after a number of errors in a row.

    Models often keep repairing code that should be discarded. After so many errors the next
    request has no earlier code, and a line on what went wrong in each of those attempts. In all
    other rounds the policy does not change the feedback.

    Args:
        errors: Number of attempts in a row whose status is neither SUCCESS nor PARTIAL_SUCCESS;
            3 by default.
        temperature: Sampling temperature of the request that starts from scratch; None (the
            default) for the generator's own.

    Raises:
        ValueError: errors is no whole number of at least 1, or the temperature is below 0.
    """

    def __init__(self, errors: int = 3, *, temperature: float | None = None) -> None:
        require_count("restart_after", "errors", errors)
        if temperature is not None:
            require_number("restart_after", "temperature", temperature, least=0)
        self.errors = errors
        self.temperature = temperature

    def revise(self, feedback: Feedback, report: Report) -> Feedback:  # noqa: ARG002
        """Return feedback without code after so many errors, else the feedback as it is."""
        attempts = feedback.previous_attempts
        failed = list(takewhile(lambda one: one.status not in _NO_ERROR, reversed(attempts)))
        if not failed or len(failed) % self.errors:
            return feedback
        last = failed[: min(self.errors, _DESCRIBED)][::-1]
        summaries = "\n".join(f"- {one_line(one.summary, _SUMMARY)}" for one in last)
        restarted = Feedback(
            text=f"The last {self.errors} attempts failed. Start from scratch. They failed with:\n"
            f"{summaries}",
            attempt=feedback.attempt,
            previous_attempts=attempts,
            temperature=self.temperature,
        )
        return restarted.with_words(feedback.text) if feedback.text else restarted


class restart_on_repeat(Policy):
    """A feedback policy that drops the code if the model has repeated it.

    A model that sees its own code tends to write it again. After a repeated reply the next
    request has the evidence and what was tried, without the code, at another temperature.

    Args:
        temperature: Sampling temperature of that request; 1.0 by default; None for the
            generator's own.

    Raises:
        ValueError: the temperature is below 0.
    """

    def __init__(self, temperature: float | None = 1.0) -> None:
        if temperature is not None:
            require_number("restart_on_repeat", "temperature", temperature, least=0)
        self.temperature = temperature

    def revise(self, feedback: Feedback, report: Report) -> Feedback:  # noqa: ARG002
        """Return feedback without code after a repeated reply, else the feedback as it is."""
        if feedback.repeats is None:
            return feedback
        return replace(feedback, previous_code="", earlier=(), temperature=self.temperature)


class window(Policy):
    """A feedback policy that shows the code of more attempts than the last one.

    Without it, a request has the last attempt's code and evidence only, so that its size does
    not grow with the number of attempts.

    Args:
        last: Number of attempts whose code is shown, the last one included; 1 by default.
        best: Whether to show the code of the earlier attempt with the highest score too.
        older: What of the others: "drop" (the default) or "summary", one line for each of the
            last six.
        tokens: Most tokens of earlier code, at four characters each; 4,000 by default. Newer
            attempts come first; code that does not fit becomes a summary.

    Raises:
        ValueError: `last` or `tokens` is less than 1 or no whole number, or tokens more than
            16,000; `older` is another word.
    """

    def __init__(
        self,
        last: int = 1,
        *,
        best: bool = False,
        older: Literal["drop", "summary"] = "drop",
        tokens: int = 4_000,
    ) -> None:
        require_count("window", "last", last)
        require_count("window", "tokens", tokens)
        if tokens > _MAX_TOKENS:
            raise ValueError(f"window(tokens={tokens!r}): must be at most {_MAX_TOKENS}")
        require_choice("window", "older", older, ("drop", "summary"))
        self.last = last
        self.best = best
        self.older: Literal["drop", "summary"] = older
        self.tokens = tokens

    def revise(self, feedback: Feedback, report: Report) -> Feedback:  # noqa: ARG002
        """Return the feedback with the code of earlier attempts, and a line on each other one."""
        described = feedback.described or feedback.attempt
        others = [one for one in feedback.previous_attempts if one.attempt != described]
        newest = others[::-1]
        wanted = newest[: self.last - 1]
        if self.best and newest:
            top = max(newest, key=lambda one: -1.0 if one.score is None else one.score)
            wanted += [] if top in wanted else [top]
        chosen = list(self._within_budget(wanted, feedback.previous_code))
        rest = tuple(one for one in others if one not in chosen)
        return replace(
            feedback,
            earlier=tuple(
                EarlierCode(attempt=one.attempt, code=one.code, summary=_ending(one))
                for one in sorted(chosen, key=lambda one: one.attempt)
            ),
            older=rest if self.older == "summary" else (),
        )

    def _within_budget(
        self, wanted: Sequence[PreviousAttempt], last_code: str
    ) -> Sequence[PreviousAttempt]:
        left = self.tokens * _CHARACTERS_PER_TOKEN
        chosen: list[PreviousAttempt] = []
        codes = {last_code, ""}
        for one in wanted:
            if one.code in codes or len(one.code) > left:
                continue
            codes.add(one.code)
            left -= len(one.code)
            chosen.append(one)
        return chosen


_MAX_TOKENS = 16_000


def _ending(attempt: PreviousAttempt) -> str:
    return attempt.render().partition(" ")[2].partition(" ")[2]


class add_hints(Policy):
    """A feedback policy that adds hints of your own by the class of the exception.

    A hint holds for subclasses too. It replaces the default hint of `HINTS`.

    Args:
        hints: What to do, by exception class or by the name of one.
    """

    def __init__(self, hints: Hints) -> None:
        self.hints = hints

    def revise(self, feedback: Feedback, report: Report) -> Feedback:  # noqa: ARG002
        """Return the feedback with the hints of its exceptions as fixes."""
        return replace(feedback, issues=tuple(map(self._with_hint, feedback.issues)))

    def _with_hint(self, issue: Issue) -> Issue:
        hint = hint_for(issue.exception, issue.bases, self.hints) if issue.exception else ""
        return replace(issue, fix=hint) if hint else issue


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of a domain: what to say of a candidate for which a condition holds.

    Attributes:
        when: Returns whether the rule applies to a candidate.
        issue: What is wrong with it.
        fix: What to do about it.
    """

    when: Callable[[Candidate], bool]
    issue: str
    fix: str = ""


class rules(Policy):
    """A feedback policy that adds an issue for each rule whose condition holds.

    Each rule is applied once in a run: to the first candidate for which its condition holds.

    Args:
        rules: The rules.
    """

    def __init__(self, *rules: Rule) -> None:
        self.rules = rules

    def revise(self, feedback: Feedback, report: Report) -> Feedback:
        """Return the feedback with the issues of the rules that hold now, and not before."""
        new = {id(attempt.execution) for attempt in report.history}
        before = [
            one.execution.candidate
            for one in feedback.previous_attempts
            if one.execution is not None and id(one.execution) not in new
        ]
        last = [attempt.candidate for attempt in report.history]
        found = tuple(
            Issue(issue=rule.issue, fix=rule.fix)
            for rule in self.rules
            if any(map(rule.when, last)) and not any(map(rule.when, before))
        )
        return replace(feedback, issues=(*feedback.issues, *found)) if found else feedback


def keep_task(report: Report) -> Task | None:
    """Give the next round the task of the last attempt, as a step has changed it.

    A feedback policy, for loops around a `Repair` that mends tests, or around a step of your own
    that adds files or context to the task.
    """
    best = report.best
    return None if best is None else replace(best.candidate.task, feedback=None)


def error_signatures(report: Report) -> Counter[str]:
    """Count the error signatures of all attempts of a report.

    A signature is an exception with its message, without numbers and addresses, so that one
    error at different lines is counted as one. Each counts once for an attempt.
    """
    counts: Counter[str] = Counter()
    for attempt in report.history:
        findings = attempt.verdict.findings
        counts.update({finding.signature for finding in findings if finding.signature})
    return counts
