"""What a run leaves is held to the task's contract; what breaks it fails the attempt."""

from typing import Any

import anyio
import pytest

from planish import Candidate, CodeExecution, CodeGenerator, Retry, Task, Validator
from planish.data import (
    AnyFile,
    Completed,
    Contract,
    CsvFile,
    Folder,
    JsonFile,
    Program,
    PytestFile,
    Status,
    StdioPairs,
    TextFile,
)
from planish.errors import WiringError
from planish.testing import ScriptedModel
from planish_integrations.local import LocalSandbox

LOCAL = LocalSandbox()

CONTRACT = Contract(
    outputs={"t.json": JsonFile(fields={"total": "int"}), "log.txt": TextFile(optional=True)}
)
RIGHT = (
    "import json\ndef f():\n    json.dump({'total': 5}, open('out/t.json', 'w'))\n    return 5\n"
)
MISSING = "def f():\n    return 5\n"
TYPED = RIGHT.replace("'total': 5", "'total': '5'")
KINDS: dict[str, Any] = {
    "cases": [((), 5)],
    "asserts": "assert f() == 5",
    "pytest": PytestFile("from solution import f\n\ndef test_it():\n    assert f() == 5\n"),
    "pairs": StdioPairs([("", ""), ("x", "")]),
    "nothing": None,
}


def task_of(kind: str, contract: Contract = CONTRACT) -> Task:
    """Return a task with a kind of tests."""
    tests = KINDS[kind]
    return Task(
        "Add.", tests=tests, entry_point="f" if kind == "cases" else None, contract=contract
    )


@pytest.mark.anyio
@pytest.mark.parametrize("kind", KINDS)
async def test_an_output_that_breaks_the_contract_fails_the_attempt(kind: str) -> None:
    check = CodeExecution(LOCAL) >> Validator()
    for code, words in (
        (MISSING, "out/t.json is missing"),
        (TYPED, "out/t.json has str in field 'total', not int"),
    ):
        whole = code + ("f()\n" if kind in ("pairs", "nothing") else "")
        report = await check.run(Candidate(task=task_of(kind), code=whole))
        assert report.verdict is not None
        assert report.verdict.label == "failed"
        assert report.verdict.findings[0].message == words
        assert report.verdict.findings[0].kind == "logic"
        execution = report.verdict.execution
        assert execution.failure is not None
        assert (execution.failure.name, execution.failure.message) == ("ContractError", words)
        assert execution.tests[-1].name == "the output out/t.json"
        assert report.score == {"pairs": 2 / 3, "nothing": 0.0}.get(kind, 0.5)


class Leaves:
    """A sandbox whose programs end at once and leave a table."""

    name = "leaves"

    def __init__(self, rows: int) -> None:
        self.table = b"n\n" + b"1\n" * rows

    async def run(self, program: Program) -> Completed:  # noqa: ARG002
        return Completed(exit_code=0, artifacts={"t.csv": self.table})


async def turns_beside(execution: CodeExecution, candidate: Candidate) -> int:
    """Count how often another task has its turn while a candidate that passes is executed."""
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            await anyio.sleep(0.001)
            turns += 1

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(count)
        assert (await execution.run(candidate)).failure is None
        tasks.cancel_scope.cancel()
    return turns


@pytest.mark.anyio
async def test_other_tasks_run_while_a_large_output_is_checked() -> None:
    contract = Contract(outputs={"t.csv": CsvFile(columns={"n": "int"})})
    candidate = Candidate(task=Task("List.", contract=contract), code="x = 1\n")
    few, many = [
        await turns_beside(CodeExecution(Leaves(rows)), candidate) for rows in (10, 400_000)
    ]
    assert many > few + 10


@pytest.mark.anyio
@pytest.mark.parametrize("kind", KINDS)
async def test_outputs_as_required_are_no_evidence_of_their_own(kind: str) -> None:
    check = CodeExecution(LocalSandbox()) >> Validator()
    whole = RIGHT + ("f()\n" if kind in ("pairs", "nothing") else "")
    report = await check.run(Candidate(task=task_of(kind), code=whole))
    assert report.verdict is not None
    assert report.verdict.label == ("unverified" if kind == "nothing" else "passed")
    assert report.verdict.execution.artifacts == {"t.json": b'{"total": 5}'}


