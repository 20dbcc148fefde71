"""The trace of a run: what its spans are called, hold and say of how they ended."""

from collections.abc import Mapping
from typing import Any

import anyio
import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.trace import SpanKind, StatusCode
from tests.laws.kit import RAISES, TASK, Tally, answer, attempt

from planish import (
    BestOf,
    Candidate,
    CodeExecution,
    CodeGenerator,
    Fallback,
    Report,
    Retry,
    Task,
    step,
)
from planish.context.scope import current
from planish.data import Completed, Reply, Usage
from planish.errors import ModelError
from planish.events import listen
from planish.testing.scripted import ScriptedModel, ScriptedSandbox
from planish.testing.telemetry import capture


def of(span: ReadableSpan) -> Mapping[str, Any]:
    return span.attributes or {}


TREE = """\
invoke_workflow Retry stop_reason=success
  invoke_agent Retry stop_reason=success
    planish.attempt index=1
      planish.fallback stop_reason=all_failed
        planish.branch outcome=failed
          planish.sequential
            invoke_agent CodeGenerator
              chat one index=1
        planish.branch outcome=lost
          planish.sequential stop_reason=judged
            invoke_agent CodeGenerator
              chat other index=1
            planish.grade
            planish.validator stop_reason=judged
    planish.attempt index=2
      planish.fallback stop_reason=success
        planish.branch outcome=won
          planish.sequential stop_reason=success
            invoke_agent CodeGenerator
              chat one index=2
            planish.grade
            planish.validator stop_reason=success"""


@pytest.mark.anyio
async def test_the_tree_of_a_loop() -> None:
    one, other = attempt([RAISES, 4], name="one"), attempt([2], name="other")
    with capture() as captured:
        await Retry(Fallback(one, other), attempts=3).run(TASK)
    columns = ("planish.attempt.index", "planish.branch.outcome", "planish.stop_reason")
    assert captured.tree(*columns) == TREE


@pytest.mark.anyio
async def test_a_request_to_a_model_says_what_was_asked_and_answered() -> None:
    usage = Usage(
        input_tokens=100,
        output_tokens=20,
        cached_tokens=80,
        cache_write_tokens=7,
        reasoning_tokens=5,
        usd=0.25,
    )
    reply = Reply(text=answer(4), usage=usage, model="scripted-2", id="r1", resends=2)
    generate = CodeGenerator(ScriptedModel([reply]), temperature=0.5, max_tokens=99, seed=7)
    with capture() as captured:
        await generate.run(TASK.for_candidate(3, 4))
    (chat,) = captured.by_name("chat scripted")
    assert chat.kind is SpanKind.CLIENT
    assert chat.status.status_code is StatusCode.UNSET
    assert dict(of(chat)) == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "planish",
        "gen_ai.request.model": "scripted",
        "gen_ai.request.temperature": 0.5,
        "gen_ai.request.max_tokens": 99,
        "gen_ai.request.seed": 10,
        "gen_ai.response.model": "scripted-2",
        "gen_ai.response.id": "r1",
        "gen_ai.response.finish_reasons": ("stop",),
        "gen_ai.usage.input_tokens": 100,
        "gen_ai.usage.output_tokens": 20,
        "gen_ai.usage.cache_read.input_tokens": 80,
        "gen_ai.usage.cache_write.input_tokens": 7,
        "gen_ai.usage.reasoning.output_tokens": 5,
        "http.request.resend_count": 2,
        "planish.attempt.index": 1,
        "planish.candidate.index": 3,
        "planish.cost.usd": 0.25,
    }


@pytest.mark.anyio
async def test_a_streamed_request_says_when_the_first_piece_came() -> None:
    with capture() as captured:
        async with listen(lambda _: None):
            await CodeGenerator(ScriptedModel([answer(4)])).run(TASK)
    (chat,) = captured.by_name("chat scripted")
    assert of(chat)["gen_ai.request.stream"] is True
    assert of(chat)["gen_ai.response.time_to_first_chunk"] > 0


@pytest.mark.anyio
async def test_usage_stands_on_requests_only_and_adds_up_to_the_reports() -> None:
    tally = Tally()
    hanging = anyio.Event()
    waiting: list[Report] = []

    async def hang_in_the_second(report: Report) -> Report:
        """So that each loses with its answers paid for."""
        if report.history[0].candidate.task.attempt > 1:
            waiting.append(report)
            if len(waiting) == 2:
                hanging.set()
            await anyio.sleep_forever()
        return report

    async def when_they_hang(task: Task) -> Task:
        if task.attempt > 1:
            await hanging.wait()
        return task

    winner = step(when_they_hang) >> attempt([0, 4], tally=tally)
    loser = attempt([2, 1], tally=tally) >> step(hang_in_the_second)
    with capture() as captured:
        report = await Retry(winner | BestOf(loser, n=2), attempts=3).run(TASK)
    sums = {"input": 0, "output": 0}
    for span in captured.spans:
        used = {name: of(span).get(f"gen_ai.usage.{name}_tokens") for name in sums}
        assert all((span.name == "chat player") == (n is not None) for n in used.values())
        if span.name == "chat player":
            sums = {name: sums[name] + (used[name] or 0) for name in sums}
    assert report.usage == tally.usage
    assert sums == {"input": tally.usage.input_tokens, "output": tally.usage.output_tokens}
    assert report.usage.model_calls == len(captured.by_name("chat player")) > 3


