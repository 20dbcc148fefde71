"""Each rule of the sandbox kit by itself: with results that break it, and it alone."""

from dataclasses import replace
from typing import Any

import pytest
from tests.testing.results import BYTES, CHECKS, RIGHT, Results, ended, exited

from planish.data.program import Completed, Program

pytestmark = pytest.mark.anyio

NOT_OK: dict[str, Any] = {"exit_code": 4}
WRONG: list[tuple[str, int, dict[str, Any], str]] = [
    ("runs a program", 0, NOT_OK, "exit_code=4"),
    ("runs a program", 0, {"stdout": b"run\n"}, "printed 'run"),
    ("runs a program", 0, {"duration": 0.0}, "duration is 0.0"),
    ("writes files", 0, {"stdout": b"helper main.py"}, "exit_code=0"),
    ("passes input", 0, {"stdout": b"1 b''\n"}, "of 0 bytes"),
    ("passes input", 1, {"stdout": b"8 b'wo?'\n"}, "of 8 bytes"),
    ("passes input", 2, {"stdout": b"65536 b'xxx'\n"}, "of 300000 bytes"),
    ("passes input", 3, NOT_OK, "not read: exit_code=4"),
    ("returns results", 0, {"results": b"x"}, "nothing was written, results are b'x'"),
    ("returns results", 1, {"results": b"so"}, "after '', results are b'so'; expected b'so far'"),
    ("returns results", 2, {"results": b""}, "after 'os._exit(3)', results are b''"),
    ("returns results", 3, {"results": None}, "after 'os.abort()', results are None"),
    ("returns results", 4, {"results": b""}, "without `results`, results are b''"),
    ("returns results", 4, {"stdout": b"True\n"}, "the program has a descriptor for them"),
    ("passes variables", 0, NOT_OK, "exit_code=4"),
    ("passes variables", 0, {"stdout": b'{"PLAIN": "2"}'}, "it saw {'PLAIN': '2'"),
    ("hides the host's variables", 0, NOT_OK, "exit_code=4"),
    ("separates stdout and stderr, as bytes", 0, {"stdout": b"out \xff"}, "stdout is b'out"),
    ("separates stdout and stderr, as bytes", 0, {"stderr": b""}, "stderr is b''"),
    ("reports exit codes", 0, {"limit": "cpu"}, "'raise SystemExit': exit_code=0"),
    ("reports exit codes", 1, {"exit_code": 1}, "sys.exit(3)': exit_code=1"),
    ("reports exit codes", 1, {"limit": "cpu"}, "sys.exit(3)': exit_code=3"),
    ("reports exit codes", 2, {"exit_code": 0}, "a message"),
    ("reports exit codes", 3, {"exit_code": 2}, "'1 / 0': exit_code=2"),
    ("reports exit codes", 4, {"exit_code": 2}, "'not python'"),
    ("reports exit codes", 5, {"exit_code": 1}, "os._exit(7)"),
    ("reports uncaught exceptions", 0, {"stderr": b"KeyError: 'key'\n"}, 'printed "KeyError'),
    ("reports uncaught exceptions", 0, {"stderr": b"Traceback\n"}, "printed 'Traceback"),
    ("reports uncaught exceptions", 1, {"exit_code": 0}, "b'print(1': exit_code=0"),
    ("reports uncaught exceptions", 2, {"stderr": b""}, "b'# \\xff\\xfe\\nprint(1)': exit_code=1"),
    ("returns outputs and reports omissions", 0, NOT_OK, "exit_code=4"),
    (
        "returns outputs and reports omissions",
        0,
        {"artifacts": {"b.txt": b"b"}},
        "are ['b.txt']; expected",
    ),
    (
        "returns outputs and reports omissions",
        0,
        {"findings": ("link", "folder")},
        "the omission of pipe is not among the findings",
    ),
    ("returns outputs and reports omissions", 1, {"findings": ()}, "no finding says that outputs"),
    ("returns outputs and reports omissions", 2, NOT_OK, "without outputs: exit_code=4"),
    ("returns outputs and reports omissions", 2, {"artifacts": {"a": b""}}, "without outputs"),
    ("reports guarantees", 0, {"isolation": ""}, "isolation is empty"),
    ("reports guarantees", 0, {"guarantees": ("network", "cpu")}, "['network', 'cpu']"),
    ("reports guarantees", 0, {"guarantees": ("cpu", "cpu")}, "['cpu', 'cpu']"),
    ("stops at the time limit", 0, {"limit": "memory_mb"}, "time.sleep(60)': exit_code=None"),
    ("stops at the time limit", 0, {"duration": 3.1}, "ran 1.10 s over its time"),
    ("stops at the time limit", 0, {"stdout": b""}, "its output is lost"),
    ("stops at the time limit", 1, {"limit": None}, "'while True: pass': exit_code=None"),
    ("stops at the time limit", 1, {"cpu_seconds": 2.1}, "ran 1.10 s over its time"),
    ("stops at the time limit", 1, {"cpu_seconds": None}, "ran 8.00 s over its time"),
    ("counts the time of all processes", 0, NOT_OK, "waited for less than twice its time"),
    ("counts the time of all processes", 1, {"limit": None}, "were not stopped at 1 s"),
    ("stops at the output limit", 0, {"stdout": b"x" * 9_999}, "exit_code=0"),
    ("stops at the output limit", 0, {"limit": "output_bytes"}, "limit=output_bytes"),
    ("stops at the output limit", 1, {"limit": None}, "a flood of stdout: exit_code=None"),
    ("stops at the output limit", 1, {"stdout": b"x" * 10_001}, "10001 bytes of a flood of stdout"),
    ("stops at the output limit", 2, {"stderr": b""}, "exit_code=0"),
    ("stops at the output limit", 3, {"stderr": b""}, "0 bytes of a flood of stderr"),
    ("stops at the memory limit", 0, {"limit": "processes"}, "limit=processes"),
    ("stops at the memory limit", 0, {"limit": None, "exit_code": 0, "signal": None}, "to its end"),
    ("stops at the process limit", 0, {"exit_code": 0}, "it ran to its end"),
    ("stops at the file size limit", 0, {"limit": "disk"}, "limit=disk"),
    ("starts each run in a fresh directory", 1, {"stdout": b"['left']\n"}, "the second saw b\"['l"),
    ("does not wait for orphans", 0, NOT_OK, "exit_code=4"),
    ("does not wait for orphans", 0, {"stdout": b""}, "printed ''"),
    ("does not wait for orphans", 0, {"duration": 10.0}, "it took 10.0 s"),
]


