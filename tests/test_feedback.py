"""Feedback policies of a loop."""

import pytest

from planish import Candidate, CodeGenerator, Execution, Retry, Task, Validator
from planish.data import Failure, Status
from planish.feedback import restart_after
from planish.stop import max_usage
from planish.testing.scripted import ScriptedModel

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
        await Retry(attempt, attempts=5, feedback=restart_after(3)).run(TASK)
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
