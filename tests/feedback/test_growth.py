"""However much a loop produces, a request stays within its budget, and only the report grows."""

import gc
import sys
import tracemalloc
from collections.abc import Sequence
from types import FunctionType, ModuleType
from typing import Any

import anyio
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from planish import Candidate, Execution, Report, Retry, Task, Validator, step
from planish.data import Failure, Status, TestResult
from planish.feedback import Policy, restart_after, restart_on_repeat, window
from planish.prompts import CODE_CHARACTERS, FEEDBACK_CHARACTERS, default_prompt

TASK = Task("Square a number.", tests="assert f(2) == 4\nassert f(3) == 9", entry_point="f")
FILES = 45_000  # characters of a candidate's other files, at most
TOKENS = 4_000  # of earlier code, four characters each
AROUND = 2_000  # titles and fences of the code of five attempts at most
BOUND = CODE_CHARACTERS + FEEDBACK_CHARACTERS + 1_000 + FILES
MEGABYTE = 1_000_000


class Loop:
    """A loop whose attempts all fail, with code, files and outputs of given sizes.

    Args:
        code: Characters of the code of each attempt.
        files: Number of its other files, of 2,000 characters each.
        output: Characters of what it prints, and of its traceback.
        policy: The feedback policy.
    """

    def __init__(
        self, *, code: int, files: int, output: int, policy: Policy | Sequence[Policy] | None
    ) -> None:
        self.sizes: list[int] = []
        self.code, self.files, self.output = code, files, output
        self.attempt = step(self.write) >> step(self.run) >> Validator()
        self.policy = policy

    def write(self, task: Task) -> Candidate:
        messages = default_prompt(task)
        self.sizes.append(sum(len(message.content) for message in messages))
        number = len(self.sizes)
        # Long lines, all of which are near the ends of the code: they are cut by characters.
        line = f"    x = x + {number}  # {'long ' * min(self.code // 200, 900)}\n"
        code = f"def f(x):\n{line * (self.code // len(line))}    return {number}\n"
        files = {f"part_{n}.py": f"A = {number}\n" + "# text\n" * 280 for n in range(self.files)}
        return Candidate(task=task, code=code, files=files)

    def run(self, candidate: Candidate) -> Execution:
        number = len(self.sizes)
        noise = f"noise {number}\n" * (self.output // 10)
        test = TestResult(name="assert f(3) == 9", status="failed", expected="9", actual="8")
        failure = Failure(name="AssertionError", message=noise[:2_000], traceback=noise)
        return Execution(
            candidate=candidate,
            status=Status.WRONG_ANSWER,
            tests=(test,),
            failure=failure,
            stdout=noise,
        )

    async def repeat(self, attempts: int) -> Report:
        return await Retry(self.attempt, attempts=attempts, feedback=self.policy).run(TASK)


def kept_by(value: object) -> int:
    """Return the bytes of a value and of all that it refers to, but for code and classes."""
    seen: set[int] = set()
    left: list[object] = [value]
    total = 0
    while left:
        one = left.pop()
        if id(one) in seen or isinstance(one, type | ModuleType | FunctionType):
            continue
        seen.add(id(one))
        total += sys.getsizeof(one)
        left += gc.get_referents(one)
    return total


POLICIES = st.sampled_from(
    [
        None,
        window(3, best=True, older="summary", tokens=TOKENS),
        restart_after(3),
        [window(5, tokens=TOKENS), restart_on_repeat()],
    ]
)


@settings(max_examples=25, deadline=None)
@given(
    st.sampled_from([100, 10_000, 200_000]),
    st.sampled_from([0, 1, 50]),
    st.sampled_from([0, 5_000, MEGABYTE]),
    st.integers(1, 6),
    POLICIES,
)
@example(200_000, 50, MEGABYTE, 3, None)
def test_a_request_keeps_its_budget(
    code: int, files: int, output: int, attempts: int, policy: Any
) -> None:
    loop = Loop(code=code, files=files, output=output, policy=policy)
    anyio.run(loop.repeat, attempts)
    assert len(loop.sizes) == attempts
    assert max(loop.sizes) - loop.sizes[0] <= BOUND + (4 * TOKENS + AROUND if policy else 0)


@pytest.mark.long
def test_a_hundred_attempts_keep_only_what_the_report_has() -> None:
    policy = window(3, best=True, older="summary", tokens=TOKENS)
    loop = Loop(code=200_000, files=50, output=MEGABYTE, policy=policy)
    anyio.run(Loop(code=100, files=1, output=10, policy=policy).repeat, 2)
    tracemalloc.start()
    try:
        gc.collect()
        before, _ = tracemalloc.get_traced_memory()
        report = anyio.run(loop.repeat, 100)
        gc.collect()
        after, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert report.attempts == 100
    assert max(loop.sizes) - loop.sizes[0] <= BOUND + 4 * TOKENS + AROUND
    assert max(loop.sizes[10:]) - min(loop.sizes[10:]) < 1_000  # it does not grow with attempts
    kept = kept_by(report)
    assert kept > 100 * (MEGABYTE + 200_000)
    assert after - before < kept * 1.02 + 2 * MEGABYTE
    assert peak - before < kept * 1.02 + 20 * MEGABYTE  # of one attempt's own work
