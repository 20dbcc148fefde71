"""From code to evidence, by running it."""

from dataclasses import replace

from planish.abc import Sandbox
from planish.base import Primitive
from planish.data.candidate import Candidate
from planish.data.execution import Execution
from planish.data.feedback import Tried
from planish.data.program import Limits
from planish.data.tests import StdioPairs
from planish.effects import execute
from planish.errors import WiringError
from planish.harness import PairRuns, not_run, programs, read, syntax_failure
from planish.wiring import keeps

__all__ = ["CodeExecution"]


class CodeExecution(Primitive[Candidate, Execution]):
    """Run a candidate, with its task's tests, in a sandbox.

    Code that does not parse, and code that this loop has tried before, is known for what it is
    without a sandbox. The verdict on values is computed here, outside of the sandbox, wherever
    values can be compared.

    Args:
        sandbox: Where to run it. There is no default: it is code that nobody has read.
        limits: What each program may use; 30 s, 2 GiB, 1 MB of output unless given.

    Raises:
        WiringError: the sandbox is none.
    """

    def __init__(self, sandbox: Sandbox, *, limits: Limits | None = None) -> None:
        if not keeps(sandbox, Sandbox):
            raise WiringError(f"CodeExecution({sandbox!r}): a sandbox has `name` and `run`")
        self.sandbox = sandbox
        self.limits: Limits = limits or Limits()

    async def _run(self, value: Candidate) -> Execution:
        failure = syntax_failure(value)
        if failure is not None:
            return not_run(value, failure)
        earlier = _tried_before(value)
        if earlier is not None:
            return Execution(candidate=value, status=earlier.status, repeats=earlier.attempt)
        made = programs(value, self.limits)
        if isinstance(value.task.tests, StdioPairs):
            pairs = PairRuns(value.task.tests, made, self.limits)
            while (program := pairs.next()) is not None:
                pairs.add(await execute(self.sandbox, program))
            execution = read(value, pairs.completed, pairs.checked)
        else:
            completed = [await execute(self.sandbox, program) for program in made]
            execution = read(value, completed)
        return replace(execution, sandbox=self.sandbox.name)

    def __repr__(self) -> str:
        return f"CodeExecution({self.sandbox.name!r})"


def _tried_before(candidate: Candidate) -> Tried | None:
    feedback = candidate.task.feedback
    digest = candidate.digest
    tried = feedback.tried if feedback is not None else ()
    return next((one for one in tried if one.digest == digest), None)
