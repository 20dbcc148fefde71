"""A candidate, judged as planish judges it, in a real sandbox."""

import anyio
import pytest
from tests.integrity.judged import KINDS, Judged

from planish import Candidate, CodeExecution, Execution, Limits, Task
from planish.abc import Sandbox
from planish_integrations.local import LocalSandbox, Tier
from planish_integrations.unsafe import UnsafeLocalSandbox


def in_sandbox(sandbox: Sandbox) -> Judged:
    """Run code with a kind of tests."""
    execution = CodeExecution(sandbox, limits=Limits(seconds=20.0))

    def go(code: str, kind: str) -> Execution:
        task = Task("Square a number.", tests=KINDS[kind].tests, entry_point="square")

        async def run() -> Execution:
            return await execution.run(Candidate(task=task, code=code))

        return anyio.run(run)

    return go


@pytest.fixture
def judged() -> Judged:
    """Where nothing but the harness stands between a candidate and its verdict."""
    return in_sandbox(UnsafeLocalSandbox())


@pytest.fixture(params=["namespaces", "landlock"])
def isolated(request: pytest.FixtureRequest) -> Judged:
    """In a tier of the local sandbox."""
    tier: Tier = request.param
    return in_sandbox(LocalSandbox(tier=tier))
