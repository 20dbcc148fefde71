"""A document holds each repeated part once; versions are read; what cannot be is refused."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.data.test_report import report

from planish.data import Completed, Execution, Program, Report, Usage
from planish.data.events import BranchEnded
from planish.data.json_document import SCHEMA, write_document
from planish.data.json_reading import read_document
from planish.data.message import Request

PAIR = "\ud83d" + "\ude00"  # two code points, which JSON's escapes would join into one
X = "\udc00\ud800"
NAMES = st.text(max_size=3) | st.sampled_from(["$ref", "$items", "$float", "a/b", "~", PAIR])
LONG = st.text("ab\ud800\udc00", min_size=90, max_size=95) | st.sampled_from([X * 80, X * 200])
TREES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | NAMES | LONG,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=20,
)


def exact(tree: Any) -> str:
    """Return a text that differs for 1, True and 1.0, and for the order of names."""
    return repr(tree)


@given(TREES, TREES, st.integers(1, 20))
def test_any_tree_is_read_as_it_was_written(one: Any, two: Any, size: int) -> None:
    growing = [["y" * 50, two, "z" * 50][: n % 4] + ["x" * 40] * n for n in range(size)]
    tree = {"first": one, "again": [one, two, one], "deep": {"x": {"y": [two]}}, "growing": growing}
    text = write_document(tree)
    assert exact(read_document(text)) == exact(tree)
    assert exact(read_document(write_document(tree, indent=1).encode())) == exact(tree)


@pytest.mark.parametrize(
    ("value", "form"),
    [
        (float("inf"), {"$float": "inf"}),
        (-float("inf"), {"$float": "-inf"}),
        (10**5000, {"$int": hex(10**5000)}),
        (PAIR, {"$text": ["\ud83d", "\ude00"]}),
        ({"$ref": "/x"}, {"$items": [["$ref", "/x"]]}),
        ("\udc80", "\udc80"),
    ],
    ids=["inf", "-inf", "a long number", "two surrogates", "a name that is a mark", "a surrogate"],
)
def test_what_json_has_no_form_for_is_written_and_read(value: Any, form: Any) -> None:
    text = write_document([value])
    text.encode()  # a file can take it
    assert json.loads(text) == [form]
    assert read_document(text) == [value]


def test_nan_stays_nan() -> None:
    usage = Usage.from_json(Usage(usd=float("nan"), sandbox_seconds=float("inf")).to_json())
    assert usage.usd != usage.usd  # as only NaN
    assert usage.sandbox_seconds == float("inf")


def test_a_repeated_part_stands_once_and_is_found_by_its_pointer() -> None:
    long = {"a/b": "x" * 100, "n": [1, 2]}
    document = json.loads(write_document({"one": long, "two": [long], "three": "x" * 100}))
    assert document["two"] == [{"$ref": "/one"}]
    assert document["three"] == {"$ref": "/one/a~1b"}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"a": {"$ref": "/b"}, "b": 1}', "nowhere before"),
        ('{"a": {"$ref": "/a"}}', "nowhere before"),
        ('{"a": {"$ref": ""}}', "nowhere before"),
        ('{"a": {"$float": "one"}}', "no number"),
        ('{"a": {"$int": "0xg"}}', "no number"),
        ('{"a": {"$items": [["b"]]}}', "no name"),
        ('{"a": {"$append": ["/b", 1]}}', "no list before"),
        ('{"b": "text", "a": {"$append": ["/b", 1]}}', "no list before"),
        ("[" * 100_000, "nested too deeply"),
        ("{", "Expecting"),
    ],
)
def test_a_broken_document_is_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        read_document(text)


def test_references_cannot_multiply_without_bound() -> None:
    parts = ['"p0": [0,0,0,0,0,0,0,0,0,0]']
    for number in range(1, 12):
        references = ",".join([f'{{"$ref": "/p{number - 1}"}}'] * 10)
        parts.append(f'"p{number}": [{references}]')
    with pytest.raises(ValueError, match="20 million"):
        read_document(f"{{{', '.join(parts)}}}")


def test_texts_cannot_multiply_without_bound() -> None:
    parts = ['"p0": "0123456789"']
    for number in range(1, 12):
        references = ",".join([f'{{"$ref": "/p{number - 1}"}}'] * 10)
        parts.append(f'"p{number}": {{"$text": [{references}]}}')
    with pytest.raises(ValueError, match="256 million"):
        read_document(f"{{{', '.join(parts)}}}")


def test_a_text_inside_another_stands_once() -> None:
    code = "def f():\n" + "    pass\n" * 20
    reply, prompt = f"```\n{code}```", f"Mend this:\n{code}\nand this:\n{code}"
    text = write_document([code, reply, prompt, PAIR + code])
    assert text.count("def f") == 1
    assert read_document(text) == [code, reply, prompt, PAIR + code]


def test_a_document_says_its_schema_first() -> None:
    assert report(4).to_json().startswith(f'{{"schema":{SCHEMA},')
    request = Request(messages=(), schema={"type": "object"})
    assert Request.from_json(request.to_json()) == request  # which has a field of this name


def test_a_document_without_a_number_or_with_unknown_fields_is_read() -> None:
    document = json.loads(Usage(model_calls=2).to_json())
    del document["schema"]
    assert Usage.from_json(json.dumps({**document, "later": [1]})) == Usage(model_calls=2)


def test_unknown_words_are_kept_in_a_newer_document_and_refused_in_this_form() -> None:
    text = BranchEnded(name="a", outcome="won").to_json().replace('"won"', '"paused"')
    with pytest.raises(ValueError, match="outcome"):
        BranchEnded.from_json(text)
    newer = text.replace(f'"schema":{SCHEMA}', f'"schema":{SCHEMA + 1}')
    event = BranchEnded.from_json(newer)
    assert str(event.outcome) == "paused"
    assert BranchEnded.from_json(event.to_json().replace("paused", "won")).outcome == "won"
    with pytest.raises(ValueError, match="name"):
        BranchEnded.from_json(newer.replace('"a"', "3"))


@pytest.mark.parametrize("schema", ["0", "-1", "1.5", '"1"', "true", "null", "[]"])
def test_a_schema_that_is_no_number_is_refused(schema: str) -> None:
    with pytest.raises(ValueError, match="schema"):
        Usage.from_json(f'{{"schema": {schema}}}')


@pytest.mark.parametrize("selected", [0, -1, 3, 99])
def test_an_attempt_that_is_not_in_the_history_cannot_be_selected(selected: int) -> None:
    with pytest.raises(ValueError, match=r"selected.*history has 2"):
        replace(report(1, 2), selected=selected)
    text = replace(report(1, 2), selected=2).to_json()
    with pytest.raises(ValueError, match="selected"):
        Report.from_json(text.replace('"selected":2', f'"selected":{selected}'))


@pytest.mark.parametrize("name", ["../x", "/etc/passwd", "a/../../b", "", "a\0b"])
def test_a_path_that_leads_out_is_refused_where_files_came_back(name: str) -> None:
    text = Completed(exit_code=0, artifacts={"plot.png": b"x"}).to_json()
    with pytest.raises(ValueError, match="artifacts"):
        Completed.from_json(text.replace('"plot.png"', json.dumps(name)))
    execution = report(1).history[0].execution
    text = replace(execution, artifacts={"plot.png": b"x"}).to_json()
    with pytest.raises(ValueError, match="artifacts"):
        Execution.from_json(text.replace('"plot.png"', json.dumps(name)))


def test_a_pass_of_the_tests_with_a_failed_test_is_refused() -> None:
    text = report(3).to_json()
    assert '"label":"failed"' in text
    with pytest.raises(ValueError, match="ended with"):
        Report.from_json(text.replace('"label":"failed"', '"label":"passed"'))


def test_broken_base64_is_refused() -> None:
    with pytest.raises(ValueError, match="files"):
        Program.from_json('{"main": "m", "files": {"m": "e"}}')
