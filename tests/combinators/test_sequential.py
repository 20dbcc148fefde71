from typing import Any

import pytest

from planish import Candidate, CodeExecution, CodeGenerator, Primitive, Sequential, Task, step
from planish.data import Contract, TextFile
from planish.errors import UnsupportedError, WiringError
from planish.testing import ScriptedModel
from planish_integrations.local import LocalSandbox, LocalSession


def double(value: int) -> int:
    return 2 * value


async def say(value: int) -> str:
    return f"it is {value}"


class Shout(Primitive[str, str]):
    async def _run(self, value: str) -> str:
        return value.upper()


@pytest.mark.anyio
async def test_each_step_takes_what_the_one_before_it_gives() -> None:
    assert await (step(double) >> double >> say >> Shout()).run(3) == "IT IS 12"
    assert await Sequential(step(double), step(say)).run(3) == "it is 6"


@pytest.mark.anyio
async def test_a_function_may_stand_first() -> None:
    assert await (double >> step(say)).run(3) == "it is 6"
    assert await (double >> step(say) >> Shout()).run(3) == "IT IS 6"


@pytest.mark.anyio
async def test_what_a_step_raises_comes_out_as_it_is_and_ends_the_sequence() -> None:
    reached: list[int] = []

    def fail(value: int) -> int:
        raise LookupError(value)

    def note(value: int) -> int:
        reached.append(value)
        return value

    with pytest.raises(LookupError, match="6"):
        await (step(double) >> fail >> note).run(3)
    assert reached == []


@pytest.mark.anyio
async def test_none_is_a_value_as_any_other() -> None:
    def nothing(value: int) -> None:
        del value

    def is_nothing(value: None) -> bool:
        return value is None

    assert await (step(nothing) >> step(is_nothing)).run(3) is True


class Untested(CodeGenerator):
    """A generator that takes the tests away."""

    async def _run(self, value: Task) -> Candidate:
        return await super()._run(Task(value.requirement))


@pytest.mark.anyio
async def test_what_the_sandbox_cannot_run_is_refused_before_a_reply_is_paid_for() -> None:
    def model() -> ScriptedModel:
        return ScriptedModel(["```python\nx = 1\n```"])

    lacks: dict[str, tuple[str, ...]] = {"javascript": ("/nope",)}
    returns = {"contract": Contract(outputs={"a.txt": TextFile()}, folder="out")}
    session = LocalSession()
    wrong: list[tuple[CodeExecution, dict[str, Any], str]] = [
        (CodeExecution(session), {"tests": "assert x == 1"}, "without tests"),
        (CodeExecution(session), {"files": {"a.txt": "1"}}, "without files"),
        (CodeExecution(session), {"language": "sh"}, "without sh"),
        (CodeExecution(LocalSandbox(languages=lacks)), {"language": "javascript"}, "'/nope'"),
        (CodeExecution(LocalSandbox()), {"language": "cobol"}, "knows no language 'cobol'"),
        (CodeExecution(LocalSandbox(), outputs="other"), returns, "has its outputs in 'out'"),
    ]
    for execute, task, message in wrong:
        unused = model()
        with pytest.raises((UnsupportedError, WiringError), match=message):
            await (CodeGenerator(unused) >> execute).run(Task("Set x.", **task))
        assert not unused.requests, message
    async with session:  # a step in front of the session may change the task
        execution = await (Untested(model()) >> CodeExecution(session)).run(
            Task("Set x.", tests="assert x == 1")
        )
    assert execution.exit_code == 0
