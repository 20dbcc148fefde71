"""Nothing of held-out or hidden tests reaches a request, whatever the candidate does."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import anyio
import pytest
from tests.laws.kit import BACKENDS
from tests.leaks.tricks import TRICKS, program

from planish import (
    Accept,
    BestOf,
    CodeExecution,
    CodeGenerator,
    Fallback,
    Race,
    Report,
    Retry,
    Task,
    Validator,
)
from planish.data import Request, ResourceLimits
from planish.feedback import Policy, hidden_tests, restart_after, restart_on_repeat, window
from planish.prompts import prompt_without_tests
from planish.testing import ScriptedModel
from planish_integrations.local import LocalSandbox

CHECK = CodeExecution(LocalSandbox(), limits=ResourceLimits(seconds=2)) >> Validator()
VISIBLE = "assert f(2) == 4"
SECRETS = (7_654_321, 1_234_560)


def hidden(secret: int) -> str:
    return "\n".join(f"assert f({n}) == {n * n}" for n in (secret, secret + 1, secret + 3))


def requests_with(trick: str, task: Task, loop: Any) -> tuple[Report, str]:
    """The report of a run, and all its requests as one text."""
    wrong = "def f(x):\n    return 5"
    replies = [f"```python\n{code}\n```" for code in (wrong, program(trick), "f = len")]
    model = ScriptedModel(replies)
    report = anyio.run(loop(model).run, task)
    return report, text_of(model.requests)


def text_of(requests: Sequence[Request]) -> str:
    return "\n\n".join(f"{one.temperature} {one.messages}" for one in requests)


def accepting(model: ScriptedModel) -> Accept:
    return Accept(Retry(CodeGenerator(model) >> CHECK, attempts=3), CHECK)


@pytest.mark.attack
@pytest.mark.parametrize("trick", TRICKS)
def test_nothing_of_held_out_tests_flows_back(trick: str) -> None:
    seen: set[str] = set()
    for secret in SECRETS:
        task = Task("Square a number.", tests=VISIBLE, accept=hidden(secret))
        report, requests = requests_with(trick, task, accepting)
        assert report.attempts == 2  # the visible tests pass
        assert report.best is not None
        assert report.best.passed
        assert not report.passed
        shown = (
            requests,
            report.feedback.render(),
            repr(report.feedback.previous_attempts),
            repr([one.verdict for one in report.history]),
        )
        assert not any(str(secret + n) in text for n in range(4) for text in shown)
        seen.add(requests + report.feedback.render())
    assert len(seen) == 1


def hiding(tell: Literal["nothing", "failed", "exception"] | None) -> Any:
    """A loop on the hidden tests themselves; None tells all there is."""
    policy = None if tell is None else hidden_tests(tell)

    def make(model: ScriptedModel) -> Retry[Task, Report]:
        attempt = CodeGenerator(model, prompt=prompt_without_tests) >> CHECK
        return Retry(attempt, attempts=3, feedback=policy)

    return make


# What they choose among the classes that may be told, which the policy says.
CHOOSES = {"memory", "recursion"}
# What no feedback holds: times are in the report only, and the sandbox has no such file.
UNSEEN = {"the time of an answer", "a file outside"}


@pytest.mark.attack
@pytest.mark.parametrize("tell", ["nothing", "failed", "exception"])
@pytest.mark.parametrize("trick", TRICKS)
def test_nothing_of_hidden_tests_is_told(
    trick: str, tell: Literal["nothing", "failed", "exception"]
) -> None:
    if tell == "exception" and trick in CHOOSES:
        pytest.skip("the class of an exception from a fixed list is told")
    seen: set[str] = set()
    for secret in SECRETS:
        task = Task("Square a number.", tests=hidden(secret))
        _, requests = requests_with(trick, task, hiding(tell))
        assert not any(str(secret + n) in requests for n in range(4))
        seen.add(requests)
    assert len(seen) == 1


@pytest.mark.attack
@pytest.mark.parametrize("trick", [trick for trick in TRICKS if trick not in UNSEEN])
def test_without_the_policy_each_trick_leaks(trick: str) -> None:
    seen: set[str] = set()
    for secret in SECRETS:
        task = Task("Square a number.", tests=hidden(secret))
        seen.add(requests_with(trick, task, hiding(None))[1])
    assert len(seen) == 2


@pytest.mark.parametrize("tell", ["nothing", "failed", "exception"])
@pytest.mark.parametrize("number", range(2))
@pytest.mark.parametrize(
    "other", [window(3, best=True, older="summary"), restart_after(1), restart_on_repeat()]
)
def test_no_other_policy_tells_of_hidden_tests(
    other: Policy, number: int, tell: Literal["nothing", "failed", "exception"]
) -> None:
    broken, wrong = "import nowhere", "def f(x):\n    return 5"
    replies = [broken, wrong, wrong, broken, "def f(x) return", wrong, "f = len", "f = max"]
    policies: list[Policy] = [other]
    policies.insert(number, hidden_tests(tell))
    seen: set[str] = set()
    for secret in SECRETS:
        model = ScriptedModel([f"```python\n{code}\n```" for code in replies])
        attempt = CodeGenerator(model, prompt=prompt_without_tests) >> CHECK
        # Of two samples the one that is described may be another than the last.
        loop = Retry(BestOf(attempt, n=2, concurrency=1), attempts=4, feedback=policies)
        anyio.run(loop.run, Task("Square a number.", tests=hidden(secret)))
        requests = text_of(model.requests)
        assert not any(str(secret + n) in requests for n in range(4))
        seen.add(requests)
    assert len(seen) == 1


def test_code_is_not_shown_for_its_score_in_hidden_tests() -> None:
    odd = "def f(x):\n    return x * x if x % 2 else 5"
    replies = [odd, odd.replace("x % 2 else", "x % 2 == 0 else"), "f = len", "f = max"]
    seen: set[str] = set()
    last = ""
    for secret in SECRETS:  # an odd one, and an even one: one reply scores 1/3, the other 2/3
        model = ScriptedModel([f"```python\n{code}\n```" for code in replies])
        attempt = CodeGenerator(model, prompt=prompt_without_tests) >> CHECK
        policies = [hidden_tests(), window(1, best=True)]
        loop = Retry(attempt, attempts=4, feedback=policies)
        report = anyio.run(loop.run, Task("Square a number.", tests=hidden(secret)))
        assert len({*report.trajectory}) == 3
        seen.add(text_of(model.requests))
        last = text_of(model.requests[3:])
    assert len(seen) == 1
    assert "return x * x if x % 2" in last


SETUPS = {
    "a statement": "y = f({n})\nassert y == {square}",
    "a class": (
        "import unittest\nclass T(unittest.TestCase):\n    @classmethod\n"
        "    def setUpClass(cls):\n        cls.y = f({n})\n"
        "    def test(self):\n        self.assertEqual(self.y, {square})"
    ),
    "a test": "def test():\n    assert f({n}) == {square}",
}
RAISED = {
    "a message": "def f(x):\n    raise ValueError(f'saw {x}')",
    "a failing import": "def f(x):\n    raise ImportError(f'saw {x}')",
    "a syntax error": "def f(x):\n    compile(f'saw {x}', 'solution.py', 'exec')",
    "a syntax error of code without a file": (
        'exec(\'def f(x): raise SyntaxError(f"saw {x}", ("solution.py", 1, 1, "x"))\')'
    ),
}


@pytest.mark.parametrize("setup", SETUPS)
@pytest.mark.parametrize("raised", RAISED)
def test_what_is_raised_while_tests_are_prepared_is_not_told(raised: str, setup: str) -> None:
    seen: dict[bool, set[str]] = {True: set(), False: set()}
    for hides, texts in seen.items():
        for secret in SECRETS:
            task = Task("Square.", tests=SETUPS[setup].format(n=secret, square=secret**2))
            model = ScriptedModel([f"```python\n{RAISED[raised]}\n```", "```python\nf = len\n```"])
            attempt = CodeGenerator(model, prompt=prompt_without_tests) >> CHECK
            policy = hidden_tests("nothing") if hides else None
            anyio.run(Retry(attempt, attempts=2, feedback=policy).run, task)
            texts.add(text_of(model.requests))
    assert len(seen[True]) == 1
    assert not any(str(secret) in text for secret in SECRETS for text in seen[True])
    assert len(seen[False]) == 2


SEVERAL: Mapping[str, Callable[[Any], Any]] = {
    "BestOf": lambda attempt: BestOf(attempt, n=2, concurrency=1),
    "Fallback": lambda attempt: Fallback(attempt, attempt),
    "Race": lambda attempt: Race(attempt, attempt, concurrency=1),
    "Retry": lambda attempt: Retry(attempt, attempts=2, feedback=hidden_tests("nothing")),
}


@pytest.mark.parametrize("several", SEVERAL)
@pytest.mark.parametrize("place", [0, 1])
def test_which_of_several_attempts_is_shown_does_not_depend_on_hidden_tests(
    several: str, place: int
) -> None:
    odd = "def f(x):\n    return x * x if x % 2 else 5"
    replies = [odd, odd.replace("x % 2 else", "x % 2 == 0 else"), "f = len", "f = max"]
    seen: set[str] = set()
    best: set[str] = set()
    policies: list[Policy] = [hidden_tests("nothing")]
    policies.insert(place, restart_on_repeat())
    for secret in SECRETS:  # an odd one, and an even one
        model = ScriptedModel([f"```python\n{code}\n```" for code in replies])
        attempt = CodeGenerator(model, prompt=prompt_without_tests) >> CHECK
        tests = "\n".join(f"assert f({n}) == {n * n}" for n in range(secret, secret + 3))
        loop = Retry(SEVERAL[several](attempt), attempts=2, feedback=policies)
        report = anyio.run(loop.run, Task("Square a number.", tests=tests))
        seen.add(text_of(model.requests))
        best.add(report.best.candidate.code if report.best else "")
    assert len(seen) == 1
    assert len(best) == 2  # the control: which of them is the best one does


def test_a_failing_import_is_told_because_no_test_had_run() -> None:
    model = ScriptedModel(["```python\nimport nowhere\n```", "```python\nf = len\n```"])
    attempt = CodeGenerator(model, prompt=prompt_without_tests) >> CHECK
    loop = Retry(attempt, attempts=2, feedback=hidden_tests("nothing"))
    task = Task("Square a number.", tests=hidden(3))
    anyio.run(loop.run, task)
    assert "No module named 'nowhere' (line 1" in text_of(model.requests)


def test_a_repeated_reply_is_told_without_what_was_tried() -> None:
    model = ScriptedModel(["```python\nf = len\n```"] * 3)
    attempt = CodeGenerator(model, prompt=prompt_without_tests) >> CHECK
    loop = Retry(attempt, attempts=3, feedback=hidden_tests("failed"))
    anyio.run(loop.run, Task("Square a number.", tests=hidden(3)))
    text = model.requests[2].messages[-1].content
    assert "The code is the same as in attempt 1" in text
    assert "Tried" not in text
    assert "TypeError" not in text


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("right", [True, False])
def test_passed_is_the_verdict_of_the_held_out_tests(backend: str, right: bool) -> None:  # noqa: FBT001
    code = "def f(x):\n    return x * x" if right else "def f(x):\n    return 4"
    task = Task("Square a number.", tests=VISIBLE, accept="assert f(3) == 9")
    with ScriptedModel([f"```python\n{code}\n```"]) as model:
        report = anyio.run(accepting(model).run, task, backend=backend)
    assert report.passed is right
    assert report.task == task
    assert (report.stop_reason, report.attempts) == ("success", 1)
    assert report.acceptance is not None
    assert report.acceptance.execution.candidate.code == code
    assert report.usage.sandbox_runs == 2
    assert Report.from_json(report.to_json()).passed is right


def test_a_name_that_is_not_there_is_refused() -> None:
    step: Any = "all"
    with pytest.raises(ValueError, match="'nothing', 'failed' or 'exception'"):
        hidden_tests(step)
