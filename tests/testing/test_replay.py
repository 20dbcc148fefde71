"""A replayed model returns the recorded replies in any order of requests."""

from dataclasses import replace

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws.kit import TASK, answer, both_loops, grade

from planish import BestOf, CodeGenerator, Report, Retry, Task, Validator, step
from planish.data import Message, Reply, Request
from planish.errors import RecordingError
from planish.testing.replay import ReplayModel

REQUEST = Request(messages=(Message("user", "x"),), task_id="t")


def request(attempt: int = 1, candidate: int = 0) -> Request:
    return replace(REQUEST, attempt=attempt, candidate=candidate)


@given(st.permutations(range(1, 5)))
def test_the_nth_attempt_gets_the_nth_reply(order: list[int]) -> None:
    model = ReplayModel({"t": ["1", "2", "3", "4"]})

    async def run() -> list[str]:
        return [(await model.reply(request(number))).text for number in order]

    for texts in both_loops(run):
        assert texts == [str(number) for number in order]


@given(st.permutations(range(4)))
def test_the_ith_candidate_gets_the_ith_reply(order: list[int]) -> None:
    model = ReplayModel({"t": ["0", "1", "2", "3"]}, sequence="independent")

    async def run() -> list[str]:
        return [(await model.reply(request(candidate=number))).text for number in order]

    for texts in both_loops(run):
        assert texts == [str(number) for number in order]


@pytest.mark.anyio
async def test_a_reply_is_given_verbatim() -> None:
    reply = Reply(text="", finish_reason="length", model="m")
    model = ReplayModel({"t": [reply]}, name="recorded", provider="somebody")
    assert await model.reply(request()) is reply
    assert (model.name, model.provider) == ("recorded", "somebody")
    assert repr(model) == "ReplayModel('recorded')"


@pytest.mark.anyio
async def test_it_streams_too() -> None:
    pieces: list[str] = []
    await ReplayModel({"t": ["a text of more than one piece"]}).reply(request(), pieces.append)
    assert "".join(pieces) == "a text of more than one piece"


@pytest.mark.anyio
async def test_what_was_not_recorded_is_refused_and_named() -> None:
    model = ReplayModel({"t": ["1"]}, name="recorded")
    with pytest.raises(RecordingError, match="'recorded' has no task 'other'"):
        await model.reply(replace(REQUEST, task_id="other"))
    with pytest.raises(RecordingError, match="has no task None: give the task its id"):
        await model.reply(replace(REQUEST, task_id=None))
    with pytest.raises(RecordingError, match=r"exhausted: 'recorded' has 1 replies for 't'"):
        await model.reply(request(2))


@pytest.mark.anyio
async def test_a_recorded_loop_is_played_again_and_again() -> None:
    model = ReplayModel({"checks": [answer(1), answer(3), answer(4)]})
    loop = Retry(CodeGenerator(model) >> step(grade) >> Validator(), attempts=3)
    for _ in range(2):
        assert (await loop.run(TASK)).trajectory == (0.25, 0.75, 1.0)


@pytest.mark.anyio
async def test_samples_are_told_apart_though_they_run_at_once() -> None:
    model = ReplayModel({"checks": [answer(n) for n in (2, 0, 3)]}, sequence="independent")

    async def shuffle(task: Task) -> Task:
        await anyio.sleep(0.003 * (2 - task.candidate))
        return task

    samples = BestOf(shuffle >> CodeGenerator(model) >> step(grade) >> Validator(), n=3)
    report: Report = await samples.run(TASK)
    assert report.trajectory == (0.5, 0.0, 0.75)
