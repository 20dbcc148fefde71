"""A failure of the infrastructure is of kind infra, and is in no prompt."""

import sys
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from itertools import cycle
from pathlib import Path

import anyio
import pytest
from tests.laws.kit import run_out

from planish import CodeExecution, CodeGenerator, Retry, Task, Timeout, Validator
from planish.abc import Sandbox
from planish.data import Completed, Program
from planish.effects import use_clock
from planish.errors import InfrastructureError, PlanishError
from planish.feedback import failure_kind
from planish.testing import FakeClock, ScriptedModel
from planish_integrations.e2b import E2BSandbox, Plan
from planish_integrations.local import LocalSandbox
from planish_integrations.sandboxes.containers import ContainerSandbox
from planish_integrations.sandboxes.unsafe import UnsafeLocalSandbox
from planish_integrations.testing.e2b import LoopbackE2B, Operation

pytestmark = pytest.mark.anyio

IMPATIENT = Plan(concurrency=2, rate=1000.0, patience=0.5)
CODE = "def f(x):\n    return x * x"
SLOW = "def f(x):\n    import time\n    time.sleep(8)\n    return x * x"
"""Ends long after any other process of the machine has had its turn."""


class Altered:
    """A sandbox of a third party: it runs programs, and then something goes wrong.

    Args:
        alter: Makes of the result of a program what is returned, or raises.
    """

    name = "altered"

    def __init__(self, alter: Callable[[Completed], Completed]) -> None:
        self.alter = alter
        self.sandbox = UnsafeLocalSandbox()

    async def run(self, program: Program) -> Completed:
        return self.alter(await self.sandbox.run(program))


def nothing_recorded(completed: Completed) -> Completed:
    return replace(completed, results=b"", exit_code=1, stderr=b"exec format error")


@asynccontextmanager
async def _loopback(operation: Operation, status: int) -> AsyncGenerator[Sandbox]:
    with LoopbackE2B() as server:
        server.fail(operation, status, times=1_000)
        async with E2BSandbox(plan=IMPATIENT, options=server.options) as sandbox:
            yield sandbox


@asynccontextmanager
async def _plain(sandbox: Sandbox) -> AsyncGenerator[Sandbox]:
    yield sandbox


@asynccontextmanager
async def _gone() -> AsyncGenerator[Sandbox]:
    """A service that was there when the sandbox was made, and refuses connections now."""
    with LoopbackE2B() as server:
        options = server.options
    async with E2BSandbox(plan=IMPATIENT, options=options) as sandbox:
        yield sandbox


def _unwritable(folder: Path) -> Sandbox:
    """Return a sandbox whose folder for the programs' files was replaced by a file."""
    folder.mkdir()
    sandbox = UnsafeLocalSandbox(directory=folder)
    folder.rmdir()
    folder.write_text("not a folder")
    return sandbox


_UNUSED = cycle(("colorsys", "stringprep"))
"""Modules that no other sandbox of these tests preloads."""
_KILLER = """
import glob, os, signal, time
host = os.getppid()
def children():
    found = set()
    for name in glob.glob(f"/proc/{host}/task/*/children"):
        try:
            with open(name) as file:
                found |= {int(one) for one in file.read().split()}
        except OSError:
            pass  # the thread has ended
    return found
before = children()
print("ready", flush=True)
input()
while os.getppid() == host:
    for pid in children() - before:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    time.sleep(0.001)
"""


@asynccontextmanager
async def _killed() -> AsyncGenerator[Sandbox]:
    """A local sandbox all of whose processes are killed again and again.

    By a process of its own: a pause of this one, as for a collection of garbage, is long enough
    for a sandbox to start and to judge. That one may pause too, so the candidate is slow.
    """
    command = [sys.executable, "-I", "-S", "-c", _KILLER]
    async with await anyio.open_process(command, stderr=None) as killer:
        try:
            assert killer.stdin is not None
            assert killer.stdout is not None
            assert await killer.stdout.receive() == b"ready\n"
            # Sandboxes of equal configuration share processes: this one has its own.
            async with LocalSandbox(preload=(next(_UNUSED),)) as sandbox:
                await killer.stdin.send(b"go\n")
                yield sandbox
        finally:
            killer.kill()


CASES: Mapping[str, Callable[[Path], AbstractAsyncContextManager[Sandbox]]] = {
    "a service that refuses connections": lambda _: _gone(),
    "a service that fails to make a sandbox": lambda _: _loopback("create", 502),
    "a service that is down": lambda _: _loopback("create", 503),
    "a sandbox that cannot be written to": lambda _: _loopback("write", 500),
    "a sandbox that cannot start programs": lambda _: _loopback("command", 500),
    "a folder that is gone": lambda path: _plain(_unwritable(path / "folder")),
    "a sandbox that is killed": lambda _: _killed(),
    "an engine that does not answer": lambda _: _plain(ContainerSandbox(engine="/bin/false")),
    "a verifier that did not start": lambda _: _plain(Altered(nothing_recorded)),
}


@pytest.mark.parametrize("name", CASES)
async def test_it_is_of_kind_infra_and_the_model_is_not_asked_again(
    name: str, tmp_path: Path
) -> None:
    code = SLOW if name == "a sandbox that is killed" else CODE
    model = ScriptedModel([f"```python\n{code}\n```"] * 3)
    async with CASES[name](tmp_path) as sandbox:
        attempt = CodeGenerator(model) >> CodeExecution(sandbox) >> Validator()
        with pytest.raises(PlanishError) as caught:
            await Retry(attempt, attempts=3).run(Task("Square it.", tests="assert f(2) == 4"))
    assert isinstance(caught.value, InfrastructureError), caught.value
    report = caught.value.report
    assert report is not None
    assert [failure_kind(one.execution) for one in report.history] == ["infra"]
    assert len(model.requests) == 1
    assert report.feedback.render().count("infra_error") == 1


async def test_a_run_that_was_cut_short_is_of_kind_infra() -> None:
    async def never(program: Program) -> Completed:
        return await run_out(ended)

    ended = Completed(exit_code=0)

    class Stuck:
        name = "stuck"
        run = staticmethod(never)

    model = ScriptedModel([f"```python\n{CODE}\n```"])
    attempt = CodeGenerator(model) >> CodeExecution(Stuck()) >> Validator()
    task = Task("Square it.", tests="assert f(2) == 4")
    async with use_clock(FakeClock()):
        report = await Timeout(attempt, seconds=60).run(task)
    assert report.stop_reason == "timeout"
    assert [failure_kind(one.execution) for one in report.history] == ["infra"]
