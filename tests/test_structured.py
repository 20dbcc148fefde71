"""Structured output: valid replies, one correction, schemas, and the budget of both requests."""

import json
from dataclasses import dataclass, field
from typing import Any

import pytest
from pydantic import BaseModel, Field

from planish import budget, structured
from planish.data import Message, Reply, Request, Usage
from planish.errors import BudgetExceededError, ModelError
from planish.structured import ask_for, schema_of
from planish.testing.scripted import ScriptedModel

REQUEST = Request(messages=(Message("user", "What is needed?"),), temperature=0.0)


class Package(BaseModel):
    name: str
    pinned: bool = False


class Plan(BaseModel):
    """What to do."""

    steps: list[str]
    packages: list[Package] = Field(default_factory=list[Package])
    default: int | None = None


GOOD = '{"steps": ["a", "b"], "packages": [{"name": "yaml", "pinned": true}], "default": null}'
PLAN = Plan(steps=["a", "b"], packages=[Package(name="yaml", pinned=True)])
WRONG = '{"steps": "a"}'


@pytest.mark.anyio
@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"\n {GOOD}\n",
        f"```json\n{GOOD}\n```",
        f"First:\n```json\n{WRONG}\n```\nBetter:\n```json\n{GOOD}\n```",
        f"Here it is: {GOOD} - as you wished.",
        f"({GOOD})",
        f"<think>First {WRONG}, or rather {{}}.</think>{GOOD}",
        f"<think>\n```json\n{WRONG}\n```\n</think>\n```json\n{GOOD}\n```",
        f"With {{placeholders}} in the text: {GOOD} and {{more}} of them.",
        f"A draft: {WRONG}. The answer: {GOOD}",
        f"```\n{GOOD}\n```\nThat is all.",
    ],
)
async def test_a_good_answer_is_the_value_at_once(text: str) -> None:
    model = ScriptedModel([text])
    assert await ask_for(model, REQUEST, Plan) == PLAN


@pytest.mark.anyio
async def test_the_model_is_told_the_schema_in_words_and_in_the_request() -> None:
    model = ScriptedModel([GOOD])
    await ask_for(model, REQUEST, Plan)
    request = model.requests[0]
    assert request.messages[0] == REQUEST.messages[0]
    assert '"steps"' in request.messages[-1].content
    assert request.schema == schema_of(Plan)
    assert request.temperature == 0.0


@pytest.mark.anyio
@pytest.mark.parametrize("wrong", [WRONG, "I cannot say.", "", "[1, 2]", '{"steps": ['])
async def test_a_wrong_answer_is_shown_back_once(wrong: str) -> None:
    model = ScriptedModel([wrong, GOOD])
    assert await ask_for(model, REQUEST, Plan) == PLAN
    first, second = model.requests
    assert second.messages[: len(first.messages)] == first.messages
    assert [m.role for m in second.messages[-2:]] == ["assistant", "user"]
    assert second.messages[-2].content == (wrong or "(nothing)")
    assert "does not fit" in second.messages[-1].content


@pytest.mark.anyio
async def test_the_error_names_the_field() -> None:
    model = ScriptedModel([WRONG, GOOD])
    await ask_for(model, REQUEST, Plan)
    assert "steps: Input should be a valid array" in model.requests[1].messages[-1].content


@pytest.mark.anyio
async def test_two_wrong_answers_are_a_model_error_and_there_is_no_third_request() -> None:
    model = ScriptedModel([WRONG, WRONG])
    with pytest.raises(ModelError, match="not a valid Plan: steps: Input should be a valid array"):
        await ask_for(model, REQUEST, Plan)


@pytest.mark.anyio
async def test_an_answer_that_was_cut_off_is_told_so() -> None:
    model = ScriptedModel([Reply(text='{"steps": ["a', finish_reason="length"), GOOD])
    assert await ask_for(model, REQUEST, Plan) == PLAN
    assert "cut off" in model.requests[1].messages[-1].content


@pytest.mark.anyio
async def test_an_answer_a_filter_stopped_is_not_asked_for_again() -> None:
    model = ScriptedModel([Reply(text="", finish_reason="content_filter")])
    with pytest.raises(ModelError, match="filter"):
        await ask_for(model, REQUEST, Plan)


@pytest.mark.anyio
async def test_both_rounds_are_paid_for() -> None:
    used = Usage(input_tokens=30, output_tokens=10)
    model = ScriptedModel([Reply(text=WRONG, usage=used), Reply(text=GOOD, usage=used)])
    async with budget(tokens=100_000) as allowance:
        await ask_for(model, REQUEST, Plan)
    assert (allowance.spent.tokens, allowance.spent.model_calls) == (80, 2)


@pytest.mark.anyio
async def test_a_budget_for_one_call_stops_the_repair() -> None:
    model = ScriptedModel([WRONG])
    with pytest.raises(BudgetExceededError):
        async with budget(model_calls=1):
            await ask_for(model, REQUEST, Plan)


@pytest.mark.anyio
async def test_any_type_will_do() -> None:
    assert await ask_for(ScriptedModel(["[1, 2]"]), REQUEST, list[int]) == [1, 2]

    @dataclass
    class Point:
        x: int
        y: int = field(default=0)

    assert await ask_for(ScriptedModel(['{"x": 1, "y": 2}']), REQUEST, Point) == Point(1, 2)


def test_a_schema_is_closed_all_the_way_down_and_keeps_its_names() -> None:
    schema: dict[str, Any] = schema_of(Plan)
    assert schema["required"] == ["steps", "packages", "default"]
    assert schema["additionalProperties"] is False
    assert "default" in schema["properties"]  # a field of that name
    assert "default" not in schema["properties"]["default"]
    inner = schema["$defs"]["Package"]
    assert (inner["required"], inner["additionalProperties"]) == (["name", "pinned"], False)


def test_an_object_of_unknown_keys_stays_open() -> None:
    class Counts(BaseModel):
        by_name: dict[str, int]

    assert schema_of(Counts)["properties"]["by_name"]["additionalProperties"] == {"type": "integer"}


@pytest.mark.anyio
async def test_a_list_is_found_in_prose() -> None:
    assert await ask_for(ScriptedModel(["Here [as asked]: [1, 2]."]), REQUEST, list[int]) == [1, 2]


HOSTILE = ["{" * 50_000, "[" * 50_000, '{"a": [1, ' * 20_000, "[1," * 50_000, "{}[" * 50_000]


@pytest.mark.parametrize("text", HOSTILE)
def test_values_are_looked_for_at_few_places_of_a_hostile_reply(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Counting(json.JSONDecoder):
        calls = 0

        def raw_decode(self, s: str, idx: int = 0) -> tuple[Any, int]:
            self.calls += 1
            return super().raw_decode(s, idx)

    decoder = Counting(strict=False)
    monkeypatch.setattr(structured, "_DECODER", decoder)
    assert len(structured.find_values(text)) <= 20
    assert 0 < decoder.calls <= 200
