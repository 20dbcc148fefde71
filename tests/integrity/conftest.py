"""A candidate, judged as planish judges it, in a real sandbox."""

import anyio
import pytest
from tests.integrity.judged import KINDS, Judged

from planish import Candidate, CodeExecution, Execution, Limits, Task
from planish_integrations.unsafe import UnsafeLocalSandbox


@pytest.fixture
def judged() -> Judged:
    """Run code with a kind of tests."""
    execution = CodeExecution(UnsafeLocalSandbox(), limits=Limits(seconds=10.0))

    def go(code: str, kind: str) -> Execution:
        task = Task("Square a number.", tests=KINDS[kind].tests, entry_point="square")

        async def run() -> Execution:
            return await execution.run(Candidate(task=task, code=code))

        return anyio.run(run)

    return go
