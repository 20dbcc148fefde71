"""Code in the reasoning section of a reply is never the answer, whatever marks the section has."""

import re

import pytest
from tests.extraction.samples import CODE, OLD, fence

from planish.extraction import extract
from planish.extraction._reasoning import MARKS

PAIRS = {
    "think": ("<think>", "</think>"),
    "THINK in capitals": ("<THINK>", "</THINK>"),
    "thinking": ("<thinking>", "</thinking>"),
    "thought": ("<thought>", "</thought>"),
    "reasoning": ("<reasoning>", "</reasoning>"),
    "reflection": ("<reflection>", "</reflection>"),
    "Magistral": ("[THINK]", "[/THINK]"),
    "Kimi": ("◁think▷", "◁/think▷"),
    "Seed-OSS": ("<seed:think>", "</seed:think>"),
    "LongCat": ("<longcat_think>", "</longcat_think>"),
    "OpenThoughts": ("<|begin_of_thought|>", "<|end_of_thought|>"),
    "Cohere": ("<|START_THINKING|>", "<|END_THINKING|>"),
    "Gemma 4": ("<|channel>thought\n", "<channel|>"),
    "MedGemma": ("<unused94>thought\n", "<unused95>"),
    "openPangu": ("[unused16]", "[unused17]"),
    "Apertus": ("<|inner_prefix|>", "<|inner_suffix|>"),
    "harmony": (
        "<|channel|>analysis<|message|>",
        "<|end|><|start|>assistant<|channel|>final<|message|>",
    ),
    "harmony, commentary": (
        "<|channel|>commentary<|message|>",
        "<|end|><|start|>assistant<|channel|>final <|constrain|>markdown<|message|>",
    ),
    "Granite": ("Here is my thought process:", "Here is my response:"),
    "harmony without its tokens": ("analysisWe need f.", "assistantfinal"),
}
FORGETTABLE = {"think", "THINK in capitals", "thinking", "thought", "reasoning", "reflection"} | {
    "Seed-OSS",
    "LongCat",
}
HEADLESS = PAIRS.keys() - {"Granite", "harmony without its tokens"}


@pytest.fixture(params=PAIRS, ids=str)
def marks(request: pytest.FixtureRequest) -> tuple[str, str]:
    return PAIRS[request.param]


def test_each_row_of_the_table_has_a_pair_here() -> None:
    for mark in MARKS:
        opened = [o for o, _ in PAIRS.values() if re.match(mark.opening, o + "W", re.IGNORECASE)]
        assert opened, mark
        assert re.fullmatch(r"20\d\d-[01]\d", mark.since)
        assert mark.source


def test_an_answer_that_refuses_has_no_code(marks: tuple[str, str]) -> None:
    opening, closing = marks
    reply = f"{opening}\nMaybe:\n{fence(CODE)}\nBut no.\n{closing}\nI cannot help with that."
    assert extract(reply, entry_point="f").problem == "no_code"
    assert extract(reply).problem == "no_code"


def test_the_answer_is_what_follows(marks: tuple[str, str]) -> None:
    opening, closing = marks
    thought = f"{opening}\nMaybe:\n{fence(OLD)}\nor so.\n{closing}"
    assert extract(f"{thought}\n{fence(CODE)}", entry_point="f").code == CODE
    assert extract(f"{thought}\n{CODE}", entry_point="f").code.strip() == CODE
    assert extract(f"{thought}{CODE}", entry_point="f").code == CODE


def test_a_fence_that_the_thought_never_closes_hides_no_answer(marks: tuple[str, str]) -> None:
    opening, closing = marks
    reply = f"{opening}\nMaybe:\n```python\n{OLD}\nand so on\n{closing}\n{fence(CODE)}"
    assert extract(reply, entry_point="f").code == CODE


@pytest.mark.parametrize("name", sorted(HEADLESS))
def test_an_opening_mark_in_the_prompt_is_no_matter(name: str) -> None:
    reply = f"Maybe:\n{fence(OLD)}\nyes.\n{PAIRS[name][1]}\n{fence(CODE)}"
    assert extract(reply, entry_point="f").code == CODE
    refusal = f"Maybe:\n{fence(OLD)}\nyes.\n{PAIRS[name][1]}\nI will not."
    assert extract(refusal, entry_point="f").problem == "no_code"


@pytest.mark.parametrize("name", sorted(PAIRS.keys() - FORGETTABLE))
def test_a_thought_that_was_cut_off_is_no_answer(name: str) -> None:
    reply = f"{PAIRS[name][0]}\nMaybe:\n{fence(OLD)}\nor"
    assert extract(reply, entry_point="f").problem == "no_code"


@pytest.mark.parametrize(
    "reply",
    [
        f"<|begin_of_solution|>{CODE}<|end_of_solution|>",
        f"<|START_RESPONSE|>{CODE}<|END_RESPONSE|>",
        f"<|channel|>final<|message|>{CODE}<|return|>",
        f"{CODE}<|im_end|>\n",
    ],
)
def test_marks_of_the_answer_are_no_code(reply: str) -> None:
    assert extract(reply, entry_point="f").code.strip() == CODE


@pytest.mark.parametrize("mark", [mark for pair in PAIRS.values() for mark in pair])
def test_marks_in_the_code_stay(mark: str) -> None:
    code = f'MARK = """\n{mark}\n"""\n\n{CODE}'
    assert extract(fence(code), entry_point="f").code == code
