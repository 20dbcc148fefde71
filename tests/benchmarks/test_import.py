"""The processor time of importing planish, compared with that of its dependencies."""

import os
import resource
import statistics
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.benchmark

OURS = "import planish"
# Not structlog: planish uses it only if the program has imported it (see tests/house).
THEIRS = "import anyio, pydantic, opentelemetry.trace, opentelemetry.metrics"

# The same with every name loaded: planish, anyio and pydantic load each when it is first used.
ALL_OURS = "from planish import *"
ALL_THEIRS = f"""
{THEIRS}
import anyio.abc, anyio.lowlevel, anyio.streams.memory, opentelemetry._logs
anyio.create_task_group, anyio.CancelScope, anyio.Event, pydantic.TypeAdapter, pydantic.BaseModel
"""


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """A cache of bytecode of its own, so that the source is compiled in the first run only."""
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(tmp_path)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    return environment


def cpu_seconds(statement: str, environment: dict[str, str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", statement], check=True, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


# Measured: 0.31, and 1.20 to 1.36 by machine with every name; a fifth is for data classes.
@pytest.mark.parametrize(
    ("ours", "theirs", "limit"), [(OURS, THEIRS, 0.4), (ALL_OURS, ALL_THEIRS, 1.15 * 1.26)]
)
def test_importing_costs_little_more_than_its_dependencies(
    ours: str, theirs: str, limit: float, environment: dict[str, str]
) -> None:
    times: dict[str, list[float]] = {ours: [], theirs: []}
    for statement in times:
        cpu_seconds(statement, environment)
    for _ in range(11):
        for statement, measured in times.items():
            measured.append(cpu_seconds(statement, environment))
    seconds, theirs_seconds = (statistics.median(measured) for measured in times.values())
    ratio = seconds / theirs_seconds
    print(f"{ours}: {seconds * 1e3:.0f} ms of CPU, {ratio:.2f} times its dependencies")
    assert ratio <= limit
