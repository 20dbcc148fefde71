"""Law 2: each value holds what came before it, so the last one explains the run; all are frozen."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws.kit import CHECKS, LAW, TASK, Tally, answer, attempt, both_loops, grade
from tests.laws.nestings import Spec, specs

from planish import (
    Candidate,
    CodeGenerator,
    Execution,
    Report,
    Retry,
    Task,
    Validator,
    Verdict,
    step,
)
from planish.data.record import FrozenDict
from planish.errors import ModelError, report_of
from planish.testing.scripted import ScriptedModel


def nested_values(value: Any) -> Iterator[Any]:
    """A value, and all values it holds."""
    yield value
    if is_dataclass(value):
        for field in fields(value):
            yield from nested_values(getattr(value, field.name))
    elif issubclass(type(value), tuple):
        for item in value:
            yield from nested_values(item)


def with_moves(moves: list[int], stopped_at: int | None = None) -> Report:
    loop = Retry(attempt(moves), attempts=stopped_at or len(moves))
    (report, other) = both_loops(lambda: loop.run(TASK))
    assert report == other
    return report


@LAW
@given(specs())
def test_nothing_in_a_report_can_be_changed(spec: Spec) -> None:
    async def run() -> Report | None:
        try:
            return await spec.build(Tally()).run(TASK)
        except ModelError as error:
            return report_of(error)

    for report in both_loops(run):
        for value in nested_values(report):
            assert not isinstance(value, list | set | bytearray)
            frozen: Any = FrozenDict
            if isinstance(value, frozen):
                with pytest.raises(TypeError, match="frozen"):
                    value["new"] = None
            else:
                assert not isinstance(value, dict)
            if is_dataclass(value):
                for field in fields(value):
                    with pytest.raises(AttributeError):
                        setattr(value, field.name, getattr(value, field.name))


@LAW
@given(st.lists(st.integers(0, CHECKS - 1), min_size=1, max_size=5))
def test_the_last_verdict_alone_explains_the_run(moves: list[int]) -> None:
    report = with_moves(moves)
    verdict = Verdict.from_json(report.history[-1].verdict.to_json())
    candidate = verdict.execution.candidate

    assert verdict.score == moves[-1] / CHECKS
    assert candidate.reply is not None
    assert f"PASSED = {moves[-1]}" in candidate.reply.text
    assert candidate.task.requirement == TASK.requirement
    assert candidate.task.tests == TASK.tests
    # The task of the last request has all earlier attempts.
    feedback = candidate.task.feedback
    previous = feedback.previous_attempts if feedback else ()
    assert [one.score for one in previous] == [move / CHECKS for move in moves[:-1]]
    assert [one.digest for one in previous] == [one.candidate.digest for one in report.history[:-1]]
    assert [one.attempt for one in previous] == list(range(1, len(moves)))


@LAW
@given(st.lists(st.integers(0, CHECKS - 1), min_size=2, max_size=4))
def test_each_attempt_holds_the_evidence_of_the_one_before_it(moves: list[int]) -> None:
    report = with_moves(moves)
    for before, after in zip(report.history, report.history[1:], strict=False):
        feedback = after.candidate.task.feedback
        assert feedback is not None
        assert feedback.previous_code == before.code
        assert feedback.score == before.score
        assert feedback.status == before.status
        assert [i.test for i in feedback.issues] == [f.test for f in before.verdict.findings]


@pytest.mark.anyio
async def test_each_step_gives_what_holds_its_input() -> None:
    seen: list[Any] = []

    def see(name: str) -> Any:
        async def look(value: Any) -> Any:
            seen.append(value)
            return value

        look.__name__ = name
        return step(look)

    generate = CodeGenerator(ScriptedModel([answer(2)]))
    chain = generate >> see("one") >> grade >> see("two") >> Validator()
    report = await chain.run(TASK)
    candidate, execution = seen
    assert isinstance(candidate, Candidate)
    assert isinstance(execution, Execution)
    assert candidate.task is TASK
    assert execution.candidate is candidate
    assert report.history[0].verdict.execution is execution


@pytest.mark.anyio
async def test_a_run_does_not_change_its_input() -> None:
    task = Task("Pass.", tests="assert PASSED == 4", context=["one"], constraints=["two"])
    before = task.to_json()
    await Retry(attempt([1, 2, 4]), attempts=3).run(task)
    assert task.to_json() == before
