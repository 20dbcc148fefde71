"""Run equal programs once: recordings are full of them."""

from dataclasses import replace
from hashlib import blake2b

from planish import Assertions, Cache, Candidate, Execution, MemoryStore, Primitive

__all__ = ["Once"]

_KEPT = 4096  # executions; each is a few kB, and equal programs stand close together


class Once(Primitive[Candidate, Execution]):
    """Execute each different program once, over all tasks, loops and runs.

    Programs are equal when preamble, code and tests are, to the letter. Candidates that their
    own loop has tried before are passed on: the step knows them by itself.

    Args:
        step: What executes.
    """

    def __init__(self, step: Primitive[Candidate, Execution]) -> None:
        self.step = step
        self._cached = Cache(step, store=MemoryStore(_KEPT), key=_digest)

    async def _run(self, value: Candidate) -> Execution:
        feedback = value.task.feedback
        if feedback is not None and any(one.digest == value.digest for one in feedback.tried):
            return await self.step.run(value)
        execution = await self._cached.run(value)
        if execution.candidate is value:
            return execution
        return replace(execution, candidate=value, runs=0, duration=0.0)

    def __repr__(self) -> str:
        return f"Once({self.step!r})"


def _digest(candidate: Candidate) -> bytes:
    task = candidate.task
    tests = task.tests.code if isinstance(task.tests, Assertions) else repr(task.tests)
    parts = (task.preamble, candidate.code, tests, task.entry_point, candidate.problem)
    return blake2b(repr(parts).encode(), digest_size=16).digest()
