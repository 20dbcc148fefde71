"""Law 8: one run, one trace, whose tree is the composition; it is the same with tracing off."""

from collections.abc import Sequence
from typing import Any

from hypothesis import given
from tests.laws.kit import LAW, TASK, Tally, attempt, both_loops
from tests.laws.nestings import Spec, expected, specs
from tests.laws.spans import Shape, shape

from planish import BestOf, Report, Retry
from planish.errors import ModelError, report_of
from planish.events import listen
from planish.testing.telemetry import capture

LEAF: Sequence[Shape] = (
    ("invoke_agent CodeGenerator", (("chat player", ()),)),
    ("planish.grade", ()),
    ("planish.validator", ()),
)


def node(spec: Spec, number: int, candidate: int) -> Shape:
    """The span of a nesting for this attempt and candidate, with all below it."""
    inner_spans = parts(spec, number, candidate)
    return (
        inner_spans[0]
        if len(inner_spans) == 1
        else ("planish.sequential", tuple(sorted(inner_spans)))
    )


def parts(spec: Spec, number: int, candidate: int) -> list[Shape]:
    """The spans of its steps: a sequence in a sequence is flat."""
    inner = spec.inner[0] if spec.inner else spec
    match spec.kind:
        case "leaf":
            return list(LEAF)
        case "plan":
            return [("planish.plan", ()), *parts(inner, number, candidate)]
        case "look":
            return [*parts(inner, number, candidate), ("planish.look", ())]
        case "parallel":
            both = [node(one, number, candidate) for one in spec.inner]
            return [over("planish.parallel", both), ("planish.pick", ())]
        case "map":
            items = [node(inner, number, 2 * candidate + index) for index in range(2)]
            return [("planish.twice", ()), over("planish.map", items), ("planish.pick_done", ())]
        case "retry":
            return [over("invoke_agent Retry", rounds(spec, number, candidate))]
        case _:
            below = branches(spec, number, candidate)
            return [over(f"planish.{spec.kind}", below)]


def rounds(spec: Spec, number: int, candidate: int) -> list[Shape]:
    found: list[Shape] = []
    for _ in range(spec.count):
        found.append(("planish.attempt", (node(spec.inner[0], number, candidate),)))
        number = expected(spec.inner[0], number, candidate).attempt + 1
    return found


def branches(spec: Spec, number: int, candidate: int) -> list[Shape]:
    inner = spec.inner
    match spec.kind:
        case "escalate":
            return [node(inner[min(number, len(inner)) - 1], number, candidate)]
        case "route":
            return [node(inner[-1], number, candidate)]
        case "best_of":
            numbers = [candidate * spec.count + index for index in range(spec.count)]
            inner_spans = [node(inner[0], number, one) for one in numbers]
        case "race" | "fallback":
            flat = list(inner)
            while spec.kind == "race" and any(one.kind == "race" for one in flat):
                flat = [b for one in flat for b in (one.inner if one.kind == "race" else [one])]
            inner_spans = [node(one, number, candidate) for one in flat]
        case _:
            return [node(inner[0], number, candidate)]
    return [("planish.branch", (one,)) for one in inner_spans]


def over(name: str, below: Sequence[Shape]) -> Shape:
    return (name, tuple(sorted(below)))


@LAW
@given(specs(raising=False, passing=False))
def test_the_tree_of_spans_is_the_composition(spec: Spec) -> None:
    async def run() -> tuple[list[Shape], str]:
        pipeline = spec.build(Tally())
        with capture() as captured:
            await pipeline.run(TASK)
        assert len({span.context.trace_id for span in captured.spans if span.context}) == 1
        return shape(captured.spans), pipeline.name

    for found, name in both_loops(run):
        assert found == [(f"invoke_workflow {name}", (node(spec, 1, 0),))]


async def end_of(spec: Spec) -> Any:
    """All that can be known of how a run ended."""
    tally = Tally()
    try:
        report = await spec.build(tally).run(TASK)
    except ModelError as error:
        reached = report_of(error)
        scores = sorted(score or 0.0 for score in reached.trajectory) if reached else []
        return repr(error), scores, tally.usage, len(tally.requests)
    return report, tally.usage, len(tally.requests)


@LAW
@given(specs(passing=False))
def test_results_are_the_same_with_tracing_on_and_off(spec: Spec) -> None:
    async def run() -> list[Any]:
        found = [await end_of(spec)]
        with capture():
            found.append(await end_of(spec))
        async with listen(lambda _: None):
            found.append(await end_of(spec))
        return found

    for off, traced, heard in both_loops(run):
        assert off == traced
        assert off == heard


@LAW
@given(specs(raising=False))
def test_every_branch_and_attempt_of_a_run_that_passes_is_in_one_trace(spec: Spec) -> None:
    async def run() -> None:
        with capture() as captured:
            report = await spec.build(Tally()).run(TASK)
        roots = [span for span in captured.spans if span.parent is None]
        assert len(roots) == 1
        assert len({span.context.trace_id for span in captured.spans if span.context}) == 1
        assert (roots[0].attributes or {})["planish.passed"] == report.passed
        chats = len(captured.by_name("chat player"))
        assert chats >= report.attempts

    both_loops(run)


def test_two_runs_are_two_traces() -> None:
    async def run() -> int:
        loop = Retry(BestOf(attempt([1, 4]), n=2), attempts=2)
        with capture() as captured:
            first: Report = await loop.run(TASK)
            assert first == await loop.run(TASK)
        return len({span.context.trace_id for span in captured.spans if span.context})

    assert both_loops(run) == [2, 2]
