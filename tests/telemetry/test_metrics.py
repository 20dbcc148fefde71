"""What is measured, and under which names and dimensions."""

import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from tests.laws.kit import RAISES, TASK, answer, attempt

from planish import BestOf, Candidate, CodeExecution, CodeGenerator, Primitive, Retry, Task, step
from planish.context.scope import override_context
from planish.data import Completed, Program, Reply, Usage
from planish.effects import execute
from planish.errors import ModelError
from planish.events import listen
from planish.telemetry.metrics import Instruments
from planish.testing.scripted import ScriptedModel, ScriptedSandbox
from planish.testing.telemetry import capture

Points = Mapping[str, list[tuple[Mapping[str, Any], Any]]]


async def measured(pipeline: Primitive[Any, Any], value: Any) -> Points:
    """Every point that a run records, by metric: its dimensions, and its sum and count."""
    reader = InMemoryMetricReader()
    provider = MeterProvider(metric_readers=[reader])
    with override_context(meter_provider=provider), suppress(ModelError):
        await pipeline.run(value)
    data: Any = reader.get_metrics_data()
    provider.shutdown()
    found: dict[str, list[tuple[Mapping[str, Any], Any]]] = {}
    for resource in data.resource_metrics:
        for scope in resource.scope_metrics:
            for metric in scope.metrics:
                for point in metric.data.data_points:
                    found.setdefault(metric.name, []).append((dict(point.attributes), point))
    return found


@pytest.mark.anyio
async def test_the_seconds_of_sandboxes_and_the_endings_of_branches_are_counted() -> None:
    points = await measured(BestOf(attempt([1, 4]), n=2), TASK)
    branches = {d["planish.branch.outcome"]: point.value for d, point in points["planish.branches"]}
    assert branches == {"lost": 1, "won": 1}
    points = await measured(BestOf(attempt([1, RAISES]), n=2), TASK)
    branches = {d["planish.branch.outcome"]: point.value for d, point in points["planish.branches"]}
    assert branches == {"won": 1, "failed": 1}
    done = Completed(exit_code=0, duration=1.5)
    program = Program(main="m.py", files={"m.py": b""})

    async def run(_: int) -> int:
        for _ in range(2):
            await execute(sandbox, program)
        return 0

    sandbox = ScriptedSandbox([done, done])
    ((dims, seconds),) = (await measured(step(run), 0))["planish.sandbox.seconds"]
    assert seconds.value == 3.0
    assert dims == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": sandbox.name,
        "gen_ai.tool.type": "function",
    }


@pytest.mark.anyio
async def test_a_request_is_timed_and_its_tokens_and_cost_are_counted() -> None:
    usage = Usage(input_tokens=100, output_tokens=20, usd=0.25)

    class Remote(ScriptedModel):
        server_address = ("api.example.com", 8443)

    model = Remote([Reply(text=answer(4), usage=usage, model="scripted-2")])
    points = await measured(CodeGenerator(model), TASK)
    dims = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "planish",
        "gen_ai.request.model": "scripted",
        "gen_ai.response.model": "scripted-2",
        "server.address": "api.example.com",
        "server.port": 8443,
    }
    ((found, duration),) = points["gen_ai.client.operation.duration"]
    assert found == dims
    assert (duration.count, duration.sum > 0) == (1, True)
    assert duration.explicit_bounds[:3] == (0.01, 0.02, 0.04)
    tokens = {d["gen_ai.token.type"]: point.sum for d, point in points["gen_ai.client.token.usage"]}
    assert tokens == {"input": 100, "output": 20}
    ((_, cost),) = points["planish.cost"]
    assert cost.value == 0.25
    ((agent, _),) = points["gen_ai.invoke_agent.duration"]
    assert agent == {"gen_ai.agent.name": "CodeGenerator"}


PAGE = Path(__file__).resolve().parents[2] / "docs" / "telemetry.md"


