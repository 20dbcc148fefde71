"""From code to evidence, by running it."""

import os
from collections.abc import Sequence
from dataclasses import replace

from planish.abc import Sandbox
from planish.data.candidate import Candidate
from planish.data.execution import Execution
from planish.data.program import Program, ResourceLimits
from planish.data.status import Status
from planish.data.tests import StdioPairs
from planish.effects import execute
from planish.errors import WiringError
from planish.runtime.primitive import Primitive
from planish.runtime.signature import implements
from planish.verification import (
    PairRuns,
    PreparedPrograms,
    prepare,
    read_execution,
    reject,
    syntax_failure,
)

__all__ = ["CodeExecution"]

_OTHER_HASH_SEED = "1"  # sandboxes have 0


class CodeExecution(Primitive[Candidate, Execution]):
    """Run a candidate, with its task's tests, in a sandbox.

    Code that does not parse is not run. Programs that this loop has run before, to the byte, in
    this sandbox and with these limits, are not run again: the evidence of that run is given once
    more, with `repeats`, so that another judge may judge it. `docs/verdicts.md` says what is
    decided in which process.

    Args:
        sandbox: Where to run it. There is no default: it is code that nobody has read.
        limits: What each program may use; 30 s, 2 GiB, 1 MB of output unless given.
        check_hash_order: Run Python code whose tests all pass once more, with another hash seed,
            so that sets of strings have another order. Where tests fail then, that second run
            is the evidence, and a finding says what it depends on. Sandboxes have the seed 0
            otherwise, always. It needs a sandbox that starts an interpreter for each program.

    Raises:
        WiringError: the sandbox is none.
    """

    def __init__(
        self,
        sandbox: Sandbox,
        *,
        limits: ResourceLimits | None = None,
        check_hash_order: bool = False,
    ) -> None:
        if not implements(sandbox, Sandbox):
            raise WiringError(f"CodeExecution({sandbox!r}): a sandbox has `name` and `run`")
        self.sandbox = sandbox
        self.limits: ResourceLimits = limits or ResourceLimits()
        self.check_hash_order = check_hash_order
        self._place = f"{sandbox.name} {os.urandom(8).hex()}"  # of this sandbox and no other

    async def _run(self, value: Candidate) -> Execution:
        failure = syntax_failure(value)
        if failure is not None:
            return reject(value, failure)
        prepared = prepare(value, self.limits)
        key = f"{prepared.digest} {self._place}"
        earlier = _run_before(value, key)
        if earlier is not None:
            return earlier
        execution = await self._executed(prepared)
        if self.check_hash_order and _may_depend_on_hash_order(execution):
            other = prepare(value, self.limits)  # with a secret of its own, as each run has
            other = replace(other, programs=_with_another_hash_seed(other.programs))
            execution = _of_both_hash_seeds(execution, await self._executed(other))
        return replace(execution, sandbox=self.sandbox.name, key=key)

    async def _executed(self, prepared: PreparedPrograms) -> Execution:
        """Run the programs and read their evidence."""
        tests = prepared.candidate.task.tests
        if not isinstance(tests, StdioPairs):
            completed = [await execute(self.sandbox, program) for program in prepared.programs]
            return read_execution(prepared, completed)
        pairs = PairRuns(tests, prepared.programs, self.limits)
        while (program := pairs.next()) is not None:
            pairs.add(await execute(self.sandbox, program))
        return read_execution(prepared, pairs.completed, pairs.checker_runs)


def _run_before(candidate: Candidate, key: str) -> Execution | None:
    """Give the evidence of an earlier attempt of this loop that ran the very same programs."""
    feedback = candidate.task.feedback
    for tried in feedback.previous_attempts if feedback is not None else ():
        known: Execution | None = tried.execution
        if known is not None and known.key == key:
            return replace(known, candidate=candidate, runs=0, duration=0.0, repeats=tried.attempt)
    return None


def _may_depend_on_hash_order(execution: Execution) -> bool:
    """Return whether there is a pass that another hash seed could take away."""
    passed = execution.status is Status.SUCCESS and bool(execution.tests)
    return passed and execution.candidate.task.language == "python"


def _with_another_hash_seed(made: Sequence[Program]) -> tuple[Program, ...]:
    seed = {"PYTHONHASHSEED": _OTHER_HASH_SEED}
    return tuple(replace(program, env={**program.env, **seed}) for program in made)


def _of_both_hash_seeds(first: Execution, second: Execution) -> Execution:
    """Return the second where it failed, else the first; with the cost of both."""
    kept = first
    if not _may_depend_on_hash_order(second):
        finding = (
            "the result depends on hash order (of sets of strings, for example): all tests pass "
            f"with PYTHONHASHSEED=0, not with {_OTHER_HASH_SEED}"
        )
        kept = replace(second, findings=(*second.findings, finding))
    return replace(kept, duration=first.duration + second.duration, runs=first.runs + second.runs)
