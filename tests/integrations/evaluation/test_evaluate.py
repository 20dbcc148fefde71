"""A pipeline is measured on tasks: an exact table from scripted answers."""

from collections.abc import Callable

import pytest
from tests.integrations.evaluation.small import GOOD, HALF, WRONG

from planish import CodeExecution, CodeGenerator, PlanishError, Report, Retry, Task, Validator
from planish.data import Reply, Request, Usage
from planish.errors import (
    AuthenticationError,
    OverloadedError,
    RateLimitError,
    RequestError,
    UnsupportedError,
)
from planish.testing import FakeClock
from planish.testing.replay import ReplayModel
from planish_integrations.evaluation import Evaluation, Result, evaluate
from planish_integrations.local import LocalSandbox
from planish_integrations.openai import Backoff, OpenAIModel
from planish_integrations.testing import Fault, LoopbackProvider

pytestmark = pytest.mark.anyio

TESTS = "assert add(1, 1) == 2\nassert add(2, 3) == 5"
SCRIPT = {
    "first": [GOOD],
    "third": [WRONG, HALF, GOOD],
    "never": [WRONG, HALF, "def add(a, b):\n    return 3\n"],
    "stubborn": [WRONG, WRONG, WRONG],
}


def task(name: str) -> Task:
    return Task("Add two numbers.", tests=TESTS, entry_point="add", id=name)


def loop(model: object, attempts: int = 3) -> Retry[Task, Report]:
    execution = CodeExecution(LocalSandbox())
    generate = CodeGenerator(model)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    return Retry(generate >> execution >> Validator(), attempts=attempts)


async def test_the_table_of_a_scripted_run_is_exact() -> None:
    results_: list[Result] = []
    found = await evaluate(
        loop(ReplayModel(SCRIPT)), map(task, SCRIPT), concurrency=2, on_done=results_.append
    )
    assert len(results_) == 4
    figures = found.as_json()
    rows = figures.pop("results")
    usage = figures.pop("usage")
    assert figures == {
        "tasks": 4,
        "judged": 4,
        "solved": 2,
        "errors": 0,
        "solved_within_k": [1, 1, 2],
        "success_at": {"1": 25.0, "2": 25.0, "3": 50.0},
        "sr_all": 50.0,
        "sr_any": 75.0,
        "attempts_histogram": {"1": 1, "3": 3},
        "mean_attempts": {"solved": 2.0, "unsolved": 3.0},
        "by_status": {"partial_success": 1, "success": 2, "wrong_answer": 1},
        "by_stop_reason": {"max_attempts": 2, "success": 2},
        "model_calls": 10,
    }
    # The same code is known without running it again.
    assert (usage["model_calls"], usage["sandbox_runs"]) == (10, 8)
    assert [(row["id"], row["passed"], row["attempts"], row["scores"]) for row in rows] == [
        ("first", True, 1, [1.0]),
        ("third", True, 3, [0.0, 0.5, 1.0]),
        ("never", False, 3, [0.0, 0.5, 0.0]),
        ("stubborn", False, 3, [0.0, 0.0, 0.0]),
    ]


class Failing:
    """Answers some tasks and raises for the others."""

    name = "failing"
    provider = "planish"

    def __init__(self, error_for: Callable[[str], Exception | None]) -> None:
        self._error_for = error_for
        self.calls = 0

    async def reply(self, request: Request, on_text: object = None) -> Reply:  # noqa: ARG002 - the contract
        self.calls += 1
        error = self._error_for(str(request.task_id))
        if error is not None:
            raise error
        return Reply(text=GOOD)


async def measured(model: Failing, count: int = 6) -> Evaluation:
    return await evaluate(loop(model), [task(str(i)) for i in range(count)], concurrency=1)


async def test_a_task_whose_model_is_broken_does_not_lose_the_others() -> None:
    model = Failing(lambda name: RateLimitError("slow down") if name in "1234" else None)
    found = await measured(model)
    figures = found.as_json()
    assert (figures["tasks"], figures["solved"], figures["errors"]) == (6, 2, 4)
    assert figures["by_status"] == {"error": 4, "success": 2}
    assert figures["results"][1]["error"] == "RateLimitError: slow down"
    assert figures["results"][1]["stop_reason"] is None
    # Each was run twice; what says nothing of the pipeline is in no percentage.
    assert model.calls == 2 + 4 * 2
    assert (figures["judged"], figures["sr_all"], figures["success_at"]) == (2, 100.0, {"1": 100.0})
    assert figures["results"][1]["judged"] is False


