"""Execution as a tool of an agent: run code with packages of yours, and raise if it fails.

The code may import what is installed for it. What it printed, displayed and wrote comes back; a
failure is one exception that has the whole report. Nothing here needs an account.
"""

import tempfile
from collections.abc import Mapping
from pathlib import Path

import anyio

from planish import Candidate, CodeExecution, Execution, Primitive, Report, Task, Validator
from planish.data import ResourceLimits, Status
from planish.errors import NotPassedError
from planish_integrations.local import LocalSandbox

UNITS = """
POUND = 0.45359237

def to_kg(pounds):
    return round(pounds * POUND, 3)
"""

RIGHT = """
import json
import units

weights = {name: units.to_kg(pounds) for name, pounds in {"cat": 9, "dog": 44}.items()}
with open("out/weights.json", "w") as file:
    json.dump(weights, file)
print(sum(weights.values()))
"""

WRONG = "import units\nprint(units.to_stone(9))"


def has_run(execution: Execution) -> bool:
    return execution.status is Status.SUCCESS


async def run_code(
    tool: Primitive[Candidate, Report], code: str
) -> tuple[str, Mapping[str, bytes]]:
    """Return what the code printed, and the files it wrote.

    Raises:
        NotPassedError: it failed.
    """
    report = await tool.run(Candidate(task=Task("Run this code."), code=code))
    execution = report.unwrap().execution
    return execution.stdout, execution.artifacts


def install(folder: Path) -> None:
    folder.chmod(0o755)  # if you are root, programs run as a user without rights
    (folder / "units.py").write_text(UNITS, encoding="utf-8")


async def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        install(Path(folder))
        async with LocalSandbox(packages=[folder]) as sandbox:
            limits = ResourceLimits(seconds=10, memory_mb=512)
            tool = CodeExecution(sandbox, limits=limits, outputs="out") >> Validator(has_run)
            printed, files = await run_code(tool, RIGHT)
            print(f"printed {printed.strip()}, wrote {dict(files)}")
            try:
                await run_code(tool, WRONG)
            except NotPassedError as error:
                attempt = error.report.history[0] if error.report else None
                failure = attempt.execution.failure if attempt else None
                print(f"failed: {failure.message if failure else error}")


if __name__ == "__main__":
    anyio.run(main)
