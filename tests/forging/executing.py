"""Execute code with tests in the local sandbox, and check that right code passes as isolated."""

from planish import Candidate, CodeExecution, Execution, Task
from planish.data import Assertions, PytestFile
from planish.data.status import Status
from planish_integrations.local import LocalSandbox

__all__ = ["check_isolated", "executed"]


async def executed(code: str, tests: Assertions | PytestFile) -> Execution:
    """Return what the tests find of the code."""
    task = Task("Write a program.", tests=tests)
    return await CodeExecution(LocalSandbox()).run(Candidate(task=task, code=code))


async def check_isolated(code: str, tests: Assertions | PytestFile) -> None:
    """Check that the code passes, and that nothing weakens the evidence."""
    right = await executed(code, tests)
    assert right.status == Status.SUCCESS, right.failure
    assert right.separation == "isolated", right.weakened_by
