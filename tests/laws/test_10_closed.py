"""Law 10: the algebra is closed: any nesting type-checks, runs, traces and reports."""

from hypothesis import given
from hypothesis import strategies as st
from tests.laws.kit import CHECKS, LAW, TASK, Tally, both_loops
from tests.laws.nestings import Spec, expected, specs

from planish import Report, Retry, Task, budget
from planish.errors import ModelError, report_of
from planish.testing.telemetry import capture


async def run(spec: Spec, tally: Tally) -> tuple[Report | None, bool]:
    """The report of a nesting, and whether it was given, not raised."""
    pipeline = spec.build(tally)
    assert pipeline.signature == (Task, Report)
    try:
        return await pipeline.run(TASK), True
    except ModelError as error:
        return report_of(error), False


def check_whole(report: Report) -> None:
    """All parts of a report agree with each other."""
    assert [one.index for one in report.history] == list(range(1, report.attempts + 1))
    assert report.best in report.history
    for branch in report.branches:
        assert set(branch.attempts) <= set(range(1, report.attempts + 1))
        assert (branch.error is not None) == (branch.outcome == "failed")
    assert Report.from_json(report.to_json()) == report


@LAW
@given(specs())
def test_any_nesting_comes_to_what_it_says(spec: Spec) -> None:
    want = expected(spec)

    async def once() -> None:
        tally = Tally()
        report, given_ = await run(spec, tally)
        assert given_ == want.given
        assert (report.usage.model_calls if report else 0) == tally.usage.model_calls
        if report is None:
            return
        check_whole(report)
        if given_:
            assert report.passed == want.passed
            assert report.score is not None
            assert report.score * CHECKS == want.score

    both_loops(once)


@LAW
@given(specs(raising=False))
def test_a_fan_out_within_also(spec: Spec) -> None:
    want = expected(spec)

    async def once() -> None:
        tally = Tally()
        report, _ = await run(spec, tally)
        assert report is not None
        check_whole(report)
        assert report.usage == tally.usage
        assert (report.passed, (report.score or 0.0) * CHECKS) == (want.passed, want.score)

    both_loops(once)


@LAW
@given(specs(raising=False), st.integers(1, 3))
def test_any_nesting_can_stand_in_a_loop_and_in_a_race(spec: Spec, attempts: int) -> None:
    looped = Spec("retry", (spec,), count=attempts)
    raced = Spec("race", (looped, spec))

    async def once() -> None:
        for whole in (looped, raced):
            report = await whole.build(Tally()).run(TASK)
            assert report.passed == expected(whole).passed

    both_loops(once)


@LAW
@given(specs(raising=False), st.integers(0, 4))
def test_any_nesting_reports_what_a_budget_let_it_reach(spec: Spec, calls: int) -> None:
    async def once() -> None:
        tally = Tally()
        with capture() as captured:
            async with budget(model_calls=calls) as allowance:
                report = await spec.build(tally).run(TASK)
        assert len(tally.requests) <= calls
        assert report.usage == tally.usage == allowance.spent
        assert min(1, tally.usage.model_calls) <= report.attempts <= calls
        assert captured.spans

    both_loops(once)


@LAW
@given(specs(passing=False, raising=False), st.integers(0, 3))
def test_a_loop_around_any_nesting_ends_when_the_budget_does(spec: Spec, calls: int) -> None:
    async def once() -> None:
        async with budget(model_calls=calls):
            report = await Retry(spec.build(Tally()), attempts=50).run(TASK)
        assert report.stop_reason == "budget"
        assert report.attempts <= calls

    both_loops(once)