@pytest.mark.anyio
async def test_the_finding_reaches_the_model_and_the_loop_mends_it() -> None:
    model = ScriptedModel(f"```python\n{code}```" for code in (MISSING, TYPED, RIGHT))
    check = CodeExecution(LocalSandbox()) >> Validator()
    report = await Retry(CodeGenerator(model) >> check, attempts=3).run(task_of("asserts"))
    assert report.passed
    assert [attempt.status for attempt in report.history] == [
        *[Status.PARTIAL_SUCCESS] * 2,
        Status.SUCCESS,
    ]
    assert "out/t.json is missing" in model.requests[1].messages[-1].content
    assert "JSON, an object with total (int)" in model.requests[1].messages[-1].content
    assert "has str in field 'total', not int" in model.requests[2].messages[-1].content
    assert type(report).from_json(report.to_json()) == report


@pytest.mark.anyio
async def test_code_that_does_not_end_is_not_asked_for_outputs() -> None:
    check = CodeExecution(LOCAL)
    for code in ("raise ValueError", "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)"):
        execution = await check.run(Candidate(task=task_of("nothing"), code=code))
        assert execution.tests == ()
        assert execution.failure is not None
        assert execution.failure.name != "ContractError"


@pytest.mark.anyio
async def test_a_link_in_the_place_of_an_output_is_missing_and_said_so() -> None:
    code = "import os\nos.symlink('/etc/passwd', 'out/t.json')\n"
    execution = await CodeExecution(LocalSandbox()).run(
        Candidate(task=task_of("nothing"), code=code)
    )
    assert [test.message for test in execution.tests] == ["out/t.json is missing"]
    assert any("t.json" in finding and "link" in finding for finding in execution.findings)


@pytest.mark.anyio
async def test_another_contract_is_not_answered_with_evidence_of_the_first() -> None:
    sandbox = LOCAL
    execute = CodeExecution(sandbox)
    other = Contract(outputs={"t.json": AnyFile()})
    keys = set[str]()
    for contract in (CONTRACT, other, Contract(outputs={"t.json": CsvFile()})):
        candidate = Candidate(task=task_of("asserts", contract), code=RIGHT)
        keys.add((await execute.run(candidate)).key)
    assert len(keys) == 3


@pytest.mark.anyio
async def test_two_folders_are_an_error() -> None:
    execute = CodeExecution(LOCAL, outputs="results")
    with pytest.raises(WiringError, match="leave `outputs` out"):
        await execute.run(Candidate(task=task_of("asserts"), code=RIGHT))
    inputs = Contract(inputs={})
    candidate = Candidate(task=task_of("asserts", inputs), code="def f():\n    return 5")
    assert (await execute.run(candidate)).status is Status.SUCCESS


APPENDS = "open('out/log.txt', 'a').write('more')\n"
ADDS = "open('out/parts/b.txt', 'w').write('b')\n"


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("outputs", "code", "unchanged"),
    [
        ({"log.txt": TextFile()}, "", "out/log.txt"),
        ({"log.txt": TextFile()}, APPENDS, ""),
        ({"log.txt": TextFile(optional=True)}, "", ""),
        ({"parts": Folder(of=TextFile())}, "", "out/parts"),
        ({"parts": Folder(of=TextFile(), least=2)}, ADDS, ""),
    ],
)
async def test_a_file_of_the_task_is_no_output_until_the_program_changes_it(
    outputs: dict[str, Any], code: str, unchanged: str
) -> None:
    files = {"out/log.txt": "begin", "out/parts/a.txt": "a"}
    task = Task("Write.", files=files, contract=Contract(outputs=outputs))
    execution = await CodeExecution(LOCAL).run(Candidate(task=task, code=f"{code}pass\n"))
    found = [(test.name, test.message) for test in execution.tests if test.status == "failed"]
    words = f"{unchanged} is as the task has brought it: the program must write it"
    assert found == ([(f"the output {unchanged}", words)] if unchanged else [])
