"""Recorded replies go through the real loop and sandbox, each program once."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from tests.integrations.evaluation.small import ADD, BROKEN, GOOD, HALF, WRONG, reply

from planish import Candidate, Execution, Task
from planish.data import Attempt, Completed, Failure, Program, Status, Verdict
from planish.errors import SandboxError
from planish_integrations.evaluation import (
    PROGRAM_LIMITS,
    ReplayedRuns,
    load_recordings,
    replay_all,
)
from planish_integrations.evaluation._replay import outcome_of
from planish_integrations.local import LocalSandbox

pytestmark = pytest.mark.anyio
Recording = Callable[..., Path]


@dataclass
class Counting:
    """A real sandbox that counts, and fails as often as it is told."""

    failures: int = 0
    programs: list[Program] = field(default_factory=list[Program])
    name: str = "local"

    async def run(self, program: Program) -> Completed:
        if self.failures:
            self.failures -= 1
            raise SandboxError("out of processes")
        self.programs.append(program)
        return await LocalSandbox().run(program)


async def replayed(directory: Path, sandbox: Any = None, **options: Any) -> ReplayedRuns:
    recordings = load_recordings(directory, **options)
    return await replay_all(recordings, sandbox or LocalSandbox(), concurrency=2)


async def test_a_loop_stops_at_its_first_pass_and_the_rest_is_judged_too(
    recording: Recording,
) -> None:
    rows = [reply(BROKEN, 1), reply(HALF, 2), reply(GOOD, 3), reply(WRONG, 4), reply(GOOD, 5)]
    figures = (await replayed(recording(*rows))).figures
    assert figures == {
        "me|r1": {
            "tasks": 1,
            "attempts": 5,
            "tasks_ge2": 1,
            "max_attempt": 5,
            "solved_within_k": [0, 0, 1, 1, 1],
            "model_calls_full_oracle": 3,
            "identical_to_previous": "0/4",
            "regressed_after_pass": 1,
            "first_attempt_failures": {"syntax": 1},
            "all_failures": {"syntax": 1, "assertion": 2},
            "visible_oracle": {
                "accepted": 1,
                "accepted_but_hidden_fail": 1,
                "accepted_and_hidden_pass": 0,
                "model_calls": 2,
            },
        }
    }


async def test_equal_programs_run_once_however_often_they_were_recorded(
    recording: Recording,
) -> None:
    rows = [reply(WRONG, 1), reply(WRONG, 2), reply(GOOD, 3), reply(WRONG, 4)]
    rows += [reply(text, i, run="r2") for i, text in enumerate([GOOD, WRONG], 1)]
    sandbox = Counting()
    found = await replayed(recording(*rows), sandbox)
    # Each of the two programs with all the tests, and with the visible ones.
    assert len(sandbox.programs) == 4
    assert found.figures["me|r1"]["all_failures"] == {"assertion": 3}
    assert found.figures["me|r1"]["model_calls_full_oracle"] == 3
    assert found.figures["me|r2"]["model_calls_full_oracle"] == 1


async def test_samples_are_all_judged(recording: Recording) -> None:
    rows = [reply(text, i, sequence="independent") for i, text in enumerate([WRONG, GOOD, GOOD], 1)]
    sandbox = Counting()
    found = (await replayed(recording(*rows), sandbox)).figures["me|r1"]
    assert found["pass_at"] == {"1": 66.7, "2": 100.0, "3": 100.0}
    assert len(sandbox.programs) == 2


async def test_raw_replies_are_extracted_and_code_is_taken_as_it_is(recording: Recording) -> None:
    fenced = f"Sure!\n```python\n{GOOD}```\nHope it helps."
    raw = reply(fenced, 1, form="raw", run="raw", sequence="independent")
    code = reply(fenced, 1, form="code", run="code", sequence="independent")
    figures = (await replayed(recording(raw, code))).figures
    assert figures["me|raw"]["solved_any"] == 1
    assert figures["me|raw"]["by_extraction"] == {"entry": 1}
    assert figures["me|code"]["failures"] == {"syntax": 1}
    assert "by_extraction" not in figures["me|code"]


async def test_a_body_completes_the_prompt_and_needs_no_preamble(recording: Recording) -> None:
    task = {**ADD, "preamble": "raise SystemExit"}
    figures = await replayed(recording(reply("    return a + b", 1, form="body"), tasks=[task]))
    assert figures.figures["me|r1"]["solved_within_k"] == [1]


async def test_the_preamble_stands_before_code(recording: Recording) -> None:
    code = "def add(a, b):\n    return int(math.fsum([a, b]))\n"
    figures = (await replayed(recording(reply(code, 1)))).figures
    assert figures["me|r1"]["solved_within_k"] == [1]


@pytest.mark.parametrize(
    ("code", "ending"),
    [
        ("", "name/import"),
        (None, "name/import"),
        ("import nowhere_to_be_found\n", "name/import"),
        ("def add(a, b):\n    return c\n", "name/import"),
        ("def add(a, b):\n    return eval('1 +')\n", "syntax"),
        ("def add(a, b):\n    return a[b]\n", "other-exc"),
        ("def add(a, b):\n    return add(a, b)\n", "resource"),
        ("def add(a, b):\n    return bytearray(1 << 42)\n", "resource"),
        ("def add(a, b):\n    while True: pass\n", "timeout"),
        ("import os\ndef add(a, b):\n    os.kill(os.getpid(), 11)\n", "crash"),
        ("raise SystemExit(0)\n", "early-exit"),
        ("import os\ndef add(a, b):\n    os._exit(0)\n", "early-exit"),
    ],
)
async def test_every_way_to_fail_has_its_class(
    recording: Recording, code: str | None, ending: str
) -> None:
    recordings = load_recordings(recording(reply(code, 1, visible_tests=[])))
    limits = PROGRAM_LIMITS if ending != "timeout" else replace(PROGRAM_LIMITS, seconds=0.5)
    found = await replay_all(recordings, LocalSandbox(), concurrency=1, limits=limits)
    assert found.figures["me|r1"]["all_failures"] == {ending: 1}


NAMES = {
    "assertion": "AssertionError",
    "early-exit": "EarlyExit SystemExit",
    "name/import": "ImportError ModuleNotFoundError NameError UnboundLocalError",
    "syntax": "IndentationError SyntaxError TabError",
    "crash": "Killed",
    "other-exc": "ValueError Tampering",
}


@pytest.mark.parametrize(
    ("name", "outcome"), [(name, outcome) for outcome in NAMES for name in NAMES[outcome].split()]
)
async def test_a_failure_is_of_the_class_of_its_name(name: str, outcome: str) -> None:
    candidate = Candidate(task=Task("Add."), code="x")
    failure = Failure(name=name, message="")
    execution = Execution(candidate=candidate, status=Status.RUNTIME_ERROR, failure=failure)
    verdict = Verdict(execution=execution, label="failed", judge="tests_pass")
    assert outcome_of(Attempt(index=1, verdict=verdict)) == outcome


async def test_programs_have_the_limits_that_the_recordings_were_made_with(
    recording: Recording,
) -> None:
    sandbox = Counting()
    await replay_all(load_recordings(recording(reply(GOOD, 1))), sandbox, concurrency=1)
    # The verifier has five seconds of its own.
    assert {(p.limits.seconds, p.limits.memory_mb) for p in sandbox.programs} == {(11.0, 2048)}


@pytest.mark.parametrize("sequence", ["feedback", "independent"])
async def test_a_sandbox_that_fails_once_costs_nothing(recording: Recording, sequence: str) -> None:
    rows = [reply(text, i, sequence=sequence) for i, text in enumerate([WRONG, GOOD], 1)]
    found = await replayed(recording(*rows), Counting(failures=1))
    assert (found.error_count, found.skips) == (0, ())
    figures = found.figures["me|r1"]
    assert "skipped" not in figures
    assert figures.get("samples", figures.get("attempts")) == 2


async def test_a_sandbox_that_keeps_failing_loses_only_its_rows(recording: Recording) -> None:
    rows = [reply(GOOD, 1), reply(GOOD, 2), reply(WRONG, 1, run="r2", task_id=None)]
    found = await replayed(recording(*rows), Counting(failures=2))
    assert found.error_count == 2
    reason = "SandboxError('out of processes')"
    lost = {"reason": reason, "rows": 2, "line": None, "task_id": "Small/add"}
    assert found.figures["me|r1"]["skipped"] == [lost]
    assert found.figures["me|r1"]["tasks"] == 0
    odd = {"reason": "has no task_id", "rows": 1, "line": 3, "task_id": None}
    assert found.figures["skipped"] == [odd]
    assert [skip.reason for skip in found.skips] == ["has no task_id", reason, reason]


async def test_samples_that_are_lost_are_told_beside_the_others(recording: Recording) -> None:
    rows = [reply(text, i, sequence="independent") for i, text in enumerate([WRONG, GOOD], 1)]

    class OneBroken(Counting):
        async def run(self, program: Program) -> Completed:
            if any(b"return 0" in content for content in program.files.values()):
                raise SandboxError("out of memory")
            return await super().run(program)

    found = await replayed(recording(*rows), OneBroken())
    figures = found.figures["me|r1"]
    assert (figures["samples"], figures["pass_at"], found.error_count) == (1, {"1": 100.0}, 1)
    assert figures["skipped"][0]["reason"] == "SandboxError('out of memory')"


async def test_each_series_is_told_when_it_is_done(recording: Recording) -> None:
    rows = [reply(WRONG, 1), reply(GOOD, 2), reply(GOOD, 1, run="r2")]
    counts: list[int] = []
    recordings = load_recordings(recording(*rows))
    await replay_all(recordings, LocalSandbox(), concurrency=1, on_done=counts.append)
    assert counts == [2, 1]
