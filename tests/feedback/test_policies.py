"""Feedback policies of a loop."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from planish import (
    Candidate,
    CodeExecution,
    CodeGenerator,
    Execution,
    Report,
    Retry,
    Task,
    Validator,
    Verdict,
)
from planish.data import Assertions, Attempt, Failure, Feedback, Request, Status
from planish.errors import WiringError
from planish.feedback import (
    Rule,
    add_hints,
    error_signatures,
    hint_for,
    restart_after,
    rules,
    window,
)
from planish.judges import all_of, tests_pass
from planish.stop import max_usage
from planish.testing.scripted import ScriptedModel
from planish_integrations.unsafe import UnsafeLocalSandbox

TASK = Task("Do it.", entry_point="f", tests="assert f() == 1")


async def fails(candidate: Candidate) -> Execution:
    failure = Failure(name="ValueError", message=f"no good: {candidate.code[-1]}")
    return Execution(candidate=candidate, status=Status.RUNTIME_ERROR, failure=failure)


def replies(count: int) -> list[str]:
    return [f"```python\ndef f():\n    return {number}\n```" for number in range(count)]


@pytest.mark.anyio
async def test_after_three_errors_the_code_is_dropped_and_the_lessons_are_kept() -> None:
    with ScriptedModel(replies(5)) as model:
        attempt = CodeGenerator(model) >> fails >> Validator()
        report = await Retry(attempt, attempts=5, feedback=restart_after(3)).run(TASK)
    given = [attempt.candidate.task.feedback for attempt in report.history]
    assert [one is not None and one.explore for one in given] == [False, False, False, True, False]
    third, fourth, fifth = (
        "\n".join(message.content for message in request.messages) for request in model.requests[2:]
    )
    assert "return 1" in third
    assert "return" not in fourth.split("assert f() == 1")[1]
    for number in range(3):
        assert f"ValueError: no good: {number}" in fourth
    assert "different approach" in fourth
    assert "return 3" in fifth


@pytest.mark.anyio
async def test_a_budget_of_model_calls_stops_the_loop() -> None:
    attempt = CodeGenerator(ScriptedModel(replies(9))) >> fails >> Validator()
    report = await Retry(attempt, stop=max_usage(model_calls=2)).run(TASK)
    assert report.stop_reason == "budget"
    assert report.usage.model_calls == 2


def test_restarting_after_no_error_makes_no_sense() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        restart_after(0)


def text_of(request: Request) -> str:
    return "\n".join(message.content for message in request.messages)


async def loop(count: int, feedback: Any, judge: Any = tests_pass) -> Sequence[Request]:
    with ScriptedModel(replies(count)) as model:
        attempt = CodeGenerator(model) >> fails >> Validator(judge)
        await Retry(attempt, attempts=count, feedback=feedback).run(TASK)
    return model.requests


@pytest.mark.anyio
async def test_a_policy_gives_the_next_task_and_the_evidence_goes_with_it() -> None:
    def mend(report: Report) -> Task:
        return replace(report.task, tests=Assertions("assert f() == 2"), context=("see below",))

    first, second, third = await loop(3, mend)
    assert "assert f() == 1" in text_of(first)
    for request, number in ((second, 0), (third, 1)):
        assert "assert f() == 2" in text_of(request)
        assert "see below" in text_of(request)
        assert f"ValueError: no good: {number}" in text_of(request)
        assert f"return {number}" in text_of(request)
    assert [request.attempt for request in (first, second, third)] == [1, 2, 3]


@pytest.mark.anyio
async def test_policies_compose_in_order() -> None:
    def first_words(report: Report) -> str:
        return "first words"

    def mend(report: Report) -> Task:
        return replace(report.task, constraints=("be short",))

    def person(report: Report) -> Feedback:
        return Feedback(text="mind zero", source="human")

    policies = [first_words, window(2), mend, person, add_hints({ValueError: "try another"})]
    last = text_of((await loop(3, policies))[2])
    assert "first words\n\nA person writes:\nmind zero" in last
    assert "- be short" in last
    assert "fix: try another" in last
    assert "ValueError: no good: 1" in last
    assert "return 0" in last
    assert "return 1" in last


@pytest.mark.anyio
async def test_the_words_of_a_person_leave_evidence_and_code() -> None:
    async def person(report: Report) -> Feedback:
        return Feedback(text="mind zero", source="human")

    second = (await loop(2, person))[1]
    assert second.messages[-1].content.startswith("A person writes:\nmind zero\n\nAttempt 1 ended")
    assert "return 0" in second.messages[-2].content
    assert "ValueError: no good: 0" in second.messages[-1].content


@pytest.mark.parametrize("policy", [3, [window(2), "words"]])
def test_what_is_no_policy_is_refused(policy: Any) -> None:
    attempt = CodeGenerator(ScriptedModel([])) >> fails >> Validator()
    with pytest.raises((WiringError, TypeError)):
        Retry(attempt, attempts=2, feedback=policy)


@pytest.mark.anyio
async def test_a_rule_fires_when_it_holds_and_once_in_a_run() -> None:
    rule = Rule(lambda one: "return 1" in one.code, "it returns one", "return more")
    other = Rule(lambda one: "import" in one.code, "it imports")
    always = Rule(lambda one: bool(one.code), "no docstring")
    found = await loop(5, rules(rule, other, always))
    assert [text_of(one).count("it returns one") for one in found] == [0, 0, 1, 0, 0]
    assert [text_of(one).count("it imports") for one in found] == [0] * 5
    assert [text_of(one).count("no docstring") for one in found] == [0, 1, 0, 0, 0]
    assert "it returns one\n  fix: return more" in text_of(found[2])


def test_a_hint_holds_for_subclasses_and_the_nearest_class_decides() -> None:
    assert "standard library" in hint_for("ModuleNotFoundError", ("ImportError", "Exception"))
    assert "check the name" in hint_for("ImportError", ("Exception",))
    assert hint_for("TabError", ("IndentationError", "SyntaxError")).startswith("indent")
    assert hint_for("MyError", ("KeyError", "LookupError")) == hint_for("KeyError")
    assert hint_for("MyError", ("Exception",)) == ""
    assert hint_for("MyError", ("LookupError",), {LookupError: "mine"}) == "mine"


RAISES = """class Own({base}):
    pass
