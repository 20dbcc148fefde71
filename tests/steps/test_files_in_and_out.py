"""A task brings files, and an execution returns what the program wrote."""

from typing import Any

import pytest
from tests.forging.places import PLACES, sandbox_of

from planish import Candidate, CodeExecution, Task, Validator
from planish.data import Contract, CsvFile, PytestFile, Status, TextFile
from planish.errors import WiringError
from planish_integrations.local import LocalSandbox
from planish_integrations.unsafe import UnsafeLocalSandbox

FILES: dict[str, str | bytes] = {
    "data/sales.csv": "region,amount\nnorth,2\nsouth,3\n",
    "blob": b"\xff\0",
}
CODE = """import csv
from pathlib import Path

def total():
    with open("data/sales.csv") as file:
        amount = sum(int(row["amount"]) for row in csv.DictReader(file))
    Path("out/sub").mkdir()
    Path("out/sub/total.txt").write_text(str(amount))
    Path("out/copy.bin").write_bytes(Path("blob").read_bytes())
    return amount
"""
KINDS: dict[str, Any] = {
    "cases": [((), 5)],
    "asserts": "assert total() == 5",
    "pytest": PytestFile("from solution import total\n\ndef test_it():\n    assert total() == 5\n"),
    "nothing": None,
}


@pytest.mark.anyio
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sandbox", [UnsafeLocalSandbox, LocalSandbox])
async def test_files_go_in_and_artifacts_come_out(kind: str, sandbox: Any) -> None:
    entry = "total" if kind == "cases" else None
    task = Task("Add the amounts.", tests=KINDS[kind], entry_point=entry, files=FILES)
    code = CODE + ("" if KINDS[kind] else "\ntotal()\n")
    execute = CodeExecution(sandbox(), outputs="out")
    report = await (execute >> Validator()).run(Candidate(task=task, code=code))
    assert report.best is not None
    execution = report.best.execution
    assert execution.status is Status.SUCCESS, (execution.failure, execution.stderr)
    assert dict(execution.artifacts) == {"sub/total.txt": b"5", "copy.bin": b"\xff\0"}
    assert type(report).from_json(report.to_json()).best == report.best


@pytest.mark.anyio
@pytest.mark.parametrize("place", PLACES)
async def test_they_do_so_in_every_sandbox(place: str) -> None:
    contract = Contract(outputs={"sub/total.txt": TextFile(), "more.csv": CsvFile()})
    task = Task("Add the amounts.", tests="assert total() == 5", files=FILES, contract=contract)
    async with sandbox_of(place) as sandbox:
        execution = await CodeExecution(sandbox).run(Candidate(task=task, code=CODE))
    assert dict(execution.artifacts) == {"sub/total.txt": b"5", "copy.bin": b"\xff\0"}
    assert [(test.name, test.status) for test in execution.tests] == [
        ("assert total() == 5", "passed"),
        ("the output out/more.csv", "failed"),
    ], (execution.failure, execution.stderr)


@pytest.mark.anyio
async def test_a_removed_folder_is_a_finding() -> None:
    code = "import shutil\nshutil.rmtree('out')"
    execute = CodeExecution(UnsafeLocalSandbox(), outputs="out")
    execution = await execute.run(Candidate(task=Task("Do it."), code=code))
    assert any("'out'" in finding for finding in execution.findings), execution.findings
    assert execution.artifacts == {}


@pytest.mark.anyio
async def test_a_file_of_the_task_is_not_the_candidates() -> None:
    task = Task("Do it.", files=FILES)
    candidate = Candidate(task=task, code="x = 1", files={"Data/sales.csv": ""})
    execution = await CodeExecution(UnsafeLocalSandbox()).run(candidate)
    assert execution.failure is not None
    assert "of the task" in execution.failure.message


@pytest.mark.parametrize("outputs", ["../out", "/out", "", "a/../b"])
def test_a_folder_outside_is_an_error(outputs: str) -> None:
    with pytest.raises(WiringError, match="outputs"):
        CodeExecution(UnsafeLocalSandbox(), outputs=outputs)
