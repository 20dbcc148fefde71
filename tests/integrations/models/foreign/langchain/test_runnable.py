"""A planish pipeline as a LangChain Runnable: invoked, batched, streamed, traced."""

# ruff: noqa: ARG002  # LangChain's hooks have the arguments they have

from typing import Any

import anyio
import pytest
from langchain_core.callbacks import AsyncCallbackHandler
from langchain_core.language_models import FakeListChatModel
from langchain_core.runnables import RunnableLambda

from planish import CodeExecution, CodeGenerator, Report, Retry, Task, Validator, budget, step
from planish.errors import OverloadedError, TaskError, UnsupportedError
from planish.testing import ScriptedModel
from planish_integrations.langchain import LangChainModel, as_runnable
from planish_integrations.unsafe import UnsafeLocalSandbox

pytestmark = pytest.mark.anyio
WRONG = "```python\ndef inc(x):\n    return x\n```"
RIGHT = "```python\ndef inc(x):\n    return x + 1\n```"
TASK = {"requirement": "inc adds one", "tests": "assert inc(1) == 2"}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def _pipeline(*replies: str | Exception) -> Retry[Task, Any]:
    coder = CodeGenerator(ScriptedModel(replies))
    return Retry(coder >> CodeExecution(UnsafeLocalSandbox()) >> Validator(), attempts=2)


class Heard(AsyncCallbackHandler):
    """Keeps what LangChain's callbacks are told."""

    def __init__(self) -> None:
        self.told: list[tuple[str, Any]] = []

    async def on_chain_start(self, serialized: Any, inputs: Any, **kwargs: Any) -> None:
        self.told.append(("start", kwargs))

    async def on_chain_end(self, outputs: Any, **kwargs: Any) -> None:
        self.told.append(("end", outputs))

    async def on_chain_error(self, error: BaseException, **kwargs: Any) -> None:
        self.told.append(("error", error))

    async def on_custom_event(self, name: str, data: Any, **kwargs: Any) -> None:
        self.told.append((name, data))

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self.told]


@pytest.mark.parametrize(
    "given", [TASK, Task("inc adds one", tests="assert inc(1) == 2"), "inc adds one"]
)
async def test_a_task_comes_in_any_form(given: Any) -> None:
    report: Report = await as_runnable(_pipeline(RIGHT, RIGHT)).ainvoke(given)
    assert report.task.requirement == "inc adds one"
    assert report.passed == (not isinstance(given, str))  # without tests nothing is verified


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"question": "Add one."}, "no Task has 'question': they are requirement, tests, "),
        ({**TASK, "test": "assert 1"}, "no Task has 'test'"),
        ({"tests": "assert inc(1) == 2"}, "it has no 'requirement'"),
        ({}, "it has no 'requirement'"),
    ],
)
async def test_a_mapping_with_wrong_keys_is_refused_with_the_right_ones(
    wrong: Any, says: str
) -> None:
    with pytest.raises(TaskError) as caught:
        await as_runnable(_pipeline(RIGHT)).ainvoke(wrong)
    assert says in str(caught.value)


async def test_it_pipes_with_other_runnables() -> None:
    code = RunnableLambda(_code)
    chain: RunnableLambda[str, Any] = RunnableLambda(
        lambda text: {"requirement": text, "tests": "assert inc(1) == 2"}
    )
    whole: Any = chain | as_runnable(_pipeline(WRONG, RIGHT)) | code
    assert await whole.ainvoke("inc adds one") == "def inc(x):\n    return x + 1"
    assert [item async for item in _again(whole)] == ["def inc(x):\n    return x + 1"]


def _code(report: Report) -> str | None:
    return None if report.best is None else report.best.code


def _again(whole: Any) -> Any:
    chain, _, code = whole.steps
    return (chain | as_runnable(_pipeline(RIGHT)) | code).astream("inc adds one")


