"""What importing planish costs, beside importing what it stands on."""

import os
import statistics
import subprocess
import sys

import pytest

pytestmark = pytest.mark.benchmark

OURS = "import planish"
THEIRS = "import anyio, pydantic, structlog, opentelemetry.trace, opentelemetry.metrics"

# The same with every name really loaded: planish, anyio and pydantic all load them when used.
ALL_OURS = "from planish import *"
ALL_THEIRS = f"""
{THEIRS}
import anyio.abc, anyio.lowlevel, anyio.streams.memory, opentelemetry._logs
anyio.create_task_group, anyio.CancelScope, anyio.Event, pydantic.TypeAdapter, pydantic.BaseModel
"""


def cpu_seconds(statement: str) -> float:
    before = os.times()
    subprocess.run([sys.executable, "-c", statement], check=True)
    after = os.times()
    return (
        after.children_user + after.children_system - before.children_user - before.children_system
    )


@pytest.mark.parametrize(("ours", "theirs"), [(OURS, THEIRS), (ALL_OURS, ALL_THEIRS)])
def test_importing_costs_at_most_a_fifth_more_than_its_dependencies(ours: str, theirs: str) -> None:
    taken: dict[str, list[float]] = {ours: [], theirs: []}
    for statement in taken:
        cpu_seconds(statement)
    for _ in range(15):
        for statement, times in taken.items():
            times.append(cpu_seconds(statement))
    seconds, theirs_seconds = (statistics.median(times) for times in taken.values())
    ratio = seconds / theirs_seconds
    print(f"{ours}: {seconds * 1e3:.0f} ms of CPU, {ratio:.2f} times its dependencies")
    assert ratio <= 1.2
