"""Random nestings of all combinators: steps hang, raise, shield themselves, are cut short.

Whatever happens, nothing is left, the usage is right, the error is the run's own, and the history
has what the model has answered.
"""

from dataclasses import dataclass, field
from typing import Any

import anyio
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.laws.kit import LAW, RAISES, TASK, Tally, both_loops
from tests.laws.marks import around
from tests.laws.nestings import Spec, specs
from tests.laws.spans import counting

from planish import Report, Timeout, budget
from planish.errors import BudgetExceededError, DeadlineError, ModelError, report_of
from planish.events import listen

SOON = 0.03
"""Seconds after which an ending comes that depends on time."""


class UnforeseenError(Exception):
    """Not one of planish's."""


@dataclass
class Fates:
    """What happens to requests, by their number.

    Attributes:
        by_number: "hang", "raise", "outage", "shield" or "cancel".
        scope: What "cancel" cancels.
        met: The fates that have happened.
    """

    by_number: dict[int, str]
    scope: anyio.CancelScope
    met: set[str] = field(default_factory=set[str])

    async def meet(self, number: int) -> None:
        """Let happen what is to happen at this request."""
        fate = self.by_number.get(number, "")
        self.met.add(fate)
        match fate:
            case "hang":
                await anyio.sleep(60)
            case "raise":
                raise UnforeseenError
            case "outage":
                raise ModelError("out of order")
            case "shield":
                with anyio.CancelScope(shield=True):
                    await anyio.sleep(0.005)
            case "cancel":
                self.scope.cancel()
            case _:
                pass


@dataclass
class Ending:
    """How a run ended: with a report, or with an error that may have one."""

    report: Report | None = None
    error: Exception | None = None


async def run(spec: Spec, tally: Tally, limit: str) -> Ending:
    """Run a nesting under a limit."""
    pipeline = spec.build(tally)
    try:
        match limit:
            case "timeout":
                return Ending(await Timeout(pipeline, seconds=SOON).run(TASK))
            case "seconds":
                async with budget(seconds=SOON):
                    return Ending(await pipeline.run(TASK))
            case "calls":
                async with budget(model_calls=3, seconds=SOON):
                    return Ending(await pipeline.run(TASK))
            case _:
                with anyio.fail_after(SOON) if limit == "outside" else anyio.CancelScope():
                    return Ending(await pipeline.run(TASK))
    except Exception as error:  # noqa: BLE001 - which error it is, is what the test is about
        return Ending(report_of(error), error)
    return Ending()


def uses(spec: Spec, *kinds: str) -> bool:
    """Whether a nesting has a combinator of one of these kinds."""
    return spec.kind in kinds or any(uses(inner, *kinds) for inner in spec.inner)


def raises(spec: Spec) -> bool:
    """Whether some answer of the model is an error."""
    return RAISES in spec.moves or any(map(raises, spec.inner))


def check_error(error: Exception | None, spec: Spec, met: set[str], limit: str) -> None:
    """The error is one that something in the run has raised."""
    if error is None:
        return
    causes: dict[type[Exception], bool] = {
        UnforeseenError: "raise" in met,
        ModelError: "outage" in met or raises(spec),
        DeadlineError: limit == "timeout",
        BudgetExceededError: limit in ("seconds", "calls"),
        TimeoutError: limit == "outside",
    }
    assert causes.get(type(error)), repr(error)


def check_usage(report: Report, tally: Tally) -> None:
    """All that was answered is counted, and nothing that was not requested."""
    answered, requested = tally.usage.model_calls, len(tally.requests)
    assert answered <= report.usage.model_calls <= requested
    assert tally.usage.output_tokens <= report.usage.output_tokens
    if answered == requested:
        assert report.usage == tally.usage


def check_history(report: Report, spec: Spec, answers: int) -> None:
    """The parts of the report agree, and every attempt is one that was made."""
    assert [one.index for one in report.history] == list(range(1, report.attempts + 1))
    assert report.best is None or report.best in report.history
    for branch in report.branches:
        assert set(branch.attempts) <= set(range(1, report.attempts + 1))
        assert (branch.error is not None) == (branch.outcome == "failed")
    candidates = {id(one.candidate) for one in report.history}
    if not uses(spec, "cache"):  # which gives one report to several
        assert len(candidates) == report.attempts
    assert len(candidates) <= answers
    if not uses(spec, "cache", "parallel", "map"):  # of these, a step takes one result of several
        assert len(candidates) == answers
    assert Report.from_json(report.to_json()) == report


async def end(spec: Spec, by_number: dict[int, str], limit: str, *, observed: bool) -> None:
    """Run a nesting to whatever its end is, and look at what is left and what is reported."""
    before = around()
    tally, ending = Tally(), Ending()
    events: list[Any] = []
    with counting() as spans, anyio.CancelScope() as scope:
        fates = Fates(by_number, scope)
        tally.meanwhile = fates.meet
        with anyio.fail_after(20):
            if observed:
                async with listen(events.append):
                    ending = await run(spec, tally, limit)
            else:
                ending = await run(spec, tally, limit)
        check_error(ending.error, spec, fates.met, limit)
        if ending.report is not None:
            check_usage(ending.report, tally)
            check_history(ending.report, spec, tally.usage.model_calls)
        elif ending.error is not None and limit != "outside":  # whose error is anyio's own
            assert tally.usage.model_calls == 0
    assert around() == before
    assert tally.active == 0
    assert spans.left_open == []
    if observed:
        assert [event.kind for event in events].count("run_ended") >= 1


FATES = st.sampled_from(["hang", "raise", "outage", "shield", "cancel"])
RACE = Spec("race", (Spec("leaf", moves=(1,)),) * 2)
BEST = Spec("best_of", (Spec("leaf", moves=(1,)),), count=3)
FALLBACK = Spec("fallback", (Spec("leaf", moves=(1,)),) * 3)
LOOPS = Spec("race", (Spec("retry", (Spec("leaf", moves=(1,)),), count=3),) * 2)
LIMITS = st.sampled_from(["timeout", "seconds", "calls", "outside"])


@settings(LAW, max_examples=60)
@given(
    spec=specs(),
    by_number=st.dictionaries(st.integers(1, 6), FATES, max_size=4),
    limit=LIMITS,
    observed=st.booleans(),
)
@example(spec=RACE, by_number={1: "raise", 2: "hang"}, limit="timeout", observed=True)
@example(spec=FALLBACK, by_number={2: "raise"}, limit="timeout", observed=False)
@example(spec=LOOPS, by_number={4: "hang", 5: "hang"}, limit="timeout", observed=False)
@example(spec=BEST, by_number={2: "hang"}, limit="seconds", observed=True)
def test_any_nesting_ends_well_however_it_ends(
    *, spec: Spec, by_number: dict[int, str], limit: str, observed: bool
) -> None:
    both_loops(lambda: end(spec, by_number, limit, observed=observed))


@settings(LAW, max_examples=30)
@given(specs(), st.dictionaries(st.integers(1, 6), FATES.filter(lambda f: f != "hang"), max_size=4))
def test_any_nesting_without_a_limit_ends_well(spec: Spec, by_number: dict[int, str]) -> None:
    both_loops(lambda: end(spec, by_number, "none", observed=False))
