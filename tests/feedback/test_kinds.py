"""Each kind of failure is repaired by its evidence, and not without it."""

import pytest
from tests.feedback.gated import GatedModel, loop, prompt_without
from tests.feedback.kinds import KINDS


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
    report = await loop(model, prompt_without(kind.evidence)).run(kind.task)
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
