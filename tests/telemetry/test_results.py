"""What came of a step stands on its span."""

from collections.abc import Mapping
from typing import Any

import pytest
from opentelemetry.sdk.trace import ReadableSpan
from tests.laws.kit import RAISES, TASK, answer, attempt

from planish import BestOf, Candidate, CodeExecution, CodeGenerator, Fallback, Task, Validator
from planish.data import Completed
from planish.testing.scripted import ScriptedModel, ScriptedSandbox
from planish.testing.telemetry import capture


def of(span: ReadableSpan) -> Mapping[str, Any]:
    return span.attributes or {}


@pytest.mark.anyio
async def test_the_winner_stands_on_the_span_of_what_has_branches() -> None:
    with capture() as captured:
        await (attempt([1], name="one") & attempt([2], name="two")).run(TASK)
        await BestOf(attempt([1, 2, 4]), n=3).run(TASK)
        await Fallback(attempt([RAISES]), attempt([4])).run(TASK)
    winners = {
        span.name: of(span).get("planish.branch.winner")
        for span in captured.spans
        if span.name in ("planish.parallel", "planish.best_of", "planish.fallback")
    }
    assert winners == {"planish.parallel": None, "planish.best_of": 2, "planish.fallback": 1}


@pytest.mark.anyio
async def test_the_path_of_a_branch_names_what_holds_it() -> None:
    one, other = attempt([1], name="one"), attempt([4], name="other")
    holders = {"Race": one | other, "Fallback": Fallback(one, other), "BestOf": BestOf(other, n=2)}
    for name, holder in holders.items():
        with capture() as captured:
            await holder.run(TASK)
        paths = {of(span)["planish.path"] for span in captured.by_name("planish.branch")}
        assert paths == {f"{name}[0]", f"{name}[1]"}


@pytest.mark.anyio
async def test_a_verdict_says_where_its_evidence_came_from() -> None:
    task = Task("Run.", entry_point="f", tests=[(1, 1)])
    execution = CodeExecution(ScriptedSandbox([Completed(exit_code=0)])) >> Validator()
    with capture() as captured:
        report = await execution.run(Candidate(task=task, code="def f(n): return n"))
    assert report.evidence is not None
    for name in ("invoke_workflow Sequential", "planish.sequential", "planish.validator"):
        (span,) = captured.by_name(name)
        assert of(span)["planish.evidence.origin"] == report.evidence.origin
        assert of(span)["planish.evidence.separation"] == report.evidence.separation
    (validator,) = captured.by_name("planish.validator")
    assert report.verdict is not None
    assert of(validator)["planish.verdict"] == report.verdict.label
    (run,) = captured.by_name("planish.code_execution")
    assert of(run)["planish.step"] == "CodeExecution"


@pytest.mark.anyio
async def test_a_reply_without_code_says_its_problem() -> None:
    with capture() as captured:
        candidate = await CodeGenerator(ScriptedModel(["I cannot."])).run(TASK.for_candidate(2, 3))
    (generator,) = captured.by_name("invoke_agent CodeGenerator")
    assert candidate.problem
    assert of(generator)["planish.candidate.problem"] == candidate.problem
    assert of(generator)["planish.candidate.index"] == 2


@pytest.mark.anyio
@pytest.mark.parametrize("odd", ["example.com", ("example.com", "443"), ("example.com",), None])
async def test_a_request_says_its_server_and_that_it_wants_json(odd: Any) -> None:
    class Remote(ScriptedModel):
        server_address: Any = odd

    model = Remote(
        [
            answer(4),
            '{"code": "x = 1", "language": "python", "packages": [], "system_packages": []}',
        ]
    )
    with capture() as captured:
        await CodeGenerator(model).run(Task("Count."))
        model.server_address = ("api.example.com", 443)
        await CodeGenerator(model, structured=True).run(Task("Count."))
    first, second = (of(span) for span in captured.by_name("chat scripted"))
    assert not {"server.address", "server.port", "gen_ai.output.type"} & first.keys()
    assert (second["server.address"], second["server.port"]) == ("api.example.com", 443)
    assert second["gen_ai.output.type"] == "json"
