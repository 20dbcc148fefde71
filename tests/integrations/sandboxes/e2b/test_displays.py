"""What a step shows keeps each of its forms, under that form's media type."""

import base64
import json
from types import SimpleNamespace
from typing import Any

import pytest

from planish_integrations.sandboxes.e2b._answer import Answer
from planish_integrations.sandboxes.e2b._displays import display

FIELDS = (
    *("text", "html", "markdown", "svg", "latex", "javascript", "png", "jpeg", "pdf"),
    *("json", "data", "chart", "extra"),
)
TEXTS = {
    "text": "text/plain",
    "html": "text/html",
    "markdown": "text/markdown",
    "svg": "image/svg+xml",
    "latex": "text/latex",
    "javascript": "application/javascript",
}
PICTURES = {"png": "image/png", "jpeg": "image/jpeg", "pdf": "application/pdf"}
VALUES = {"json": "application/json", "data": "application/vnd.e2b.data+json"}


def result(**fields: Any) -> Any:
    given: dict[str, Any] = {**dict.fromkeys(FIELDS), "is_main_result": False}
    return SimpleNamespace(**(given | fields))


def test_a_result_without_any_form_shows_nothing() -> None:
    assert display(result()).forms == {}
    assert [display(result(is_main_result=main)).main for main in (False, True)] == [False, True]


@pytest.mark.parametrize(("field", "form"), TEXTS.items())
def test_text_is_in_utf_8(field: str, form: str) -> None:
    assert display(result(**{field: "é\ud800"})).forms == {form: "é?".encode()}


@pytest.mark.parametrize(("field", "form"), PICTURES.items())
def test_a_picture_is_bytes(field: str, form: str) -> None:
    data = base64.b64encode(b"\x00\xff").decode()
    assert display(result(**{field: data})).forms == {form: b"\x00\xff"}


@pytest.mark.parametrize(("field", "form"), VALUES.items())
def test_a_value_is_json(field: str, form: str) -> None:
    (found,) = display(result(**{field: {"a": {1}}})).forms.items()
    assert (found[0], json.loads(found[1])) == (form, {"a": "{1}"})


def test_a_chart_and_other_forms_are_kept() -> None:
    chart = SimpleNamespace(to_dict=lambda: {"type": "line"})
    forms = display(result(chart=chart, extra={"x/text": "a", "x/value": [1]})).forms
    assert {name: data.decode() for name, data in forms.items()} == {
        "application/vnd.e2b.chart+json": '{"type": "line"}',
        "x/text": "a",
        "x/value": "[1]",
    }


def test_an_answer_is_read_in_any_pieces() -> None:
    answer = Answer()
    assert (answer.started, answer.result, answer.exit_code) == (False, None, None)
    answer.take(f"noise\n{answer.word} run")
    assert not answer.started
    answer.take(f"ning\nmore {answer.word} ")
    assert (answer.started, answer.result) == (True, None)
    assert answer.heard >= answer.began
    answer.take("done\nlater")
    assert (answer.started, answer.result) == (True, "done")


def test_an_answer_without_the_word_is_none() -> None:
    answer = Answer()
    answer.take(f"{Answer().word} done\n running\n")
    assert (answer.started, answer.result) == (False, None)
    assert answer.heard == answer.began
