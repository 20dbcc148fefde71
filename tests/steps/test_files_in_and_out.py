"""A task brings files, and an execution returns what the program wrote."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.forging.places import PLACES, sandbox_of

from planish import Candidate, CodeExecution, Task, Validator
from planish.data import (
    Contract,
    CsvFile,
    FileFormat,
    Folder,
    PytestFile,
    Status,
    TextFile,
    ValueFile,
)
from planish.errors import WiringError
from planish_integrations.local import LocalSandbox
from planish_integrations.unsafe import UnsafeLocalSandbox

LOCAL = LocalSandbox()

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


TYPED = """import argparse
import datetime
import pathlib

parser = argparse.ArgumentParser()
parser.add_argument("--since", type=datetime.datetime.fromisoformat, required=True)
parser.add_argument("--wait", type=lambda text: datetime.datetime.strptime(text, "%H:%M:%S"))
parser.add_argument("--rate", type=float, required=True)
parser.add_argument("--texts", type=pathlib.Path, required=True)
parser.add_argument("--label")
asked = parser.parse_args()
out = pathlib.Path("out")
wait = datetime.timedelta(hours=asked.wait.hour)
(out / "until").write_text((asked.since + wait).isoformat())
(out / "waits").write_text(f"{wait * 30}\\n")
(out / "half").write_text(str(asked.rate / 2))
(out / "upper").mkdir()
for file in asked.texts.iterdir():
    (out / "upper" / file.name).write_text(file.read_text().upper() + asked.label)
"""
FORMATS: dict[str, FileFormat | Folder] = {
    "until": ValueFile(type="datetime"),
    "waits": ValueFile(type="timedelta"),
    "half": ValueFile(type="float"),
    "upper": Folder(of=TextFile(), least=2),
}


def typed_task() -> Task:
    contract = Contract(
        inputs={
            "since": ValueFile(type="datetime"),
            "wait": ValueFile(type="timedelta"),
            "rate": ValueFile(type="float"),
            "label": ValueFile(type="str"),
            "texts": Folder(of=TextFile(), least=2),
        },
        outputs=FORMATS,
        arguments={name: name for name in ("since", "wait", "rate", "label", "texts")},
    )
    files: dict[str, Any] = {
        "since": datetime(2026, 1, 31, 22, tzinfo=UTC),
        "wait": timedelta(hours=3),
        "rate": -0.5,
        "label": "--x 'y",
        "texts/a": "a",
        "texts/b": "b",
    }
    return Task("Write all.", files=files, contract=contract)


@pytest.mark.anyio
@pytest.mark.parametrize("place", PLACES)
async def test_a_program_with_arguments_runs_in_every_sandbox(place: str) -> None:
    task = typed_task()
    async with sandbox_of(place) as sandbox:
        execution = await CodeExecution(sandbox).run(Candidate(task=task, code=TYPED))
    assert execution.status is Status.SUCCESS, (execution.failure, execution.stderr)
    assert task.contract is not None
    assert task.contract.read(execution.artifacts) == {
        "until": datetime(2026, 2, 1, 1, tzinfo=UTC),
        "waits": timedelta(days=3, hours=18),
        "half": -0.25,
        "upper": {"a": b"A--x 'y", "b": b"B--x 'y"},
    }


@pytest.mark.anyio
@pytest.mark.parametrize("kind", ["cases", "asserts", "pytest"])
async def test_tested_code_has_the_arguments_too(kind: str) -> None:
    entry = "total" if kind == "cases" else None
    task = replace(typed_task(), entry_point=entry)
    task = replace(task, tests=Task("Do it.", tests=KINDS[kind], entry_point=entry).tests)
    code = f"{TYPED}\ndef total():\n    return 5 if asked.rate == -0.5 else 0\n"
    execution = await CodeExecution(LocalSandbox()).run(Candidate(task=task, code=code))
    assert execution.score == 1, (execution.failure, execution.tests)


@pytest.mark.anyio
async def test_outputs_of_other_types_are_findings() -> None:
    code = TYPED.replace("str(asked.rate / 2)", "'half'").replace('f"{wait * 30}\\n"', "'90 h'")
    code = code.replace("in asked.texts.iterdir()", "in [asked.texts / 'a']")
    report = await (CodeExecution(LOCAL) >> Validator()).run(
        Candidate(task=typed_task(), code=code)
    )
    assert [one.message for one in report.history[0].verdict.findings] == [
        "out/waits has '90 h', not one timedelta",
        "out/half has 'half', not one float",
        "out/upper has 1 files, not 2",
    ]


@pytest.mark.anyio
async def test_a_removed_folder_is_a_finding() -> None:
    code = "import shutil\nshutil.rmtree('out')"
    execute = CodeExecution(LOCAL, outputs="out")
    execution = await execute.run(Candidate(task=Task("Do it."), code=code))
    assert any("'out'" in finding for finding in execution.findings), execution.findings
    assert execution.artifacts == {}


@pytest.mark.anyio
async def test_a_file_of_the_task_is_not_the_candidates() -> None:
    task = Task("Do it.", files=FILES)
    candidate = Candidate(task=task, code="x = 1", files={"Data/sales.csv": ""})
    execution = await CodeExecution(LOCAL).run(candidate)
    assert execution.failure is not None
    assert "of the task" in execution.failure.message


@pytest.mark.parametrize("outputs", ["../out", "/out", "", "a/../b"])
def test_a_folder_outside_is_an_error(outputs: str) -> None:
    with pytest.raises(WiringError, match="outputs"):
        CodeExecution(LOCAL, outputs=outputs)
