"""What users test their own pipelines, models and sandboxes with.

`planish.testing.telemetry` catches spans and metrics; it needs the OpenTelemetry SDK
(`pip install "planish[otel]"`) and so is imported by its own name.
"""

from planish.testing._conformance import ConformanceError
from planish.testing.clock import FakeClock
from planish.testing.model_kit import check_model
from planish.testing.replay import ReplayModel
from planish.testing.sandbox_kit import check_sandbox
from planish.testing.scripted import ScriptedModel, ScriptedSandbox

__all__ = [
    "ConformanceError",
    "FakeClock",
    "ReplayModel",
    "ScriptedModel",
    "ScriptedSandbox",
    "check_model",
    "check_sandbox",
]