def g(x):
    raise Own('no good')
def f(x):
    print('seen', x)
    return x * x if x == 2 else g(x)"""


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("base", "fix"), [("Exception", ""), ("KeyError", "\n  fix: check that the key is there")]
)
async def test_the_second_request_has_every_part_of_the_evidence(base: str, fix: str) -> None:
    code = RAISES.format(base=base)
    model = ScriptedModel([f"```python\n{code}\n```"] * 2)
    attempt = CodeGenerator(model) >> CodeExecution(UnsafeLocalSandbox()) >> Validator()
    task = Task("Square a number.", tests="assert f(2) == 4\nassert f(3) == 9")
    await Retry(attempt, attempts=2).run(task)
    *_, previous, evidence = model.requests[1].messages
    assert (previous.role, previous.content) == ("assistant", f"```python\n{code}\n```")
    text = evidence.content
    assert text.startswith("Attempt 1 ended with partial_success, 50% of the tests passed.")
    assert "- assert f(3) == 9: Own: " in text  # the test that failed, with the error's class
    assert "(line 4: raise Own('no good'))" + fix in text
    assert ("fix:" in text) == bool(fix)
    assert "return x * x if x == 2 else g(x)" in text  # the traceback, by whatever class
    assert "seen 2\nseen 3" in text
    assert "f(2)" not in text  # a test that passed
    assert text.endswith("Write the whole corrected solution.")


@pytest.mark.anyio
async def test_the_error_is_told_if_the_findings_of_a_judge_do_not_have_it() -> None:
    def reviewer(execution: Execution) -> str:
        return "it is too long"

    second = (await loop(2, None, judge=reviewer))[1]
    assert "- it is too long" in second.messages[-1].content
    assert "Error: ValueError: no good: 0" in second.messages[-1].content


def test_signatures_are_counted_without_numbers_and_addresses() -> None:
    messages = ["bad <f at 0x7f12> in line 3", "bad <f at 0xabc> in line 44", "other"]
    history: list[Attempt] = []
    for number, message in enumerate(messages, 1):
        failure = Failure(name="ValueError", message=message)
        candidate = Candidate(task=TASK, code=f"{number}")
        execution = Execution(candidate=candidate, status=Status.RUNTIME_ERROR, failure=failure)
        verdict = tests_pass(execution)
        # The same error in two tests counts once.
        verdict = replace(verdict, findings=verdict.findings * 2)
        history.append(Attempt(index=number, verdict=verdict))
    report = Report(task=TASK, history=tuple(history))
    assert error_signatures(report) == {
        "ValueError: bad <f at N> in line N": 2,
        "ValueError: other": 1,
    }


@pytest.mark.anyio
async def test_notes_of_the_sandbox_reach_the_feedback_whatever_the_judge() -> None:
    async def refused(candidate: Candidate) -> Execution:
        return replace(await fails(candidate), findings=("the package 'numpy' was refused",))

    def reviewer(execution: Execution) -> str:
        return "too long"

    def own_verdict(execution: Execution) -> Verdict:
        return Verdict(execution=execution, label="failed")

    for judge in (reviewer, own_verdict, tests_pass, all_of(tests_pass, reviewer)):
        model = ScriptedModel(replies(2))
        attempt = CodeGenerator(model) >> refused >> Validator(judge)
        await Retry(attempt, attempts=2).run(TASK)
        assert text_of(model.requests[1]).count("the package 'numpy' was refused") == 1