@pytest.mark.anyio
async def test_a_sandbox_run_is_a_tool_call() -> None:
    done = Completed(exit_code=3, isolation="namespaces", sandbox_id="s1", limit="memory_mb")
    run = CodeExecution(ScriptedSandbox([done]))
    with capture() as captured:
        await run.run(Candidate(task=Task("Run."), code="print()"))
    (tool,) = captured.by_name("execute_tool scripted")
    assert dict(of(tool)) == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "scripted",
        "gen_ai.tool.type": "function",
        "planish.sandbox.id": "s1",
        "planish.sandbox.isolation": "namespaces",
        "planish.sandbox.limit": "memory_mb",
        "process.exit.code": 3,
    }


@pytest.mark.anyio
async def test_steps_say_what_came_of_them() -> None:
    with capture() as captured:
        await Retry(attempt([3]), attempts=1).run(TASK)
    (root,) = captured.by_name("invoke_workflow Retry")
    assert of(root)["gen_ai.operation.name"] == "invoke_workflow"
    assert of(root)["gen_ai.workflow.name"] == "Retry"
    assert "Retry(CodeGenerator(Player('player'))" in of(root)["planish.pipeline"]
    (loop,) = captured.by_name("invoke_agent Retry")
    assert of(loop)["gen_ai.agent.name"] == "Retry"
    for span in (root, loop):
        assert of(span)["planish.passed"] is False
        assert of(span)["planish.attempts"] == 1
        assert of(span)["planish.score"] == 0.75
        assert of(span)["planish.status"] == "partial_success"
        assert of(span)["planish.stop_reason"] == "max_attempts"
    (one,) = captured.by_name("planish.attempt")
    assert (of(one)["planish.attempt.max"], of(one)["planish.path"]) == (1, "Retry#1")
    (generator,) = captured.by_name("invoke_agent CodeGenerator")
    assert len(of(generator)["planish.candidate.digest"]) == 16
    (graded,) = captured.by_name("planish.grade")
    assert of(graded)["planish.status"] == "partial_success"
    assert all(span.status.status_code is StatusCode.UNSET for span in captured.spans)


@pytest.mark.anyio
async def test_what_raises_says_so_all_the_way_up() -> None:
    with capture() as captured, pytest.raises(ModelError):
        await Retry(attempt([RAISES]), attempts=2).run(TASK)
    for span in captured.spans:
        assert of(span)["error.type"] == "planish.errors.ModelError"
        assert span.status.status_code is StatusCode.ERROR
        assert span.status.description == "player is out of order"


@pytest.mark.anyio
async def test_a_span_has_the_beginning_of_a_long_message() -> None:
    message = "".join(f"{number} " for number in range(200))

    def fail(task: Task) -> Task:
        raise ValueError(message)

    with capture() as captured, pytest.raises(ValueError, match="0 1 2"):
        await (step(fail) >> attempt([4])).run(TASK)
    assert {span.status.description for span in captured.spans} == {message[:200]}


@pytest.mark.anyio
async def test_a_cancelled_loser_says_so_and_is_no_error() -> None:
    with capture() as captured:
        await (attempt([4], name="slow", seconds=10) | attempt([4], name="quick")).run(TASK)
    lost, won = sorted(
        captured.by_name("planish.branch"), key=lambda s: of(s)["planish.branch.index"]
    )
    assert of(lost)["planish.branch.outcome"] == "cancelled"
    assert of(lost)["error.type"].endswith(("CancelledError", "Cancelled"))
    assert lost.status.status_code is StatusCode.UNSET
    assert of(won)["planish.branch.outcome"] == "won"
    assert of(won)["planish.branch.count"] == 2
    assert [of(span)["planish.path"] for span in (lost, won)] == ["Race[0]", "Race[1]"]
    (race,) = captured.by_name("planish.race")
    assert "error.type" not in of(race)
    assert race.status.status_code is StatusCode.UNSET
    assert of(race)["planish.branch.winner"] == 1


@pytest.mark.anyio
async def test_a_run_stands_below_the_span_around_it() -> None:
    with capture() as captured:
        tracer = captured_tracer()
        with tracer.start_as_current_span("request") as request:
            await attempt([4]).run(TASK)
            assert trace.get_current_span() is request
    (run,) = captured.by_name("invoke_workflow Sequential")
    assert run.parent is not None
    assert run.parent.span_id == request.get_span_context().span_id
    assert trace.get_current_span() is trace.INVALID_SPAN


def captured_tracer() -> trace.Tracer:
    """A tracer of the program's own, with the same provider."""
    provider = current().tracer_provider
    assert provider is not None
    return provider.get_tracer("service")


@pytest.mark.anyio
async def test_an_error_that_cannot_be_printed_is_raised_all_the_same() -> None:
    class MuteError(Exception):
        def __str__(self) -> str:
            raise LookupError

    def fail(task: Task) -> Task:
        raise MuteError

    with capture() as captured, pytest.raises(MuteError):
        await (step(fail) >> attempt([4])).run(TASK)
    assert len(captured.spans) == 3


async def own_step(task: Task) -> Task:
    return task


@pytest.mark.anyio
async def test_steps_are_named_in_low_letters() -> None:
    def ReadMyMind(task: Task) -> Task:  # noqa: N802
        return task

    with capture() as captured:
        await (step(ReadMyMind) >> own_step >> step(grade_task)).run(TASK)
    assert [span.name for span in captured.spans][2:] == [
        "planish.read_my_mind",
        "planish.own_step",
        "planish.grade_task",
    ]


def grade_task(task: Task) -> str:
    return task.requirement
