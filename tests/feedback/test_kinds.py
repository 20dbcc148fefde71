"""Each kind of failure is repaired by its evidence, and not without it."""

from dataclasses import replace
from typing import Literal, get_args

import pytest
from tests.feedback.gated import GatedModel, loop, prompt_without
from tests.feedback.kinds import KINDS

from planish.data import FailureKind
from planish.feedback import hidden_tests


@pytest.mark.anyio
@pytest.mark.parametrize("name", KINDS)
async def test_the_evidence_repairs_it_in_two_attempts(name: str) -> None:
    kind = KINDS[name]
    model = GatedModel(kind)
    report = await loop(model).run(kind.task)
    assert report.passed, model.requests[-1].messages[-1].content
    assert report.attempts == 2
    assert report.history[0].verdict.findings[0].kind == kind.kind


@pytest.mark.anyio
@pytest.mark.parametrize("name", KINDS)
async def test_without_the_evidence_it_is_not_repaired(name: str) -> None:
    kind = KINDS[name]
    model = GatedModel(kind)
    report = await loop(model, prompt_without(kind.evidence, kind.prompt)).run(kind.task)
    assert not report.passed
    assert report.attempts == 2


@pytest.mark.anyio
@pytest.mark.parametrize("name", KINDS)
async def test_a_prompt_says_each_fact_once(name: str) -> None:
    kind = KINDS[name]
    model = GatedModel(kind)
    await loop(model).run(kind.task)
    text = model.requests[1].messages[-1].content
    assert text.count(kind.evidence) == 1
    assert len(text) < 1_500
    assert "planish" not in text
    lines = [line.strip() for line in text.splitlines() if len(line.strip()) > 40]
    assert len(lines) == len(set(lines))


STEPS = ["nothing", "failed", "exception"]


@pytest.mark.anyio
@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("name", [name for name in KINDS if KINDS[name].policy is not None])
async def test_a_step_tells_no_more_than_its_own(
    name: str, step: Literal["nothing", "failed", "exception"]
) -> None:
    kind = KINDS[name]
    assert kind.policy is not None
    model = GatedModel(replace(kind, policy=hidden_tests(step)))
    report = await loop(model).run(kind.task)
    # Of a test that failed its step tells the second, and the third tells what the second does.
    needed = STEPS.index(kind.policy.tell)
    assert report.passed == (step == kind.policy.tell or 1 <= needed <= STEPS.index(step))
    text = model.requests[1].messages[-1].content
    assert "f(3)" not in text


def test_every_kind_of_failure_is_shown() -> None:
    shown = {kind.kind for kind in KINDS.values()}
    assert shown == {*get_args(FailureKind)} - {"infra"}  # which is in no request