async def test_a_task_whose_model_fails_once_is_run_again_and_both_runs_are_paid_for() -> None:
    async with LoopbackProvider(
        lambda _: Reply(text=GOOD, usage=Usage(input_tokens=7, output_tokens=3)),
        faults=[None, *[Fault.error(503)] * 2, None],
    ) as server:
        model = OpenAIModel(
            "m",
            base_url=server.url("openai"),
            api_key="",
            backoff=Backoff(tries=2),
            clock=FakeClock(),
        )
        found = await evaluate(loop(model), [task("0"), task("1")], concurrency=1)
        figures = found.as_json()
        assert (figures["judged"], figures["solved"], figures["errors"]) == (2, 2, 0)
        usage = found.usage
        assert usage.model_calls + usage.failed_calls == len(server.requests) == 4
        assert (usage.tokens, usage.estimated_tokens) == (20, 0)


async def test_a_task_that_is_wrong_counts_as_not_solved() -> None:
    model = Failing(lambda name: RequestError("the prompt is too long") if name == "3" else None)
    figures = (await measured(model)).as_json()
    assert (figures["judged"], figures["solved"], figures["sr_all"]) == (6, 5, 83.3)
    assert model.calls == 6


@pytest.mark.parametrize(
    ("error", "calls"),
    [
        (AuthenticationError("bad key"), 1),
        (RequestError("no such model"), 1),
        (OverloadedError("nobody there"), 3),
    ],
)
async def test_what_will_not_get_better_ends_it(error: PlanishError, calls: int) -> None:
    model = Failing(lambda _: error)
    results: list[Result] = []
    tasks = [task(str(i)) for i in range(6)]
    with pytest.raises(type(error), match=str(error)):
        await evaluate(loop(model), tasks, concurrency=1, on_done=results.append)
    assert not results
    # The next task may have begun before the trouble was heard of.
    assert calls <= model.calls <= calls + 1


@pytest.mark.parametrize(
    ("error", "ends"),
    [
        (AuthenticationError("the key was revoked"), True),
        (RequestError("the prompt is too long"), False),
        (OverloadedError("later"), False),
        (UnsupportedError("this one needs node"), False),
        (ZeroDivisionError("a defect"), True),
    ],
)
async def test_after_a_success_only_some_errors_end_it(error: Exception, *, ends: bool) -> None:
    model = Failing(lambda name: None if name == "0" else error)
    if ends:
        with pytest.raises(type(error)):
            await measured(model)
    else:
        assert (await measured(model)).as_json()["errors"] == 5


async def test_what_a_broken_task_had_reached_is_kept() -> None:
    class Second(Failing):
        async def reply(self, request: Request, on_text: object = None) -> Reply:  # noqa: ARG002 - the contract
            if request.attempt == 2:
                raise RateLimitError("slow down")
            return Reply(text=WRONG)

    (result,) = (await evaluate(loop(Second(lambda _: None)), [task("0")], concurrency=1)).results
    assert (result.attempts, result.status, result.passed) == (1, "error", False)
    assert result.usage.model_calls == 2  # of both runs


async def test_hidden_tests_decide_about_what_was_accepted() -> None:
    execution = CodeExecution(LocalSandbox())
    seen: list[str] = []

    async def check(report: Report) -> Report:
        assert report.best is not None
        seen.append(report.best.code)
        hidden = Task("Add.", tests="assert add(2, 3) == 5", entry_point="add")
        candidate = type(report.best.candidate)(task=hidden, code=report.best.code)
        return await (execution >> Validator()).run(candidate)

    script = {"right": [GOOD], "wrongly": [HALF], "never": [WRONG, WRONG]}
    tasks = [Task("Add.", tests="assert add(1, 1) == 2", id=name) for name in script]
    loop_of_two = loop(ReplayModel(script), attempts=2)
    figures = (await evaluate(loop_of_two, tasks, concurrency=1, check=check)).as_json()
    assert seen == [GOOD, HALF]
    assert figures["visible"] == {
        "accepted": 2,
        "accepted_but_hidden_fail": 1,
        "accepted_and_hidden_pass": 1,
    }
    assert (figures["solved"], figures["solved_within_k"]) == (1, [1, 1])
    assert figures["by_status"] == {"wrong_answer": 2, "success": 1}
    assert [(row["accepted"], row["passed"]) for row in figures["results"]] == [
        (True, True),
        (True, False),
        (False, False),
    ]


async def test_a_mean_has_two_places_and_a_share_one() -> None:
    script = {"1": [GOOD], "2": [GOOD], "3": [WRONG, GOOD]}
    found = (await evaluate(loop(ReplayModel(script)), map(task, script), concurrency=1)).as_json()
    assert found["mean_attempts"] == {"solved": 1.33, "unsolved": None}
    assert found["success_at"] == {"1": 66.7, "2": 100.0}


async def test_nothing_to_measure_is_measured() -> None:
    found = (await evaluate(loop(ReplayModel({})), [], concurrency=1)).as_json()
    assert (found["tasks"], found["sr_all"], found["solved_within_k"]) == (0, 0.0, [])
    assert found["mean_attempts"] == {"solved": None, "unsolved": None}
