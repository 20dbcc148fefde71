"""Test doubles and conformance kits for pipelines, models and sandboxes.

`planish.testing.telemetry` captures spans and metrics. It needs the OpenTelemetry SDK
(the extra `otel`), so that it is imported by its own name.
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
