"""Names that users give to primitives: where they are seen, and what they change."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest
from tests.laws.kit import TASK, attempt

from planish import (
    BestOf,
    Cache,
    Escalate,
    Fallback,
    Map,
    Parallel,
    Primitive,
    Race,
    Report,
    Retry,
    Route,
    Task,
    Timeout,
    Validator,
    step,
)
from planish.effects import current_path
from planish.events import listen
from planish.stores import MemoryStore
from planish.testing.telemetry import capture

pytestmark = pytest.mark.anyio


def double(number: int) -> int:
    return 2 * number


def halve(number: int) -> int:
    return number // 2


async def here(_: object) -> list[tuple[str, ...]]:
    return [current_path()]


def only(report: Report) -> tuple[str, ...]:
    return report.history[0].path


def test_repr_shows_the_call_as_it_was_written() -> None:
    one, other = step(double), step(halve)
    named = (one >> other).named("both")
    assert repr(one.named("twice")) == "step(double).named('twice')"
    assert repr(named) == "(double >> halve).named('both')"
    assert repr(named >> one) == "(double >> halve).named('both') >> double"
    assert repr((one & other).named("two") & one) == "(double & halve).named('two') & double"
    assert repr(Retry(attempt([4]).named("try"), attempts=2).named("loop")).endswith(
        ".named('try'), attempts=2).named('loop')"
    )
    assert repr(Validator().named("tests")) == "Validator().named('tests')"
    assert "both" in named.to_mermaid()
    assert "twice" in (one.named("twice") >> other).to_mermaid()


def test_a_name_is_part_of_what_a_primitive_is_and_survives_copies() -> None:
    one = attempt([4])
    named = Timeout(one, seconds=1).named("cheap")
    assert named.name == "cheap"
    assert named == Timeout(one, seconds=1).named("cheap")
    assert named != Timeout(one, seconds=1)
    assert named != Timeout(one, seconds=1).named("large")
    assert hash(named) == hash(Timeout(one, seconds=1).named("cheap"))
    tests = Validator().named("tests")
    for same in (copy.copy(tests), pickle.loads(pickle.dumps(tests)), tests.named("tests")):  # noqa: S301 - our own
        assert (same, same.name) == (tests, "tests")
    assert Timeout(one, seconds=1).name == "Timeout"
    assert step(double).named("twice").name == "twice"


@pytest.mark.parametrize("name", ["", "  ", "a/b", "a\nb", "\x1b[31m", "x" * 61, None, 3])
def test_what_is_no_name_is_refused(name: Any) -> None:
    with pytest.raises(ValueError, match="named"):
        Validator().named(name)


async def test_a_named_part_stays_one_step_and_gives_the_same_results() -> None:
    flat = step(double) >> halve >> double
    inner = (step(double) >> halve).named("inner")
    assert await (inner >> double).run(3) == await flat.run(3) == 6
    assert len((inner >> double).children()) == 2
    fan = (step(double) & step(halve)).named("fan") & step(double)
    assert await fan.run(4) == (8, 2, 8)
    race = (attempt([0]) | attempt([4])).named("pair") | attempt([1])
    assert len(race.children()) == 2
    assert (await race.run(TASK)).passed


LEAF = attempt([4]).named("cheap")
PATHS: list[tuple[Callable[[], Primitive[Task, Report]], tuple[str, ...]]] = [
    (lambda: Retry(LEAF, attempts=1).named("loop"), ("loop#1", "cheap[2]")),
    (lambda: Race(LEAF, attempt([0])).named("duel"), ("duel[0:cheap]", "cheap[2]")),
    (lambda: BestOf(LEAF, n=1).named("best"), ("best[0:cheap]", "cheap[2]")),
    (lambda: Fallback(LEAF, LEAF).named("or"), ("or[0:cheap]", "cheap[2]")),
    (lambda: Escalate(LEAF, LEAF).named("up"), ("up[0:cheap]", "cheap[2]")),
    (lambda: Route(str, {str(TASK): LEAF}).named("way"), (f"way[{TASK}:cheap]", "cheap[2]")),
    (lambda: Timeout(LEAF, seconds=9).named("limit"), ("limit", "cheap[2]")),
    (lambda: Cache(LEAF, store=MemoryStore()).named("store"), ("store", "cheap[2]")),
]


@pytest.mark.parametrize(("build", "path"), PATHS)
async def test_paths_have_the_names(
    build: Callable[[], Primitive[Task, Report]], path: tuple[str, ...]
) -> None:
    assert only(await build().run(TASK)) == path


async def test_paths_of_sequences_and_fan_outs_have_the_names() -> None:
    assert await (step(double) >> step(here).named("look")).run(1) == [("Sequential[1:look]",)]
    both = Parallel(step(here).named("one"), step(here)).named("two")
    assert await both.run(1) == ([("two[0:one]",)], [("two[1]",)])
    [item] = await Map(step(here).named("one"), concurrency=1).named("all").run([1])
    assert item.unwrap() == [("all[0:one]",)]


async def test_branches_events_and_spans_have_the_names() -> None:
    events: list[Any] = []
    race = Race(attempt([0]).named("cheap"), attempt([0]).named("large")).named("duel")
    with capture() as captured:
        async with listen(events.append):
            report = await race.run(TASK)
    assert [branch.name for branch in report.branches] == ["cheap", "large"]
    assert report.branches[0].path == ("duel[0:cheap]",)
    assert "branch cheap " in report.summary()
    names = {span.name for span in captured.spans}
    assert {"invoke_workflow duel", "planish.cheap", "planish.large"} <= names
    ended = [event for event in events if event.kind == "branch_ended"]
    assert [event.name for event in ended] == ["cheap", "large"]
    sampled = await BestOf(attempt([0]).named("cheap"), n=2).run(TASK)
    assert [branch.name for branch in sampled.branches] == ["cheap 0", "cheap 1"]
