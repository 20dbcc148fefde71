from threading import get_ident
from typing import Any

import pytest
from tests.laws.kit import TASK, answer

from planish import CodeExecution, CodeGenerator, Retry, Task, Validator
from planish.abc import OnText
from planish.data import Feedback, Message, Reply, Request
from planish.data.events import Event
from planish.data.tests import Case, Cases, Tolerance
from planish.effects import ask
from planish.errors import RecordingError, WiringError
from planish.events import TokensReceived, listen
from planish.extraction import extract
from planish.prompts import prompt_without_tests
from planish.testing.scripted import ScriptedModel
from planish_integrations.local import LocalSandbox

LOCAL = LocalSandbox()


@pytest.mark.anyio
async def test_the_candidate_holds_the_code_the_task_and_the_reply() -> None:
    with ScriptedModel(["Here it is:\n" + answer(3)]) as model:
        candidate = await CodeGenerator(model).run(TASK)
    assert candidate.code.strip() == "PASSED = 3  #"
    assert candidate.task is TASK
    assert candidate.problem is None
    assert candidate.reply is not None
    assert candidate.reply.text.startswith("Here it is")


@pytest.mark.anyio
async def test_the_request_has_the_task_and_all_options() -> None:
    model = ScriptedModel([answer(1)])
    generate = CodeGenerator(model, temperature=0.5, max_tokens=100, seed=7)
    candidate = await generate.run(TASK.for_candidate(2, 5).with_feedback("mind the gap"))
    (request,) = model.requests
    assert candidate.request is request
    assert (request.temperature, request.max_tokens, request.seed) == (0.5, 100, 9)
    assert (request.task_id, request.attempt, request.candidate) == ("checks", 1, 2)
    assert [message.role for message in request.messages] == ["system", "user", "user"]
    text = "\n".join(message.content for message in request.messages)
    assert "Pass some checks." in text
    assert "assert PASSED == 4" in text
    assert "mind the gap" in text


@pytest.mark.anyio
async def test_what_is_not_said_is_left_to_the_model() -> None:
    model = ScriptedModel([answer(1)])
    await CodeGenerator(model).run(TASK)
    (request,) = model.requests
    assert (request.temperature, request.max_tokens, request.seed) == (None, None, None)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("tolerance", "text"),
    [
        (0.5, "f(1) -> 2 (within 0.5 absolute or 0.5 relative)"),
        (Tolerance(relative=0.001), "f(1) -> 2 (within 0.001 relative)"),
        (Tolerance(absolute=2, relative=0.5), "f(1) -> 2 (within 2 absolute or 0.5 relative)"),
        (None, "f(1) -> 2"),
    ],
)
async def test_the_model_learns_how_far_a_result_may_be_off(
    tolerance: Tolerance | float | None, text: str
) -> None:
    model = ScriptedModel([answer(1)])
    tests = Cases((Case(1, 2),), tolerance=tolerance)
    await CodeGenerator(model).run(Task("Double it.", tests=tests, entry_point="f"))
    (request,) = model.requests
    lines = "\n".join(message.content for message in request.messages).splitlines()
    assert any(line.strip().removeprefix("- ") == text for line in lines), lines


@pytest.mark.anyio
async def test_a_prompt_of_ones_own() -> None:
    def prompt(task: Task) -> list[Message]:
        return [Message("user", task.requirement.upper())]

    model = ScriptedModel([answer(1), answer(1)])
    await CodeGenerator(model, prompt=prompt).run(TASK)
    await CodeGenerator(model, prompt=prompt_without_tests).run(TASK)
    own, without = model.requests
    assert own.messages == (Message("user", "PASS SOME CHECKS."),)
    assert all("assert" not in message.content for message in without.messages)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        (Reply(text=""), "empty_reply"),
        (Reply(text="I cannot help with that, sorry."), "no_code"),
        (Reply(text=answer(4), finish_reason="length"), "truncated"),
        (Reply(text=answer(4)), None),
    ],
)
async def test_an_answer_without_whole_code_says_so(reply: Reply, problem: str | None) -> None:
    candidate = await CodeGenerator(ScriptedModel([reply])).run(TASK)
    assert candidate.problem == problem


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("reply", "finding"),
    [
        (Reply(text="No.", finish_reason="content_filter"), "the model refused, or a filter"),
        (Reply(text="", finish_reason="tool_calls"), "called a tool instead of replying"),
        (
            Reply(text="Let me", finish_reason="error", provider_finish_reason="abort"),
            "ended the reply early (finish reason 'abort')",
        ),
    ],
)
async def test_an_unusual_end_of_a_reply_is_told_to_the_model(reply: Reply, finding: str) -> None:
    model = ScriptedModel([reply, answer(4)])
    attempt = CodeGenerator(model) >> CodeExecution(LOCAL) >> Validator()
    report = await Retry(attempt, attempts=2).run(TASK)
    assert report.passed
    first, second = report.history
    assert any(finding in one.message for one in first.verdict.findings)
    assert finding in model.requests[1].messages[-1].content
    assert not any("ended" in one.message for one in second.verdict.findings)


