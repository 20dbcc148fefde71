"""What importing planish costs, beside importing what it stands on."""

import os
import statistics
import subprocess
import sys

import pytest

pytestmark = pytest.mark.benchmark

OURS = "import planish"
# The four it is built on, as a program that uses them would import them.
THEIRS = "import anyio, pydantic, structlog, opentelemetry.trace, opentelemetry.metrics"


def cpu_seconds(statement: str) -> float:
    before = os.times()
    subprocess.run([sys.executable, "-c", statement], check=True)
    after = os.times()
    return (
        after.children_user + after.children_system - before.children_user - before.children_system
    )


def test_importing_costs_at_most_a_fifth_more_than_its_dependencies() -> None:
    taken: dict[str, list[float]] = {OURS: [], THEIRS: []}
    for statement in taken:
        cpu_seconds(statement)
    for _ in range(15):
        for statement, times in taken.items():
            times.append(cpu_seconds(statement))
    ours, theirs = (statistics.median(times) for times in taken.values())
    print(f"import: {ours * 1e3:.0f} ms of CPU, {ours / theirs:.2f} times its dependencies")
    assert ours <= 1.2 * theirs