async def test_a_batch_runs_as_many_at_once_as_it_may() -> None:
    now = most = 0

    async def work(value: int) -> int:
        nonlocal now, most
        now += 1
        most = max(most, now)
        await anyio.sleep(0.02)
        now -= 1
        return value + 1

    runnable = as_runnable(step(work))
    assert await runnable.abatch([1, 2, 3, 4, 5], {"max_concurrency": 2}) == [2, 3, 4, 5, 6]
    assert most == 2


async def test_a_failed_one_of_a_batch_comes_as_its_error() -> None:
    runnable = as_runnable(_pipeline(RIGHT, OverloadedError("busy")))
    found = await runnable.abatch([TASK, TASK], {"max_concurrency": 1}, return_exceptions=True)
    assert sorted(type(one).__name__ for one in found) == ["OverloadedError", "Report"]


async def test_callbacks_hear_of_the_run_and_of_what_happens_in_it() -> None:
    heard = Heard()
    config: Any = {"callbacks": [heard], "tags": ["t"], "metadata": {"user": "u"}}
    report = await as_runnable(_pipeline(WRONG, RIGHT), name="coder").ainvoke(TASK, config)
    assert heard.names[0] == "start"
    assert heard.names[-1] == "end"
    started = heard.told[0][1]
    assert (started["name"], started["tags"]) == ("coder", ["t"])
    assert started["metadata"]["user"] == "u"
    assert heard.names.count("planish.candidate_judged") == 2
    assert heard.names.index("planish.code_generated") < heard.names.index(
        "planish.candidate_judged"
    )
    assert heard.told[-1][1] == report


async def test_an_error_reaches_the_caller_and_the_callbacks_as_it_is() -> None:
    heard = Heard()
    with pytest.raises(OverloadedError, match="busy"):
        await as_runnable(_pipeline(OverloadedError("busy"))).ainvoke(TASK, {"callbacks": [heard]})
    assert heard.names[-1] == "error"
    assert isinstance(heard.told[-1][1], OverloadedError)


async def test_events_stream_while_it_runs() -> None:
    runnable = as_runnable(_pipeline(RIGHT))
    names = [
        item["name"]
        async for item in runnable.astream_events(TASK, version="v2")
        if item["event"] == "on_custom_event"
    ]
    assert "planish.candidate_judged" in names


async def test_cancelled_it_ends() -> None:
    slow = CodeGenerator(ScriptedModel([RIGHT], seconds=60))
    with anyio.move_on_after(0.1) as scope:
        await as_runnable(slow).ainvoke(TASK, {"callbacks": [Heard()]})
    assert scope.cancelled_caught


async def test_scopes_around_it_hold() -> None:
    async with budget(model_calls=1):
        report = await as_runnable(_pipeline(WRONG, RIGHT)).ainvoke(TASK)
    assert (report.passed, report.usage.model_calls) == (False, 1)


async def test_a_langchain_model_inside_is_a_child_of_the_run() -> None:
    heard = Heard()
    models: list[str] = []

    class Models(Heard):
        async def on_chat_model_start(self, serialized: Any, messages: Any, **kwargs: Any) -> None:
            models.append(str(kwargs["parent_run_id"]))

    inner = LangChainModel(FakeListChatModel(responses=[RIGHT]))
    pipeline = CodeGenerator(inner) >> CodeExecution(UnsafeLocalSandbox()) >> Validator()
    report = await as_runnable(pipeline).ainvoke(TASK, {"callbacks": [heard, Models()]})
    assert report.passed
    assert models == [str(heard.told[0][1]["run_id"])]


async def test_invoke_runs_it_in_a_thread_of_its_own() -> None:
    runnable = as_runnable(_pipeline(RIGHT))
    report = await anyio.to_thread.run_sync(runnable.invoke, TASK)
    assert report.passed


def test_on_trio_it_is_refused_at_once() -> None:
    with pytest.raises(UnsupportedError, match="asyncio only"):
        anyio.run(as_runnable(_pipeline(RIGHT)).ainvoke, TASK, backend="trio")
