"""What a user's function returns, or a user gives, in place of the right thing is named."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.laws.kit import TASK, attempt, player

from planish import CodeGenerator, CodePolicy, Retry, Task
from planish.data import Feedback, ImageFile, Issue, Message
from planish.data.program import check_program
from planish.errors import TaskError, UnsupportedError, WiringError
from planish.events import watch
from planish.stop import when
from planish.testing import ScriptedModel

TRY = attempt([1])


def wrong(value: Any) -> Any:
    """Return a value without its type."""
    return value


def nothing(_: Any) -> Any:
    return None


async def yields(_: Task) -> Any:
    yield TASK


async def later(_: Any) -> bool:
    return False


def both(text: str, _: Task) -> str:
    return text


def three(_: Any) -> Any:
    return 3


MISTAKES_OF_RUNS: dict[str, tuple[Any, str]] = {
    "a generator": (wrong(yields) >> player([1]), "returned an async_generator: a step returns"),
    "a number": (wrong(three) >> player([1]), "three returned an int"),
    "a policy": (
        Retry(TRY, attempts=2, feedback=wrong(three)),
        "three returned 3; a policy returns a text",
    ),
    "a condition": (
        Retry(TRY, attempts=2, stop=when("x", nothing)),
        "when('x', ...): the condition returned None",
    ),
    "an async condition": (
        Retry(TRY, attempts=2, stop=when("x", wrong(later))),
        "when('x', ...): the condition is async",
    ),
    "a rule": (
        CodeGenerator(ScriptedModel(["x = 1"] * 9)) >> CodePolicy(nothing),
        "CodePolicy(nothing): the rule returned None",
    ),
    "an async rule": (
        CodeGenerator(ScriptedModel(["x = 1"] * 9)) >> CodePolicy(wrong(later)),
        "CodePolicy(later): the rule returned <coroutine",
    ),
    "an item of a rule": (
        CodeGenerator(ScriptedModel(["x = 1"] * 9)) >> CodePolicy(lambda _: wrong(["a", 3])),
        "the rule returned ['a', 3]",
    ),
    "the code of a reply": (
        CodeGenerator(ScriptedModel(["x"] * 9), extract=wrong(both)),
        "both returned 'x'; it returns a planish.extraction.ExtractedCode",
    ),
    "a prompt": (
        CodeGenerator(ScriptedModel(["x"]), prompt=wrong(three)),
        "three returned 3; a prompt returns a list of planish.data.Message",
    ),
    "a prompt's content": (
        CodeGenerator(ScriptedModel(["x"]), prompt=lambda _: [Message("user", wrong(None))]),
        "returned [Message(role='user', content=None)]; a prompt returns a list",
    ),
    "a prompt's text": (
        CodeGenerator(ScriptedModel(["x"]), prompt=wrong(str)),
        "CodeGenerator(prompt=...): str returned",
    ),
}


@pytest.mark.anyio
@pytest.mark.parametrize("mistake", MISTAKES_OF_RUNS)
async def test_a_function_that_returns_something_else_is_named(mistake: str) -> None:
    pipeline, says = MISTAKES_OF_RUNS[mistake]
    with pytest.raises(WiringError) as caught:
        await pipeline.run(TASK)
    assert says in str(caught.value)


@pytest.mark.anyio
async def test_a_prompt_may_yield_its_messages() -> None:
    def prompt(task: Task) -> Any:
        yield Message("user", task.requirement)

    model = ScriptedModel(["x"])
    await CodeGenerator(model, prompt=prompt).run(TASK)
    assert [message.content for message in model.requests[0].messages] == [TASK.requirement]


@pytest.mark.anyio
async def test_the_pipeline_is_watched_and_not_its_input() -> None:
    with pytest.raises(WiringError, match="the pipeline comes first, then its input"):
        async with watch(wrong(TASK), wrong(TRY)):
            pass


def test_a_script_is_a_list_of_answers() -> None:
    with pytest.raises(TypeError, match=r"ScriptedModel\('def f'\): give a list, not one text"):
        ScriptedModel("def f")
    with pytest.raises(TypeError, match="3 is no text, Reply or exception"):
        ScriptedModel(["def f", wrong(3)])


def test_a_sandbox_runs_a_program_and_no_text() -> None:
    with pytest.raises(UnsupportedError, match="not 'print"):
        check_program(wrong("print(1)"))


TASKS: list[tuple[str, Callable[[], Any]]] = [
    ("tests=path.read_text()", lambda: Task("f", tests=wrong(Path("tests.py")))),
    ("cannot be read from '/no/file': No such", lambda: Task("f", files={"a": Path("/no/file")})),
    ("must be a tuple of texts", lambda: ImageFile(formats=wrong("png"))),
]


@pytest.mark.parametrize(("says", "make"), TASKS, ids=[says for says, _ in TASKS])
def test_a_wrong_part_of_a_task_is_told_how_to_be_right(says: str, make: Callable[[], Any]) -> None:
    with pytest.raises(TaskError) as caught:
        make()
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("says", "make"),
    [
        ("Feedback(text=b'x')", lambda: Feedback(text=wrong(b"x"))),
        ("Feedback(text=None)", lambda: Feedback(text=wrong(None))),
        ("Feedback(previous_code=5)", lambda: Feedback(previous_code=wrong(5))),
        ("each must be an Issue", lambda: Feedback(issues=(Issue(issue="x"), wrong("late")))),
    ],
)
def test_evidence_is_text(says: str, make: Callable[[], Any]) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - its message is checked
        make()
    assert says in str(caught.value)
