"""Verdicts of many candidates with the same tests: none depends on the others."""

from collections.abc import Iterator, Mapping, Sequence

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.forging.places import TIERS
from tests.forging.starving import STARVING

from planish import CodeExecution, Task, Validator, Verdict
from planish.data.candidate import Candidate
from planish.data.execution import Execution
from planish.data.program import ResourceLimits
from planish.data.tests import Assertions
from planish_integrations.local import LocalSandbox, Tier

TESTS = """
import json, os
def check(double):
    assert double(2) == 4
    assert double(0) == 0
    assert double([1]) == [1, 1]
check(double)
assert json.dumps([1]) == "[1]"
assert "MARK" not in os.environ and not os.path.exists("mark")
"""
RIGHT = "def double(n):\n    return n * 2\n"
CANDIDATES: Mapping[str, tuple[str, str]] = {
    "right": (RIGHT, "SUCCESS"),
    "wrong": ("def double(n):\n    return n + n if n else 1\n", "PARTIAL_SUCCESS"),
    "hangs": ("def double(n):\n    while True:\n        pass\n", "TIMEOUT"),
    "raises": ("def double(n):\n    raise ValueError(n)\n", "RUNTIME_ERROR"),
    "crashes": (f"import os\n{RIGHT}os.kill(os.getpid(), 11)\n", "RUNTIME_ERROR"),
    "exits": (f"import os\n{RIGHT}os._exit(0)\n", "RUNTIME_ERROR"),
    "patches": (
        "import builtins, json\nfrom unittest import mock\n"
        "json.dumps = lambda *a, **k: 'patched'\nbuiltins.len = lambda _: 7\n" + RIGHT,
        "SUCCESS",
    ),
    "writes": (f"open('mark', 'w').write('x')\n{RIGHT}", "PARTIAL_SUCCESS"),
    "environment": (
        "import os\ndef double(n):\n    os.environ['MARK'] = 'x'\n    return n * 2\n",
        "PARTIAL_SUCCESS",
    ),
    "new files for imports": (
        f"open('json.py', 'w').write('dumps = lambda _: 5')\n{RIGHT}",
        "SUCCESS",
    ),
    "equal to all": (
        (
            "class Any:\n    def __eq__(self, other):\n        return True\n"
            "def double(n):\n    return Any()\n"
        ),
        "SUCCESS",
    ),
}
LIMITS = ResourceLimits(seconds=0.5)


def facts(execution: Execution) -> tuple[object, ...]:
    """What a verdict rests on."""
    failure = execution.failure
    tests = [(test.name, test.status, test.actual) for test in execution.tests]
    return (
        execution.status.name,
        tests,
        failure and (failure.name, failure.message),
        execution.separation,
        execution.weakened_by,
    )


def judge(names: Sequence[str], at_once: int) -> list[tuple[object, ...]]:
    """Judge candidates in one sandbox, so many at once, and return the facts in order."""
    task = Task(requirement="Double.", tests=Assertions(code=TESTS), entry_point="double")
    found: dict[int, tuple[object, ...]] = {}

    async def some(sandbox: LocalSandbox, waiting: Iterator[tuple[int, str]]) -> None:
        step = CodeExecution(sandbox, limits=LIMITS)
        for number, name in waiting:
            candidate = Candidate(task=task, code=CANDIDATES[name][0])
            found[number] = facts(await step.run(candidate))

    async def go() -> None:
        waiting = enumerate(names)
        async with LocalSandbox(concurrency=2) as sandbox, anyio.create_task_group() as tasks:
            for _ in range(at_once):
                tasks.start_soon(some, sandbox, waiting)

    anyio.run(go)
    return [found[number] for number in range(len(names))]


@pytest.fixture(scope="module")
def alone() -> Mapping[str, tuple[object, ...]]:
    """What is found of each candidate in a sandbox that judges no other."""
    return {name: judge([name], 1)[0] for name in CANDIDATES}


@pytest.mark.parametrize("name", CANDIDATES)
def test_each_candidate_has_its_verdict(name: str, alone: Mapping[str, tuple[object, ...]]) -> None:
    assert alone[name][0] == CANDIDATES[name][1]


@settings(max_examples=12, deadline=None)
@given(
    names=st.lists(st.sampled_from(sorted(CANDIDATES)), min_size=2, max_size=8),
    at_once=st.integers(1, 2),
)
def test_no_verdict_depends_on_order_or_neighbours(
    alone: Mapping[str, tuple[object, ...]], names: list[str], at_once: int
) -> None:
    assert judge(names, at_once) == [alone[name] for name in names]


BESIDE = {
    "alone": "def square(n): return n * n\n",
    "by a program": (
        "import subprocess, sys\n"
        "def square(n):\n"
        "    command = [sys.executable, '-c', f'print({n} * {n})']\n"
        "    return int(subprocess.run(command, capture_output=True).stdout)\n"
    ),
    "by a process": (
        "from multiprocessing import Pipe, Process\n"
        "def send(out, n): out.send(n * n)\n"
        "def square(n):\n"
        "    end, out = Pipe()\n"
        "    child = Process(target=send, args=(out, n))\n"
        "    child.start()\n"
        "    found = end.recv()\n"
        "    child.join()\n"
        "    return found\n"
    ),
    "with files and memory": (
        "def square(n):\n"
        "    with open('data', 'wb') as file: file.write(bytes(8_000_000))\n"
        "    return n * n if bytearray(60_000_000) else None\n"
    ),
}
"""Right programs that need processes, memory and files."""


@pytest.mark.one_in(3)
@pytest.mark.parametrize("tier", TIERS)
def test_right_code_passes_beside_what_uses_up_all_it_can(tier: Tier) -> None:
    wrong = {n: trick.candidate for n, trick in STARVING.items() if trick.subject == "square"}
    rows = [row for pair in zip(wrong.items(), [*BESIDE.items()] * 9, strict=False) for row in pair]
    task = Task("Square.", tests=Assertions("assert square(7) == 49\nassert square(9) == 81"))
    verdicts: list[tuple[str, Verdict]] = []

    async def some(sandbox: LocalSandbox, waiting: Iterator[tuple[str, str]]) -> None:
        limits = ResourceLimits(seconds=2.0, memory_mb=256, disk_mb=64)
        check = CodeExecution(sandbox, limits=limits) >> Validator()
        for name, code in waiting:
            report = await check.run(Candidate(task=task, code=code))
            assert report.verdict is not None
            verdicts.append((name, report.verdict))

    async def go() -> None:
        waiting = iter(rows)
        sandbox = LocalSandbox(tier=tier, concurrency=8)
        async with sandbox, anyio.create_task_group() as tasks:
            for _ in range(8):
                tasks.start_soon(some, sandbox, waiting)

    anyio.run(go)
    assert len(verdicts) == len(rows)
    for name, verdict in verdicts:
        assert verdict.passed == (name in BESIDE), (name, verdict.execution.failure)
        assert name in wrong or verdict.evidence.separation == "isolated"
