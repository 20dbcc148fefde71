"""Any async callable is a model."""

from collections.abc import AsyncGenerator
from functools import partial
from typing import Any

import anyio
import pytest

from planish import CodeExecution, CodeGenerator, Retry, Task, Validator, budget
from planish.abc import Model
from planish.data.message import Message, Reply, Request
from planish.data.usage import FREE, Price, Usage
from planish.effects import ask
from planish.errors import ModelError, OverloadedError, RecordingError, UnsupportedError
from planish.testing import check_model
from planish_integrations.callables import CallableModel, as_model
from planish_integrations.unsafe import UnsafeLocalSandbox

pytestmark = pytest.mark.anyio
ASK = Request(messages=(Message("system", "Be brief."), Message("user", "Say pong.")))


async def last_word(prompt: str) -> str:
    await anyio.sleep(0.1)
    return prompt.rsplit(maxsplit=1)[-1]


async def in_pieces(prompt: str) -> AsyncGenerator[str, None]:
    for letter in prompt.rsplit(maxsplit=1)[-1]:
        await anyio.sleep(0.02)
        yield letter


@pytest.mark.parametrize("call", [last_word, in_pieces])
async def test_it_keeps_the_contract_of_a_model(call: object) -> None:
    model = as_model(call)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    assert isinstance(model, Model)
    assert len(await check_model(model)) == 8


async def test_under_a_limit_of_money_it_needs_a_price() -> None:
    async with budget(usd=1.0) as allowance:
        with pytest.raises(UnsupportedError, match="price="):
            await ask(as_model(last_word), ASK)
        await ask(as_model(last_word, price=FREE), ASK)

        async def counted(request: Request) -> Reply:
            return Reply(text="ok", usage=Usage(input_tokens=7, output_tokens=3))

        reply = await ask(as_model(counted, price=Price(input=1e3, output=1e4)), ASK)
    assert reply.usage.usd == allowance.spent.usd == pytest.approx(0.037)


async def test_a_price_that_is_none_is_refused() -> None:
    wrong: Any = 3
    with pytest.raises(TypeError, match=r"^CallableModel\(price=3\): must be a Price\("):
        as_model(last_word, price=wrong)


async def test_what_it_is_called_with_its_annotation_says() -> None:
    seen: list[object] = []

    async def of_messages(messages: tuple[Message, ...]) -> str:
        seen.append(messages)
        return "ok"

    async def of_request(request: Request) -> Reply:
        seen.append(request)
        return Reply(text="ok", usage=Usage(input_tokens=7))

    async def of_prompt(prompt: str) -> str:
        seen.append(prompt)
        return "ok"

    replies = [await as_model(call).reply(ASK) for call in (of_messages, of_request, of_prompt)]
    assert seen == [ASK.messages, ASK, "Be brief.\n\nSay pong."]
    assert [reply.text for reply in replies] == ["ok"] * 3
    assert [reply.usage.model_calls for reply in replies] == [1, 1, 1]
    assert replies[1].usage.input_tokens == 7


async def test_takes_says_it_where_no_annotation_does() -> None:
    model = CallableModel(lambda text: f"got {text}", takes="prompt", name="plain")
    assert (await model.reply(ASK)).text == "got Be brief.\n\nSay pong."
    assert (model.name, model.provider, repr(model)) == (
        "plain",
        "callable",
        "CallableModel('plain')",
    )


async def test_pieces_are_streamed_as_they_come() -> None:
    pieces: list[str] = []
    reply = await as_model(in_pieces).reply(ASK, pieces.append)
    assert (pieces, reply.text) == (list("pong."), "pong.")


async def test_a_generator_that_was_cancelled_has_ended() -> None:
    ended: list[bool] = []

    async def endless(prompt: str) -> AsyncGenerator[str, None]:
        try:
            while True:
                yield prompt
                await anyio.sleep(0.01)
        finally:
            ended.append(True)

    with anyio.CancelScope() as scope:
        await as_model(endless).reply(ASK, lambda _: scope.cancel())
    assert ended == [True]


@pytest.mark.parametrize("given", [None, 5, b"bytes"])
async def test_what_is_no_answer_is_nonsense(given: object) -> None:
    async def odd(prompt: str) -> object:
        return given if prompt else None

    with pytest.raises(ModelError, match="odd returned a"):
        await as_model(odd).reply(ASK)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("raised", "expected"),
    [
        (ConnectionResetError("gone"), OverloadedError),
        (TimeoutError("slow"), OverloadedError),
        (RecordingError("no more"), RecordingError),
        (KeyError("a bug"), KeyError),
    ],
)
async def test_errors_take_their_roads(raised: Exception, expected: type[Exception]) -> None:
    async def fails(prompt: str) -> str:
        raise raised

    with pytest.raises(expected) as caught:
        await as_model(fails).reply(ASK)
    assert caught.value is raised or caught.value.__cause__ is None
    if expected is not KeyError:
        (note,) = caught.value.__notes__
        assert "in fails" in note
        assert str(raised) in note


def test_what_cannot_be_called_is_refused() -> None:
    with pytest.raises(TypeError, match="not callable"):
        as_model("a text")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    with pytest.raises(TypeError, match="must take"):
        as_model(partial(last_word, "full"))  # pyright: ignore[reportArgumentType]


async def test_it_generates_code_in_a_loop() -> None:
    bodies = iter(["return x", "return x + 1"])

    async def coder(messages: tuple[Message, ...]) -> str:
        return f"```python\ndef f(x):\n    {next(bodies)}\n```" if messages else ""

    attempt = CodeGenerator(as_model(coder)) >> CodeExecution(UnsafeLocalSandbox()) >> Validator()
    report = await Retry(attempt, attempts=3).run(Task("Add one.", entry_point="f", tests=[(1, 2)]))
    assert (report.passed, report.attempts, report.usage.model_calls) == (True, 2, 2)
