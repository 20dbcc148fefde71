"""Law 13: a run that was cut anywhere is resumed from a journal: nothing paid is paid twice.

The journal is `tests/laws/journal.py`: forty lines with public names only.
"""

import inspect
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws.journal import Journal
from tests.laws.kit import BACKENDS, TASK
from tests.laws.nestings import Spec, expected, specs
from tests.laws.world import Disk, Ticks, World, leaf

from planish import (
    CodeExecution,
    CodeGenerator,
    Primitive,
    Report,
    Task,
    Timeout,
    Validator,
)
from planish.effects import intercept, use_clock
from planish.errors import ModelError, report_of
from planish.testing import ScriptedModel
from planish_integrations.unsafe import UnsafeLocalSandbox

Pipeline = Primitive[Task, Report]
COMBINATORS = {
    *("retry", "race", "best_of", "fallback", "escalate"),
    *("timeout", "parallel", "map", "route", "plan"),
}
"""What the nestings are made of: ten combinators. "plan" is a `Sequential`, as each leaf is."""

MANY = 500
"""Examples of each test in its long form, `pytest -m long tests/laws/test_13_resumed.py`."""


def hangs(moves: tuple[int, ...]) -> bool:
    return sum(moves) % 5 == 4


async def outcome(pipeline: Pipeline, disk: Disk) -> tuple[Report | None, str]:
    """What a run comes to: a report, and an error if it raises."""
    try:
        async with intercept(Journal(disk, "run")), use_clock(Ticks()):
            return await pipeline.run(TASK), ""
    except ModelError as error:
        return report_of(error), repr(error)


Build = Callable[[World], Pipeline]


async def cut_everywhere(build: Build, check: Callable[[Report | None], None] | None) -> int:
    """Run, cut the run at every effect, resume it, and repeat the whole; return the cuts.

    Args:
        build: Makes the pipeline.
        check: What each run comes to; None for runs whose times may be over at any moment.
    """
    timed = check is None
    check = check or (lambda _: None)
    disk = Disk()
    world = World(disk)
    came_to = await outcome(build(world), disk)
    check(came_to[0])
    await repeat(build, disk, came_to, timed=timed)
    for cut in range(len(disk.values)):
        died = Disk(left=cut)
        before = World(died)
        with died.process:
            await outcome(build(before), died)
        after = Disk(values=dict(died.values))
        resumed = World(after)
        came_to = await outcome(build(resumed), after)
        check(came_to[0])
        recorded = places(died.values)
        assert not recorded & set(resumed.calls), "a recorded call was made again"
        assert max((*before.calls.values(), *resumed.calls.values()), default=1) == 1
        await repeat(build, after, came_to, timed=timed)
    return len(disk.values)


def places(values: dict[str, bytes]) -> set[tuple[str, ...]]:
    """The calls that are recorded, as `World.calls` names them."""
    found: set[tuple[str, ...]] = set()
    for key in values:
        match = re.match(r'\["run", (\[.*?\]), "(model|grade)"', key)
        if match:
            found.add((match[2], *re.findall(r'"(.*?)"', match[1])))
    return found


async def repeat(
    build: Build, disk: Disk, came_to: tuple[Report | None, str], *, timed: bool
) -> None:
    """A run with a whole journal makes no call and comes to the same.

    One that raised has no record of the call that failed, nor of those beside it.
    """
    again = Disk(left=0, values=dict(disk.values))
    world = World(again)
    with again.process:
        report, error = await outcome(build(world), again)
        if came_to[1]:  # tried again, with other ends of what is timed
            assert timed or error == came_to[1]
            assert timed or (report and facts(report)) == (came_to[0] and facts(came_to[0]))
            return
        assert not world.calls
        assert facts(report) == facts(came_to[0])
    assert came_to[1] or not again.dead, "an effect was not recorded"


def facts(report: Report | None) -> list[object]:
    """All that is in a report, but the order of arrival, which also chooses of equal attempts."""
    assert report is not None
    assert report.best is not None or not report.history
    attempts = sorted((one.code, one.status, one.score or 0.0) for one in report.history)
    best = report.best and report.best.rank()[:-1]
    ends = [(one.name, one.outcome, one.error, len(one.attempts)) for one in report.branches]
    return [attempts, best, ends, report.usage, report.stop_reason, report.passed]


def test_the_journal_stands_in_the_docs() -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "extending.md"
    assert inspect.getsource(Journal) in page.read_text(encoding="utf-8")


def run_both(build: Build, check: Callable[[Report | None], None] | None) -> int:
    def run(backend: str) -> int:
        return anyio.run(partial(cut_everywhere, build, check), backend=backend)

    return sum(map(run, BACKENDS))


def resume_and_pass(spec: Spec) -> None:
    """It passes exactly if it is expected to, wherever it was cut."""

    def check(report: Report | None) -> None:
        assert bool(report and report.passed) == expected(spec).passed

    run_both(lambda world: spec.assemble(partial(leaf, world)), check)


def resume_with_timeouts(spec: Spec, seconds: int) -> None:
    """It comes to the same with steps that hang, in a time that may be over at any moment."""

    def build(world: World) -> Pipeline:
        inner = spec.assemble(lambda moves: leaf(world, moves, hangs=hangs(moves)))
        return Timeout(inner, seconds=seconds)

    run_both(build, None)


PASSING = {"spec": specs(leaves=4)}
TIMED = {"spec": specs(leaves=4, parallel=True), "seconds": st.integers(5, 200)}
FEW = settings(max_examples=25, deadline=None)
LONG = settings(max_examples=MANY, deadline=None)

test_any_nesting_resumes_wherever_it_was_cut = FEW(given(**PASSING)(resume_and_pass))
test_also_with_steps_that_time_out = FEW(given(**TIMED)(resume_with_timeouts))


@pytest.mark.long
@LONG
@given(**PASSING)
def test_many_nestings_resume(spec: Spec) -> None:
    resume_and_pass(spec)


@pytest.mark.long
@LONG
@given(**TIMED)
def test_many_nestings_resume_that_time_out(spec: Spec, seconds: int) -> None:
    resume_with_timeouts(spec, seconds)


@pytest.mark.parametrize("strategies", [PASSING, TIMED], ids=["passing", "timed"])
def test_every_combinator_is_among_the_nestings(strategies: dict[str, Any]) -> None:
    seen: set[str] = set()

    @settings(max_examples=300, deadline=None, database=None)
    @given(strategies["spec"])
    def look(spec: Spec) -> None:
        seen.update(spec.kinds())

    look()
    missing = {"parallel"} if strategies is PASSING else set[str]()
    assert seen > COMBINATORS - missing


@pytest.mark.anyio
@pytest.mark.parametrize("lost", range(5))
async def test_a_record_that_was_lost_changes_no_verdict(lost: int) -> None:
    """The key that seals a program's results is a record of its own."""
    model = ScriptedModel(["```python\ndef double(n):\n    return 2 * n\n```"] * 2)
    attempt = CodeGenerator(model) >> CodeExecution(UnsafeLocalSandbox()) >> Validator()
    task = Task("Double.", tests="assert double(2) == 4", entry_point="double")
    disk = Disk()
    for _ in range(2):
        async with intercept(Journal(disk, "run")):
            assert (await attempt.run(task)).passed
        for key in list(disk.values)[lost : lost + 1]:
            del disk.values[key]
