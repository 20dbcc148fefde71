"""What a `capture` block has of the spans and metrics inside it."""

import pytest
from tests.laws.kit import TASK, Tally, attempt

from planish import Task, step
from planish.context.scope import current
from planish.testing.telemetry import capture

pytestmark = pytest.mark.anyio


async def look(task: Task) -> Task:
    return task


async def test_spans_are_found_by_name_or_by_the_begin_of_it() -> None:
    with capture() as captured:
        await (step(look) >> attempt([4])).run(TASK)
    names = [span.name for span in captured.spans]
    starts = [span.start_time or 0 for span in captured.spans]
    assert starts == sorted(starts)
    assert [span.name for span in captured.by_name("planish.look")] == ["planish.look"]
    prefixed = [name for name in names if name.startswith("invoke_")]
    assert [span.name for span in captured.by_name("invoke_*")] == prefixed
    assert captured.by_name("look") == captured.by_name("invoke_") == []
    assert len(captured.by_name("*")) == len(names)


async def test_the_tree_shows_which_span_is_within_which() -> None:
    with capture() as captured:
        provider = current().tracer_provider
        assert provider is not None
        tracer = provider.get_tracer("test")
        with tracer.start_as_current_span("outer", attributes={"a.b": 1, "c": "x"}):
            with tracer.start_as_current_span("inner", attributes={"a.b": 2}):
                pass
            with tracer.start_as_current_span("last"):
                pass
        with tracer.start_as_current_span("other"):
            pass
    assert captured.tree() == "outer\n  inner\n  last\nother"
    assert captured.tree("c", "a.b") == "outer c=x b=1\n  inner b=2\n  last\nother"


async def test_a_span_below_one_outside_the_block_is_a_root() -> None:
    with capture() as around:
        outer = current().tracer_provider
        assert outer is not None
        with outer.get_tracer("test").start_as_current_span("outer"), capture() as within:
            await step(look).run(TASK)
    assert within.tree().splitlines()[0] == within.spans[0].name
    assert around.tree() == "outer"


async def test_metrics_with_a_point_are_named() -> None:
    with capture() as captured:
        pass
    assert captured.metrics() == set()
    with capture() as captured:
        await attempt([4], tally=Tally()).run(TASK)
        assert {"planish.verdicts", "gen_ai.invoke_agent.duration"} <= captured.metrics()


async def test_after_the_block_nothing_more_is_captured() -> None:
    before = current().tracer_provider
    with capture() as captured:
        provider = current().tracer_provider
        assert provider is not None
        tracer = provider.get_tracer("test")
        with tracer.start_as_current_span("in time"):
            pass
    with tracer.start_as_current_span("late"):
        pass
    assert [span.name for span in captured.spans] == ["in time"]
    assert current().tracer_provider is before