@pytest.mark.anyio
async def test_it_is_streamed_when_somebody_listens() -> None:
    model = ScriptedModel([answer(4, "a long note so that there is more than one piece")])
    heard: list[Event] = []
    async with listen(heard.append):
        candidate = await CodeGenerator(model).run(TASK)
    pieces = [event.text for event in heard if isinstance(event, TokensReceived)]
    assert len(pieces) > 1
    assert candidate.reply is not None
    assert "".join(pieces) == candidate.reply.text


@pytest.mark.anyio
async def test_what_the_model_raises_is_raised() -> None:
    with pytest.raises(RecordingError):
        await CodeGenerator(ScriptedModel([])).run(TASK)


@pytest.mark.parametrize("model", ["gpt", None, object()])
def test_what_is_no_model_is_refused(model: Any) -> None:
    with pytest.raises(WiringError, match=r"a model (has|is an object with)"):
        CodeGenerator(model)


@pytest.mark.anyio
async def test_a_long_reply_is_read_in_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[int] = []

    def recording(*args: Any, **options: Any) -> Any:
        threads.append(get_ident())
        return extract(*args, **options)

    monkeypatch.setattr("planish.extraction.extract", recording)
    long = answer(1) + "\nWords. " * 5_000
    candidates = [await CodeGenerator(ScriptedModel([r])).run(TASK) for r in (answer(1), long)]
    assert candidates[0].code == candidates[1].code
    assert threads[0] == get_ident()
    assert threads[1] != get_ident()


@pytest.mark.anyio
async def test_an_edit_of_the_previous_code_is_applied() -> None:
    diff = "```diff\n@@ -1 +1 @@\n-PASSED = 3\n+PASSED = 4\n```"
    feedback = Feedback(attempt=1, previous_code="PASSED = 3\nx = 1")
    candidate = await CodeGenerator(ScriptedModel([diff])).run(TASK.with_feedback(feedback))
    assert (candidate.code, candidate.problem) == ("PASSED = 4\nx = 1", None)
    lost = await CodeGenerator(ScriptedModel([diff.replace("3", "2")])).run(
        TASK.with_feedback(feedback)
    )
    assert (lost.code, lost.problem) == ("", "edit_failed")


@pytest.mark.anyio
async def test_a_reply_of_several_files_gives_a_candidate_of_several_files() -> None:
    main = "from a import x\nPASSED = x"
    reply = f"**a.py**\n```python\nx = 1\n```\n**main.py**\n```python\n{main}\n```"
    candidate = await CodeGenerator(ScriptedModel([reply])).run(TASK)
    assert candidate.path == "main.py"
    assert dict(candidate.files) == {"a.py": "x = 1"}
    assert candidate.code == main


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"temperature": "hot"}, r"CodeGenerator\(temperature='hot'\)"),
        ({"temperature": -1}, r"CodeGenerator\(temperature=-1\)"),
        ({"max_tokens": 0}, r"CodeGenerator\(max_tokens=0\)"),
    ],
)
def test_an_option_that_no_model_takes_is_refused(options: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        CodeGenerator(ScriptedModel([]), **options)


@pytest.mark.anyio
async def test_a_case_with_a_very_long_integer_is_shown_to_the_model() -> None:
    cases = Cases.of([(5000, 10**5000)])
    assert repr(cases.cases[0]).startswith("Case(args=(5000,), expected=0x")
    task = Task("Give the n-th power of ten.", entry_point="power", tests=cases)
    candidate = await CodeGenerator(ScriptedModel(["def power(n): return 10**n"])).run(task)
    assert candidate.code


class Silent:
    """A model that cannot stream, and does not say so."""

    name, provider = "silent", "own"

    async def reply(self, request: Request) -> Reply:
        return Reply(text=f"{len(request.messages)} messages")


class Demanding(Silent):
    async def reply(self, request: Request, on_text: OnText) -> Reply:  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]
        on_text("hi")
        return await super().reply(request)


@pytest.mark.anyio
@pytest.mark.parametrize("kind", [Silent, Demanding])
async def test_a_model_whose_reply_has_other_parameters_is_refused(kind: type[Any]) -> None:
    wrong: Any = kind()
    message = rf"{kind.__name__}\.reply has the parameters \(request.*on_text: OnText \| None = "
    with pytest.raises(WiringError, match=message):
        CodeGenerator(wrong)
    if kind is Silent:
        with pytest.raises(WiringError, match=message):
            await ask(wrong, Request(messages=(Message("user", "hi"),)))
