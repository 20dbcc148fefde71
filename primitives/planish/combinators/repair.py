"""Hand each failure of a run to the fixer of its kind, and run again without a model."""

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from copy import copy
from typing import Any, cast, get_args

from planish.arguments import require_count
from planish.context.ledger import ledger_scope
from planish.context.path import path_scope
from planish.context.turns import checkpoint
from planish.data.report import Report
from planish.data.status import FailureKind
from planish.data.verdict import Finding
from planish.errors import WiringError
from planish.feedback import execution_findings
from planish.runtime.diagram import Links
from planish.runtime.naming import name_in_path
from planish.runtime.outcomes import join
from planish.runtime.primitive import In, Primitive, as_primitive
from planish.runtime.wiring import require_callable, require_outcome

__all__ = ["Repair"]

Fixer = Callable[[In, Sequence[Finding]], In | Awaitable[In | None] | None]
"""Return what a step is to be run with, given its input and its findings of one kind."""

_KINDS: tuple[FailureKind, ...] = get_args(FailureKind)


class Repair(Primitive[In, Report]):
    """Run a step; hand each failure to the fixer of its kind; and run the step again.

    Some failures are not the code's: a package is missing, or the tests are broken. `Repair`
    stands after the generator, around execution and validator, and fixes them there. The code
    stays, no model is called for it, and the rounds of a loop around it do not count the second
    run. What no fixer has taken, such as a wrong value, is the feedback for the loop's next round.

    Several kinds of failures in one run each go to their own fixer, in the order of `fixers`: each
    gets the input as the fixers before it returned it, and the findings of its kind. A finding goes
    to a fixer once.

    A task that a fixer has changed is the task of the rest of this run. For the rounds after it,
    give the loop the policy `planish.feedback.keep_task`.

    Args:
        step: What is run, such as `CodeExecution(sandbox) >> Validator()`.
        fixers: By kind of failure, a function of the input and the findings; may be async. It
            returns the input to run with: the same one if it has changed something outside, such
            as the packages that are installed; or None if it has not fixed anything.
        rounds: The most runs after the first; 3 by default.

    Raises:
        WiringError: the step does not return reports, there is no such kind, or a fixer is not a
            function.
        ValueError: `rounds` is not a whole number of at least 1.

    Example:
        `Retry(generate >> Repair(run >> check, {"environment": install}), attempts=3)` calls the
        model once if `install` is all that the first reply needs.
    """

    delegates = True

    def __init__(
        self,
        step: Primitive[In, Report],
        fixers: Mapping[FailureKind, Fixer[In]],
        *,
        rounds: int = 3,
    ) -> None:
        self.step: Primitive[In, Report] = as_primitive(step, "Repair:")
        require_outcome("Repair", self.step)
        if not isinstance(cast("object", fixers), Mapping) or not fixers:
            raise WiringError(f"Repair(fixers={fixers!r}): must be a dict of functions by kind")
        for kind, fixer in fixers.items():
            if kind not in _KINDS:
                raise WiringError(f"Repair: {kind!r} is no kind; kinds are {', '.join(_KINDS)}")
            require_callable("Repair", f"fixers[{kind!r}]", fixer, "from an input and findings")
        require_count("Repair", "rounds", rounds)
        self.fixers: dict[FailureKind, Fixer[In]] = dict(fixers)
        self.rounds = rounds
        self._signature = self.step.signature

    def _links(self) -> Links:
        return Links("frame", back="fixed")

    async def _run(self, value: In) -> Report:
        reports: list[Report] = []
        seen: set[tuple[FailureKind, str, str | None]] = set()
        with ledger_scope() as ledger:
            while True:
                number = len(reports) + 1
                segment = f"{name_in_path(self, 'Repair')}#{number}"
                cause = "repair" if number > 1 else None
                with path_scope(segment), ledger_scope(cause) as inner:
                    reports.append(inner.complete(await self.step.run(value)))
                ledger.record(reports[-1])
                fixed = None
                if number <= self.rounds and not reports[-1].passed:
                    fixed = await self._fix(value, reports[-1], seen)
                if fixed is None:
                    # The last one decides, because it has the fixes.
                    selected = len(reports) - 1
                    joined = join(
                        reports,
                        stop_reason=reports[-1].stop_reason,
                        usage=ledger.usage,
                        selected=selected or None,
                    )
                    return ledger.complete(joined)
                # A copy: what was reached is recorded by the identity of its candidate.
                value = copy(fixed) if fixed is value else fixed
                await checkpoint()

    async def _fix(
        self, value: Any, report: Report, seen: set[tuple[FailureKind, str, str | None]]
    ) -> Any:
        """Return the input as the fixers of the report's failures return it; None if none does.

        Args:
            value: The input of the run.
            report: Its report.
            seen: Findings that a fixer has had; those that one gets now are added.
        """
        found = _findings(report)
        fixed: Any = None
        for kind, fixer in self.fixers.items():
            own = [
                one
                for one in found
                if one.kind == kind and (kind, one.message, one.test) not in seen
            ]
            if not own:
                continue
            seen |= {(kind, one.message, one.test) for one in own}
            returned: Any = fixer(value if fixed is None else fixed, tuple(own))
            returned = await returned if inspect.isawaitable(returned) else returned
            fixed = fixed if returned is None else returned
        return fixed


def _findings(report: Report) -> list[Finding]:
    """Return the findings of the best attempt: those of its judge, and those by rules."""
    best = report.best
    if best is None:
        return []
    judged = best.verdict.findings
    known = {(one.message, one.test) for one in judged}
    by_rules = execution_findings(best.execution)
    return [*judged, *(one for one in by_rules if (one.message, one.test) not in known)]
