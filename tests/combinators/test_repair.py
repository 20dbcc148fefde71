"""Failures go to the fixer of their kind; the code runs again without a call of a model."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from tests.laws.kit import TASK, attempt

from planish import Candidate, CodeExecution, CodeGenerator, Retry, Task, Validator
from planish.combinators.repair import Repair
from planish.data import FailureKind, Finding, Message, PytestFile, Request
from planish.effects import ask
from planish.errors import WiringError
from planish.feedback import keep_task
from planish.testing import ScriptedModel
from planish_integrations.local import LocalSandbox

pytestmark = pytest.mark.anyio

CHECK = CodeExecution(LocalSandbox()) >> Validator()
GREETING = b"def greet(name):\n    return f'Hello, {name}'\n"
GREETS = "import greeting\n\ndef f(name):\n    return greeting.greet(name)"
LACKS_HELPER = "assert f('Ada') == 'Hello, Ada'\nassert is_close(len(f('Al')), 9)"
HELPER = "def is_close(a, b):\n    return abs(a - b) < 1\n\n"


def reply(code: str) -> str:
    return f"```python\n{code}\n```"


class Fixers:
    """Install the package, mend the tests, and record what each is given."""

    def __init__(self) -> None:
        self.given: list[tuple[FailureKind, list[str]]] = []

    def _note(self, kind: FailureKind, findings: Sequence[Finding]) -> None:
        assert {one.kind for one in findings} == {kind}
        self.given.append((kind, [one.message for one in findings]))

    async def install(self, candidate: Candidate, findings: Sequence[Finding]) -> Candidate:
        self._note("environment", findings)
        files = {**candidate.task.files, "greeting.py": GREETING}
        return replace(candidate, task=replace(candidate.task, files=files))

    def mend(self, candidate: Candidate, findings: Sequence[Finding]) -> Candidate:
        self._note("test_error", findings)
        tests: Any = candidate.task.tests
        mended = Task("Mended.", tests=HELPER + tests.code).tests
        return replace(candidate, task=replace(candidate.task, tests=mended))

    def refuse(self, candidate: Candidate, findings: Sequence[Finding]) -> None:  # noqa: ARG002
        self._note(findings[0].kind or "infra", findings)


async def test_a_missing_package_costs_no_model_call_and_no_attempt() -> None:
    model, fixers = ScriptedModel([reply(GREETS)]), Fixers()
    task = Task("Greet.", tests="assert f('Ada') == 'Hello, Ada'")
    loop = Retry(CodeGenerator(model) >> Repair(CHECK, {"environment": fixers.install}), attempts=1)
    report = await loop.run(task)
    assert report.passed
    assert len(model.requests) == 1
    (given,) = fixers.given
    assert given[0] == "environment"
    assert "No module named 'greeting'" in given[1][0]
    assert [(one.cause, one.round, one.status) for one in report.history] == [
        ("first", 1, "runtime_error"),
        ("repair", 1, "success"),
    ]
    assert [one.path[:2] for one in report.history] == [
        ("Retry#1", "Sequential[1]"),
        ("Retry#1", "Sequential[1]"),
    ]
    assert {"Repair#1", "Repair#2"} <= {part for one in report.history for part in one.path}
    used = [one.usage for one in report.history]
    assert used[0] + used[1] == report.usage
    assert report.usage.model_calls == 1


async def test_mixed_failures_each_go_to_their_own_fixer_in_one_attempt() -> None:
    tests = "assert f('Ada') == 'Hello, Ada'\nassert is_close(g(2), 4)\nassert g(3) == 9\n"
    greets = "def f(name):\n    import greeting\n    return greeting.greet(name)"
    code = f"{greets}\ndef g(x):\n    return x + x"
    right = code.replace("x + x", "x * x")
    model, fixers = ScriptedModel([reply(code), reply(right)]), Fixers()
    repair = Repair(CHECK, {"environment": fixers.install, "test_error": fixers.mend})
    loop = Retry(CodeGenerator(model) >> repair, attempts=2, feedback=keep_task)
    report = await loop.run(Task("Greet, and square.", tests=tests, entry_point="f"))
    assert report.passed
    assert [kind for kind, _ in fixers.given] == ["environment", "test_error"]
    assert [one.cause for one in report.history] == ["first", "repair", "feedback"]
    first = {one.kind for one in report.history[0].verdict.findings}
    assert first == {"environment", "test_error", "logic"}
    # The wrong value is what is left for the model, and it is told of nothing else.
    assert [one.kind for one in report.history[1].verdict.findings] == ["logic"]
    told = model.requests[1].messages[-1].content
    assert "assert g(3) == 9: it gave the wrong value" in told
    assert "greeting" not in told.partition("Write the whole")[0].replace(code, "")
    assert "is_close" not in told


async def test_what_is_revealed_by_a_fix_is_fixed_too() -> None:
    fixers = Fixers()
    repair = Repair(CHECK, {"test_error": fixers.mend, "environment": fixers.install})
    task = Task("Greet.", tests=LACKS_HELPER, entry_point="f")
    report = await repair.run(Candidate(task=task, code=GREETS))
    assert report.passed
    assert [kind for kind, _ in fixers.given] == ["environment", "test_error"]
    assert len(report.history) == 3


async def test_what_no_fixer_takes_is_feedback() -> None:
    fixers = Fixers()
    repair = Repair(CHECK, {"environment": fixers.refuse, "timeout": fixers.refuse})
    model = ScriptedModel([reply(GREETS), reply("def f(name):\n    return 'Hello, ' + name")])
    task = Task("Greet.", tests="assert f('Ada') == 'Hello, Ada'")
    report = await Retry(CodeGenerator(model) >> repair, attempts=2).run(task)
    assert report.passed
    assert len(report.history) == 2
    assert [kind for kind, _ in fixers.given] == ["environment"]
    assert "No module named 'greeting'" in model.requests[1].messages[-1].content


async def test_a_fixer_that_does_not_help_is_called_once() -> None:
    calls: list[int] = []

    def useless(candidate: Candidate, findings: Sequence[Finding]) -> Candidate:
        calls.append(len(findings))
        return candidate

    task = Task("Greet.", tests="assert f('Ada') == 'Hello, Ada'")
    candidate = Candidate(task=task, code=GREETS)
    report = await Repair(CHECK, {"environment": useless}).run(candidate)
    assert (report.passed, calls, len(report.history)) == (False, [1], 2)
    assert report.best is not None
    assert report.best.index == 2


async def test_rounds_are_limited() -> None:
    def another(candidate: Candidate, findings: Sequence[Finding]) -> Candidate:
        return replace(candidate, code=f"import nowhere_{len(candidate.code)}")

    candidate = Candidate(task=Task("Do it."), code="import nowhere")
    for rounds in (1, 2):
        report = await Repair(CHECK, {"environment": another}, rounds=rounds).run(candidate)
        assert len(report.history) == rounds + 1


async def test_tests_that_cannot_be_imported_are_mended_before_the_loop_ends() -> None:
    source = (
        "import nowhere_at_all\nfrom solution import f\n\ndef test_f():\n    assert f('') == ''\n"
    )

    def mend(candidate: Candidate, findings: Sequence[Finding]) -> Candidate:
        assert findings[0].kind == "test_error"
        tests = PytestFile(source.partition("\n")[2])
        return replace(candidate, task=replace(candidate.task, tests=tests))

    model = ScriptedModel([reply("def f(x):\n    return x")])
    generate = CodeGenerator(model)
    task = Task("Echo.", tests=PytestFile(source))
    ended = await Retry(generate >> CHECK, attempts=3).run(task)
    assert ended.stop_reason == "test_error"
    model = ScriptedModel([reply("def f(x):\n    return x")])
    loop = Retry(CodeGenerator(model) >> Repair(CHECK, {"test_error": mend}), attempts=3)
    report = await loop.run(task)
    assert (report.passed, report.stop_reason, len(model.requests)) == (True, "success", 1)


async def test_a_fixer_may_ask_a_model_and_its_usage_is_the_runs() -> None:
    mender = ScriptedModel([HELPER])

    async def mend(candidate: Candidate, findings: Sequence[Finding]) -> Candidate:
        said = await ask(mender, Request(messages=(Message("user", findings[0].message),)))
        tests: Any = candidate.task.tests
        mended = Task("Mended.", tests=said.text + tests.code).tests
        return replace(candidate, task=replace(candidate.task, tests=mended))

    code = "def f(name):\n    return 'Hello, ' + name"
    task = Task("Greet.", tests=LACKS_HELPER, entry_point="f")
    report = await Repair(CHECK, {"test_error": mend}).run(Candidate(task=task, code=code))
    assert report.passed
    assert report.usage.model_calls == 1
    assert sum(one.usage.model_calls for one in report.history) == 1


async def test_a_run_that_passes_is_as_it_would_be_alone() -> None:
    def never(task: Task, findings: Sequence[Finding]) -> None:
        raise AssertionError((task, findings))

    report = await Repair(attempt([4]), {"logic": never}).run(TASK)
    assert report.passed
    assert (len(report.history), report.selected) == (1, None)


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"fixers": {}}, "must be a dict"),
    ({"fixers": [("logic", len)]}, "must be a dict"),
    ({"fixers": {"bug": len}}, "is no kind; kinds are environment"),
    ({"fixers": {"logic": 5}}, "logic"),
    ({"fixers": {"logic": len}, "step": CodeGenerator(ScriptedModel([]))}, "needs outcomes"),
]


@pytest.mark.parametrize(("options", "words"), WRONG)
async def test_what_cannot_be_is_refused(options: dict[str, Any], words: str) -> None:
    build: Any = Repair
    with pytest.raises(WiringError, match=words):
        build(**{"step": CHECK, **options})
    with pytest.raises(ValueError, match="rounds"):
        Repair(CHECK, {"logic": Fixers().refuse}, rounds=0)


async def test_it_is_drawn_and_printed_as_written() -> None:
    repair = Repair(CHECK, {"logic": Fixers().refuse})
    assert repr(repair) == f"Repair({CHECK!r}, {{'logic': Fixers.refuse}})"
    assert '"fixed"' in repair.to_mermaid()
