"""How tests of verdicts run programs: in a warm sandbox, or a child interpreter of any version."""

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest
from tests.warm import WarmSandbox, warm_sandbox

from planish.data.candidate import Candidate
from planish.data.execution import Execution
from planish.data.program import Completed, LimitName, Program, ResourceLimits
from planish.data.task import Task
from planish.verification import prepare, read_execution

Run = Callable[..., Execution]

RIGHT = "def square(n):\n    return n * n\n"
WRONG = "def square(n):\n    return 0\n"
LISTED = """
import unittest
class Listed(unittest.TestCase):
    def test_zero(self): self.assertEqual(square(0), 0)
"""

GUEST = os.environ.get("PLANISH_TEST_GUEST") or sys.executable
"""The interpreter that programs run under: this one, or as in CI another version of Python."""

COMMANDS = {"python": [GUEST, "-I"], "bash": ["bash"]}


def _used(pid: int, started: float) -> float:
    """Processor seconds of a process and its descendants; a tenth of the time, for one that waits.

    Not the time since it started: on a busy machine it might have no turn within that.
    """
    used = 0.0
    with suppress(psutil.Error):
        process = psutil.Process(pid)
        for one in (process, *process.children(recursive=True)):
            with suppress(psutil.Error):
                used += sum(one.cpu_times()[:2])
    return max(used, (time.perf_counter() - started) / 10)


def completed(program: Program) -> Completed:
    """Run one program in a fresh directory; it is killed at its time limit."""
    with tempfile.TemporaryDirectory() as name, tempfile.TemporaryFile() as results:
        directory = Path(name)
        for path, content in program.files.items():
            (directory / path).parent.mkdir(parents=True, exist_ok=True)
            (directory / path).write_bytes(content)
        started = time.perf_counter()
        child = subprocess.Popen(
            [*COMMANDS[program.language], program.main, *program.args],
            cwd=directory,
            env={"PATH": os.environ["PATH"], "HOME": name, "LANG": "C.UTF-8", **program.env}
            | ({"PLANISH_RESULTS_FD": str(results.fileno())} if program.results else {}),
            pass_fds=[results.fileno()] if program.results else [],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        memory = program.limits.memory_mb * 1024 * 1024
        resource.prlimit(child.pid, resource.RLIMIT_AS, (memory, memory))
        limit: LimitName | None = None
        stdin: bytes | None = program.stdin
        while True:
            try:
                out, err = child.communicate(stdin, 0.05)
                break
            except subprocess.TimeoutExpired:
                stdin = None
                if limit is None and _used(child.pid, started) > program.limits.seconds:
                    limit = "seconds"
                    os.killpg(child.pid, 9)
        code = child.returncode
        results.seek(0)
        found = {path: directory / path for path in program.collect}
        return Completed(
            exit_code=code if code >= 0 else None,
            signal=-code if code < 0 and limit is None else None,
            limit=limit,
            stdout=out,
            stderr=err,
            duration=time.perf_counter() - started,
            files={path: file.read_bytes() for path, file in found.items() if file.is_file()},
            results=results.read() if program.results else None,
        )


@pytest.fixture(scope="session")
def local() -> Iterator[WarmSandbox]:
    """A local sandbox that all tests of this process share."""
    with warm_sandbox() as sandbox:
        yield sandbox


@pytest.fixture
def run(request: pytest.FixtureRequest) -> Run:
    """Run code for a task and read the evidence.

    The programs run in the local sandbox, under this interpreter; a child interpreter each where
    another one is asked for.
    """
    run_program = completed
    if "PLANISH_TEST_GUEST" not in os.environ:
        run_program = request.getfixturevalue("local").completed

    def go(code: str, *, seconds: float = 20.0, memory_mb: int = 2048, **task: Any) -> Execution:
        candidate = Candidate(task=Task("Do it.", **task), code=code)
        limits = ResourceLimits(seconds=seconds, memory_mb=memory_mb)
        prepared = prepare(candidate, limits)
        return read_execution(prepared, [run_program(one) for one in prepared.programs])

    return go
