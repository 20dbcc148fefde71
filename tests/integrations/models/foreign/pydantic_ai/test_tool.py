"""A planish pipeline as a tool of a real pydantic-ai agent."""

from typing import Any

import pytest
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from planish import CodeExecution, CodeGenerator, Retry, Task, Validator
from planish.errors import OverloadedError
from planish.testing import ScriptedModel
from planish_integrations.pydantic_ai import as_tool
from planish_integrations.unsafe import UnsafeLocalSandbox

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("anyio_backend", ["asyncio"])]
WRONG = "```python\ndef inc(x):\n    return x\n```"
RIGHT = "```python\ndef inc(x):\n    return x + 1\n```"
ARGS: dict[str, Any] = {"requirement": "inc adds one", "tests": "assert inc(1) == 2"}


def _pipeline(*replies: str | Exception) -> Retry[Task, Any]:
    coder = CodeGenerator(ScriptedModel(replies))
    return Retry(coder >> CodeExecution(UnsafeLocalSandbox()) >> Validator(), attempts=len(replies))


def _agent(seen: list[ModelMessage], tool: Any, *calls: dict[str, Any]) -> Agent[None, str]:
    """Calls the tool with each of these, and then says what it was told last."""
    waiting = list(calls)

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        seen[:] = messages
        assert [known.name for known in info.function_tools] == ["write_code"]
        if waiting:
            return ModelResponse(parts=[ToolCallPart("write_code", waiting.pop(0))])
        return ModelResponse(parts=[TextPart("done")])

    return Agent(FunctionModel(model), tools=[tool])


def _told(seen: list[ModelMessage]) -> Any:
    return vars(seen[-1].parts[-1])["content"]


async def test_an_agent_gets_code_that_was_seen_to_work(anyio_backend: str) -> None:
    seen: list[ModelMessage] = []
    await _agent(seen, as_tool(_pipeline(WRONG, RIGHT)), ARGS).run("Write inc.")
    told = _told(seen)
    assert (told["passed"], told["attempts"], told["stop_reason"]) == (True, 2, "success")
    assert told["code"] == "def inc(x):\n    return x + 1"
    assert "feedback" not in told


async def test_code_that_failed_comes_with_the_reason(anyio_backend: str) -> None:
    seen: list[ModelMessage] = []
    await _agent(seen, as_tool(_pipeline(WRONG)), ARGS).run("Write inc.")
    told = _told(seen)
    assert told["passed"] is False
    assert "inc(1)" in told["feedback"]


async def test_a_task_the_agent_got_wrong_is_told_to_it(anyio_backend: str) -> None:
    seen: list[ModelMessage] = []
    wrong = ARGS | {"tests": "x = 1"}
    await _agent(seen, as_tool(_pipeline(RIGHT)), wrong, ARGS).run("Write inc.")
    assert any("the tests check nothing" in str(message) for message in seen)
    assert _told(seen)["passed"]


async def test_trouble_of_the_world_is_not_shown_to_the_model(anyio_backend: str) -> None:
    seen: list[ModelMessage] = []
    tool = as_tool(_pipeline(OverloadedError("busy")))
    with pytest.raises(OverloadedError, match="busy"):
        await _agent(seen, tool, ARGS).run("Write inc.")
    assert len(seen) == 1


async def test_its_arguments_are_those_of_ones_own_task(anyio_backend: str) -> None:
    def table(goal: str, given: int, wanted: int) -> Task:
        """Write inc.

        Args:
            goal: What it does.
            given: An argument.
            wanted: Its result.
        """
        return Task(goal, entry_point="inc", tests=[(given, wanted)])

    tool = as_tool(_pipeline(RIGHT), task=table)
    assert tool.description == "Write inc."
    schema = tool.function_schema.json_schema
    assert schema["properties"]["given"] == {"type": "integer", "description": "An argument."}
    assert schema["required"] == ["goal", "given", "wanted"]
    seen: list[ModelMessage] = []
    arguments = {"goal": "add one", "given": 1, "wanted": 2}
    await _agent(seen, tool, arguments).run("Write inc.")
    assert _told(seen)["passed"]
