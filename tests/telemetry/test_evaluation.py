"""Every verdict is an evaluation event, on its span and as a log record in the same trace."""

import json
import subprocess
import sys
from typing import Any

import pytest
from tests.laws.kit import TASK, answer, attempt, grade

from planish import CodeGenerator, Execution, Retry, Validator, Verdict, step
from planish.data import Finding, Reply
from planish.testing.scripted import ScriptedModel
from planish.testing.telemetry import Capture, capture


def evaluations(captured: Capture) -> list[dict[str, Any]]:
    return [
        dict(event.attributes or {})
        for span in captured.spans
        for event in span.events
        if event.name == "gen_ai.evaluation.result"
    ]


@pytest.mark.anyio
async def test_each_verdict_is_an_event_of_its_span() -> None:
    with capture() as captured:
        await Retry(attempt([1, 4]), attempts=2).run(TASK)
    failed, passed = evaluations(captured)
    assert failed["gen_ai.evaluation.name"] == "tests"
    assert failed["gen_ai.evaluation.score.label"] == "fail"
    assert failed["gen_ai.evaluation.score.value"] == 0.25
    assert failed["gen_ai.evaluation.explanation"].startswith("check 1 fails")
    assert passed["gen_ai.evaluation.score.label"] == "pass"
    assert passed["gen_ai.evaluation.score.value"] == 1.0
    assert "gen_ai.evaluation.explanation" not in passed
    spans = captured.by_name("planish.validator")
    assert [(span.attributes or {})["planish.verdict"] for span in spans] == ["failed", "passed"]
    for span in spans:
        assert (span.attributes or {})["planish.evidence.origin"] == "user"
        assert (span.attributes or {})["planish.evidence.separation"] == "none"  # nothing was run


@pytest.mark.anyio
async def test_it_says_which_answer_and_which_judge() -> None:
    def unsure(execution: Execution) -> Verdict:
        findings = (Finding(message="x" * 900),)
        return Verdict(execution=execution, label="unverified", findings=findings, judge="unsure")

    generate = CodeGenerator(ScriptedModel([Reply(text=answer(4), id="r1")]))
    with capture() as captured:
        await (generate >> step(grade) >> Validator(unsure)).run(TASK)
    (event,) = evaluations(captured)
    assert event == {
        "gen_ai.evaluation.name": "unsure",
        "gen_ai.evaluation.score.label": "unverified",
        "gen_ai.evaluation.explanation": "x" * 500,
        "gen_ai.response.id": "r1",
    }


# The logger provider is one for the whole process, and can be set only once.
PROGRAM = """
import json
import anyio
from opentelemetry import _logs
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter, SimpleLogRecordProcessor
from tests.laws.kit import TASK, attempt
from planish.testing.telemetry import capture

exporter = InMemoryLogRecordExporter()
provider = LoggerProvider()
provider.add_log_record_processor(SimpleLogRecordProcessor(exporter))
_logs.set_logger_provider(provider)
with capture() as captured:
    anyio.run(attempt([2]).run, TASK)
(found,) = exporter.get_finished_logs()
record = found.log_record
(judged,) = captured.by_name("planish.validator")
print(json.dumps({
    "name": record.event_name,
    "label": record.attributes["gen_ai.evaluation.score.label"],
    "score": record.attributes["gen_ai.evaluation.score.value"],
    "same trace": record.trace_id == judged.context.trace_id,
    "same span": record.span_id == judged.context.span_id,
}))
"""


def test_each_verdict_is_a_log_record_in_its_trace() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False
    )
    assert ran.stderr == ""
    assert json.loads(ran.stdout) == {
        "name": "gen_ai.evaluation.result",
        "label": "fail",
        "score": 0.5,
        "same trace": True,
        "same span": True,
    }