def test_units_and_boundaries_are_those_of_the_documentation() -> None:
    rows = re.findall(r"^\| `([\w.]+)` \| (s|USD|{\w+}) \|", PAGE.read_text("utf-8"), re.MULTILINE)
    reader = InMemoryMetricReader()
    found = Instruments(MeterProvider(metric_readers=[reader]))
    histograms = (found.workflow, found.agent, found.tool, found.chat, found.first_chunk)
    for histogram in (*histograms, found.tokens, found.attempts):
        histogram.record(1)
    for counter in (found.verdicts, found.cost, found.sandbox_seconds, found.branches):
        counter.add(1)
    data: Any = reader.get_metrics_data()
    metrics = data.resource_metrics[0].scope_metrics[0].metrics
    assert {metric.name: metric.unit for metric in metrics} == dict(rows)
    edges = {
        m.name: m.data.data_points[0].explicit_bounds
        for m in metrics
        if not hasattr(m.data, "is_monotonic")  # of counters only
    }
    seconds = (14, 0.01, 81.92)
    assert {name: (len(edge), edge[0], edge[-1]) for name, edge in edges.items()} == {
        "gen_ai.invoke_workflow.duration": (11, 1, 7200),
        "gen_ai.invoke_agent.duration": (13, 0.1, 409.6),
        "gen_ai.execute_tool.duration": seconds,
        "gen_ai.client.operation.duration": seconds,
        "gen_ai.client.operation.time_to_first_chunk": seconds,
        "gen_ai.client.token.usage": (14, 1, 4**13),
        "planish.loop.attempts": (8, 1, 20),
    }
    assert all(list(edge) == sorted(set(edge)) for edge in edges.values())


@pytest.mark.anyio
async def test_loops_verdicts_and_runs_are_measured() -> None:
    points = await measured(Retry(attempt([1, 4]), attempts=5), TASK)
    ((loop, attempts),) = points["planish.loop.attempts"]
    assert loop == {"planish.stop_reason": "success", "planish.passed": True}
    assert (attempts.count, attempts.sum) == (1, 2)
    verdicts = {
        (d["planish.verdict"], d["planish.status"]): point.value
        for d, point in points["planish.verdicts"]
    }
    assert verdicts == {("failed", "partial_success"): 1, ("passed", "success"): 1}
    ((run, duration),) = points["gen_ai.invoke_workflow.duration"]
    assert run == {"gen_ai.workflow.name": "Retry"}
    assert duration.count == 1
    agents = {d["gen_ai.agent.name"]: p.count for d, p in points["gen_ai.invoke_agent.duration"]}
    assert agents == {"Retry": 1, "CodeGenerator": 2}


@pytest.mark.anyio
async def test_what_raises_is_measured_with_its_type() -> None:
    points = await measured(attempt([RAISES]), TASK)
    for name in (
        "gen_ai.client.operation.duration",
        "gen_ai.invoke_agent.duration",
        "gen_ai.invoke_workflow.duration",
    ):
        ((dims, point),) = points[name]
        assert dims["error.type"] == "planish.errors.ModelError"
        assert point.count == 1
    assert "gen_ai.client.token.usage" not in points


@pytest.mark.anyio
async def test_a_sandbox_run_is_measured() -> None:
    run = CodeExecution(ScriptedSandbox([Completed(exit_code=0)], name="place"))
    points = await measured(run, Candidate(task=Task("Run."), code="print()"))
    ((dims, duration),) = points["gen_ai.execute_tool.duration"]
    assert dims["gen_ai.tool.name"] == "place"
    assert duration.count == 1


@pytest.mark.anyio
async def test_the_first_piece_of_a_stream_is_timed() -> None:
    with capture() as captured:
        async with listen(lambda _: None):
            await CodeGenerator(ScriptedModel([answer(4)])).run(TASK)
        assert "gen_ai.client.operation.time_to_first_chunk" in captured.metrics()