@pytest.mark.parametrize("check", RIGHT)
async def test_right_results_pass(check: str) -> None:
    sandbox = Results(RIGHT[check])
    await CHECKS[check](sandbox)
    assert sandbox.left == []


@pytest.mark.parametrize(("check", "number", "change", "finding"), WRONG)
async def test_a_result_that_breaks_one_rule_fails(
    check: str, number: int, change: dict[str, Any], finding: str
) -> None:
    results = [*RIGHT[check]]
    results[number] = replace(results[number], **change)
    with pytest.raises(AssertionError) as caught:
        await CHECKS[check](Results(results))
    assert finding in str(caught.value)
    assert "; expected " in str(caught.value)


@pytest.mark.parametrize(
    ("check", "result"),
    [
        ("returns results", ended()),
        ("counts the time of all processes", ended(exit_code=None, limit="seconds")),
    ],
)
async def test_what_the_contract_leaves_open_passes(check: str, result: Completed) -> None:
    await CHECKS[check](Results([result]))


class Collecting(Results):
    """A sandbox that returns these files beside those that it should."""

    async def run(self, program: Program) -> Completed:
        (completed,) = self.left
        files = {"out/deep/file": BYTES, "main.py": program.files["main.py"]}
        return replace(completed, files={**files, **completed.files})


async def test_files_are_collected_and_no_others() -> None:
    check = CHECKS["collects files without following links"]
    await check(Collecting([ended()]))
    for wrong, finding in (
        (exited(4), "exit_code=4"),
        (ended(files={"other": b""}), "these differ: []"),
        (ended(files={"folder": b"", "main.py": b""}), "these differ: ['folder', 'main.py']"),
    ):
        with pytest.raises(AssertionError) as caught:
            await check(Collecting([wrong]))
        assert finding in str(caught.value)
