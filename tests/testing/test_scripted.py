"""The scripted doubles answer in order, and check that the script is used up."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import anyio
import pytest

from planish.abc import LiveSandbox, Model, Sandbox
from planish.data import Completed, Message, Program, Reply, Request, Usage
from planish.data.usage import FREE, ModelPrice, Price
from planish.errors import ModelError, RecordingError, SandboxError
from planish.testing.clock import FakeClock
from planish.testing.replay import ReplayModel
from planish.testing.scripted import ScriptedModel, ScriptedSandbox

REQUEST = Request(messages=(Message("user", "x" * 40),))
PROGRAM = Program(main="main.py", files={"main.py": b""})
DONE = [Completed(exit_code=number) for number in range(3)]


@pytest.mark.anyio
async def test_a_model_answers_in_order_and_remembers_what_it_was_asked() -> None:
    with ScriptedModel(["one", Reply(text="two", model="m")], name="small") as model:
        first, second = await model.reply(REQUEST), await model.reply(REQUEST)
    assert (first.text, second.text, second.model) == ("one", "two", "m")
    assert list(model.requests) == [REQUEST, REQUEST]
    assert (model.name, model.provider, model.remaining) == ("small", "planish", 0)
    assert isinstance(model, Model)


@pytest.mark.anyio
async def test_of_a_text_four_characters_are_a_token() -> None:
    reply = await ScriptedModel(["12345678"]).reply(REQUEST)
    assert reply.usage == Usage(input_tokens=10, output_tokens=2, model_calls=1)


@pytest.mark.anyio
async def test_it_streams_in_pieces_that_join() -> None:
    pieces: list[str] = []
    text = "a text of more than one piece"
    await ScriptedModel([text]).reply(REQUEST, pieces.append)
    assert len(pieces) == 2
    assert "".join(pieces) == text


@pytest.mark.anyio
async def test_an_exception_in_the_script_is_raised_and_counts() -> None:
    with ScriptedModel([ModelError("down"), "up"]) as model:
        with pytest.raises(ModelError, match="down"):
            await model.reply(REQUEST)
        assert (await model.reply(REQUEST)).text == "up"


@pytest.mark.anyio
async def test_more_than_the_script_holds_is_refused() -> None:
    model = ScriptedModel(["one"])
    await model.reply(REQUEST)
    with pytest.raises(RecordingError, match="answer 2 was requested, but the script has 1"):
        await model.reply(REQUEST)


def test_what_is_left_over_fails() -> None:
    def leave() -> None:
        with ScriptedModel(["one", "two"]):
            pass

    with pytest.raises(AssertionError, match="2 scripted answers were not requested"):
        leave()


def test_what_is_left_over_does_not_hide_another_failure() -> None:
    def stumble() -> None:
        with ScriptedModel(["one"]):
            raise LookupError

    with pytest.raises(LookupError):
        stumble()


@pytest.mark.anyio
async def test_an_answer_may_take_its_time() -> None:
    for double in (ScriptedModel(["one"], seconds=5), ScriptedSandbox([DONE[0]], seconds=5)):
        ask: Any = double.reply if isinstance(double, ScriptedModel) else double.run
        with anyio.move_on_after(0.01) as scope:
            await ask(REQUEST)
        assert scope.cancelled_caught


@pytest.mark.anyio
async def test_a_sandbox_ends_its_programs_in_order() -> None:
    with ScriptedSandbox([*DONE, SandboxError("gone")], name="place") as sandbox:
        assert [await sandbox.run(PROGRAM) for _ in DONE] == DONE
        with pytest.raises(SandboxError, match="gone"):
            await sandbox.run(PROGRAM)
    assert list(sandbox.programs) == [PROGRAM] * 4
    assert sandbox.name == "place"
    assert isinstance(sandbox, Sandbox)
    with pytest.raises(RecordingError, match="answer 5 was requested"):
        await sandbox.run(PROGRAM)


@pytest.mark.anyio
async def test_an_ending_can_be_made_of_the_program() -> None:
    def answer(program: Program) -> Completed:
        return Completed(exit_code=0, results=b"results" if program.results else None)

    with ScriptedSandbox([answer, answer, Completed(exit_code=1, results=b"fixed")]) as sandbox:
        asked = replace(PROGRAM, results=True)
        found = [(await sandbox.run(program)).results for program in (PROGRAM, asked, asked)]
    assert found == [None, b"results", b"fixed"]


@pytest.mark.anyio
async def test_each_answer_can_be_cancelled_even_if_it_takes_no_time() -> None:
    replayed = ReplayModel({"t": ["one"]})
    calls: list[Callable[[], Awaitable[object]]] = [
        lambda: ScriptedModel(["one"]).reply(REQUEST),
        lambda: ScriptedSandbox([DONE[0]]).run(PROGRAM),
        lambda: replayed.reply(replace(REQUEST, task_id="t")),
        lambda: FakeClock().sleep(1),
    ]
    for call in calls:
        ended = False
        with anyio.CancelScope() as scope:
            scope.cancel()
            await call()
            ended = True
        assert scope.cancelled_caught
        assert not ended


@pytest.mark.anyio
async def test_a_sandbox_passes_on_each_stream_that_has_output_as_one_piece() -> None:
    both = Completed(exit_code=0, stdout=b"a\nb\n", stderr=b"c\n")
    sandbox = ScriptedSandbox([both, DONE[0]])
    assert isinstance(sandbox, LiveSandbox)
    pieces: list[tuple[str, bytes]] = []

    def listen(stream: str, data: bytes) -> None:
        pieces.append((stream, data))

    for ending in (both, DONE[0]):
        assert await sandbox.run_live(PROGRAM, listen) == ending
    assert pieces == [("stdout", b"a\nb\n"), ("stderr", b"c\n")]


def test_the_price_is_that_of_the_replies_or_the_one_that_is_set() -> None:
    costly = Reply(text="a", usage=Usage(model_calls=1, usd=0.5))
    price = Price(input=1.0, output=2.0)
    cases: list[tuple[list[str | Reply], ModelPrice]] = [
        (["a", Reply(text="b")], FREE),
        (["a", costly], "reported"),
        ([], FREE),
    ]
    for replies, found in cases:
        assert ScriptedModel(replies).price == found
        assert ReplayModel({"t": replies, "u": []}).price == found
        assert ScriptedModel(replies, price=price).price is price
        assert ReplayModel({"t": replies}, price=price).price is price


def test_they_print_their_names() -> None:
    assert repr(ScriptedModel([], name="small")) == "ScriptedModel('small')"
    assert repr(ScriptedSandbox([])) == "ScriptedSandbox('scripted')"
