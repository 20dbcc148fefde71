"""Refuse candidates by rules, before they run."""

from collections.abc import Coroutine, Iterable
from typing import TYPE_CHECKING, cast

from planish.data.candidate import Candidate
from planish.data.feedback import Issue
from planish.errors import WiringError
from planish.runtime.primitive import Primitive

if TYPE_CHECKING:
    from planish.rules import Rule

__all__ = ["CodePolicy"]

_MAX_ISSUES = 20  # of a candidate


class CodePolicy(Primitive[Candidate, Candidate]):
    """Refuse candidates that break rules; put it between generator and execution.

    A refused candidate is not run. It counts as an attempt, and what the rules found becomes
    feedback. A candidate that has a problem already is passed on.

    Args:
        rules: Functions from a candidate to issues: those of `planish.rules`, or your own.
            Without arguments `planish.rules.DEFAULT_RULES`: placeholders and size.

    Raises:
        WiringError: a rule is not a function; at run time, it returned something else than texts
            and issues.

    Example:
        >>> from planish import CodeExecution, CodeGenerator, CodePolicy
        >>> from planish.rules import DEFAULT_RULES, forbid_network
        >>> CodePolicy(*DEFAULT_RULES, forbid_network())
        CodePolicy(forbid_placeholders(), limit_size(), forbid_network())
    """

    def __init__(self, *rules: "Rule") -> None:
        from planish.rules import DEFAULT_RULES  # noqa: PLC0415 - few programs need them

        for rule in rules:
            if not callable(rule):
                raise WiringError(f"CodePolicy({rule!r}): a rule is a function of a Candidate")
        self.rules: tuple[Rule, ...] = rules or DEFAULT_RULES

    async def _run(self, value: Candidate) -> Candidate:
        if value.problem is not None:
            return value
        issues: list[Issue | str] = []
        for rule in self.rules:
            issues += _first_issues(rule, value)
        return value.refuse(*issues[:_MAX_ISSUES]) if issues else value


def _first_issues(rule: "Rule", candidate: Candidate) -> list[Issue | str]:
    """Return the first issues that a rule finds.

    Raises:
        WiringError: it returned something else; the message names the rule.
    """
    found = cast("object", rule(candidate))
    if isinstance(found, str | Issue):  # one issue; a text is no row of letters
        return [found]
    if isinstance(found, Iterable):
        several = cast("Iterable[Issue | str]", found)
        first = [issue for issue, _ in zip(several, range(_MAX_ISSUES), strict=False)]
        if all(isinstance(cast("object", issue), str | Issue) for issue in first):
            return first
        found = first
    if isinstance(found, Coroutine):
        found.close()  # it would warn that nothing awaits it
    name = getattr(rule, "__name__", repr(rule))
    raise WiringError(
        f"CodePolicy({name}): the rule returned {found!r:.200}; return a list of texts or Issues, "
        "which is empty if nothing is wrong"
    )
