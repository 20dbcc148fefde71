"""What cannot be is refused with place and reason; what a newer version wrote is kept."""

import json
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import pytest
from tests.data.test_report import report

from planish import Report, Task
from planish.data import Case, Completed, Execution, Program, PytestFile, Stdio, Usage
from planish.data.attempt import Branch
from planish.data.event import Event
from planish.data.json_document import SCHEMA
from planish.data.trail import ATTEMPT, TrailEntry
from planish.data.verdict import Evidence, Verdict

RUN = replace(
    report(1, 3),
    branches=(Branch(name="a", outcome="won", attempts=(1, 2)),),
    selected=2,
    usage=Usage(model_calls=2),
)


def changed(path: str, value: object, *, schema: int = SCHEMA) -> str:
    """The document of a run with one part changed."""
    document: Any = json.loads(RUN.to_json())
    document["schema"] = schema
    *parents, last = (int(name) if name.isdigit() else name for name in path.split("/"))
    part = document
    for name in parents:
        part = part[name]
    part[last] = value
    return json.dumps(document)


IMPOSSIBLE: list[tuple[str, Any, str]] = [
    ("selected", "2", "selected.*valid integer"),
    ("selected", 2.0, "selected.*valid integer"),
    ("selected", True, "selected.*valid integer"),
    ("selected", 3, "its history has 2 attempts"),
    ("history/0/index", 2, "attempt 1 of 2 has index 2"),
    ("history/1/index", 1, "attempt 2 of 2 has index 1"),
    ("history/1/index", 0, "history.1.*index=0.*at least 1"),
    ("history/0/round", 0, "history.0.*round=0.*at least 1"),
    ("branches/0/attempts", [3], "'a' has the attempts .3,.*history of 2"),
    ("branches/0/attempts", [0], "'a' has the attempts"),
    ("branches/0/attempts", [1, 1], "'a' has the attempts"),
    ("branches/0/attempts", ["1"], "branches.0.attempts.0.*valid integer"),
    ("branches/0/outcome", "paused", "branches.0.outcome"),
    ("history/0/verdict/label", "passed", "history.0.verdict.*ended with 'failed'"),
    ("history/0/verdict/score", 1.5, "history.0.verdict.*finite"),
    ("history/0/verdict/execution/status", "fine", "history.0.verdict.execution.status"),
    ("history/0/verdict/execution/stdout", 5, "stdout.*valid string"),
    ("usage/model_calls", "2", "usage.model_calls.*valid integer"),
    ("usage/usd", "1.0", "usage.usd"),
    ("usage", 5, "usage"),
    ("task/context", "abc", "task.context.*valid tuple"),
    ("trail", [{"kind": "attempt", "record": 3}], "the trail names attempt 3 of 2"),
    ("trail", [{"kind": "attempt", "record": {}}], "trail.0.*index in the history"),
    ("trail", [{"kind": "attempt", "record": True}], "trail.0.*index in the history"),
]


@pytest.mark.parametrize(("path", "value", "reason"), IMPOSSIBLE)
def test_what_no_run_can_give_is_refused_with_its_place(
    path: str, value: object, reason: str
) -> None:
    with pytest.raises(ValueError, match=f"(?s){reason}"):
        Report.from_json(changed(path, value))


def test_a_pass_without_an_attempt_or_of_what_was_not_run_is_refused() -> None:
    verdict = RUN.history[1].verdict
    with pytest.raises(ValueError, match="no attempt to accept"):
        Report(task=RUN.task, acceptance=verdict)
    passed = replace(verdict, label="passed", judge="mine")
    assert Verdict.from_json(passed.to_json()) == passed
    text = passed.to_json().replace('"partial_success"', '"syntax_error"')
    with pytest.raises(ValueError, match="not run: syntax_error"):
        Verdict.from_json(text)
    candidate = replace(verdict.execution.candidate, problem="truncated")
    cut = replace(passed, execution=replace(verdict.execution, candidate=candidate))
    with pytest.raises(ValueError, match="not run: truncated"):
        Verdict.from_json(cut.to_json())


@pytest.mark.parametrize(
    "kwargs",
    [
        *("5", '"5"', '"[1]"', '"{1: 2}"', '"f()"', "[]"),
        '"[]"',
        "\"{'a'}\"",
        "\"('a',)\"",
        "\"'a'\"",
    ],
)
def test_keyword_arguments_of_another_type_are_refused(kwargs: str) -> None:
    text = Case(1, 2, kwargs={"a": 1}).to_json()
    with pytest.raises(ValueError, match=r"Case"):
        Case.from_json(text.replace("\"{'a': 1}\"", kwargs))


@pytest.mark.parametrize("args", ["5", '"5"', '"[1]"', "\"'ab'\"", "[1]"])
def test_arguments_that_are_no_tuple_are_refused(args: str) -> None:
    text = Case(1, 2).to_json()
    with pytest.raises(ValueError, match=r"Case"):
        Case.from_json(text.replace('"(1,)"', args))


HOSTILE: dict[str, tuple[str | bytes, str]] = {
    "a name that stands twice": ('{"model_calls": 1, "model_calls": 2}', "stands twice"),
    "such a name as an entry": ('{"a": {"$items": [["x", 1], ["x", 2]]}}', "stands twice"),
    "deep lists": (f'{{"usd": {"[" * 50_000}{"]" * 50_000}}}', "too deeply"),
    "deep objects": ('{"usd": ' + '{"a": ' * 900 + "1" + "}" * 901, "too deeply"),
    "a long text for a number": (f'{{"usd": "{"1" * 10_000_000}"}}', "usd"),
    "a long number": (f'{{"usd": {"1" * 5_000}}}', "limit"),
    "a place that is no text": ('{"usd": {"$append": [[], 1]}}', "no list before"),
    "no object": ("[1, 2]", "Usage"),
    "bytes": (b"\xff\xfe{", "utf-8"),
    "nothing": ("", "Expecting"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_document_gives_one_kind_of_error(name: str) -> None:
    text, reason = HOSTILE[name]
    with pytest.raises(ValueError, match=reason):
        Usage.from_json(text)


def test_lists_that_grow_cannot_multiply_without_bound() -> None:
    lists = ['"p0": [1]', *(f'"p{n}": {{"$append": ["/p{n - 1}", 1]}}' for n in range(1, 8_000))]
    with pytest.raises(ValueError, match="20 million"):
        Usage.from_json(f"{{{', '.join(lists)}}}")


def test_names_of_python_are_names_like_any_other() -> None:
    text = '{"__class__": "x", "__init__": 1, "__proto__": {"usd": 5}, "_unread": 2, "usd": 1.0}'
    usage = Usage.from_json(text)
    assert usage == Usage(usd=1.0)
    assert type(usage) is Usage
    newer = Usage.from_json(text.replace("{", f'{{"schema": {SCHEMA + 1}, ', 1))
    assert newer == usage
    assert json.loads(newer.to_json())["__proto__"] == {"usd": 5}


def test_what_a_newer_version_wrote_is_kept_by_a_load_and_a_save() -> None:
    document: Any = json.loads(changed("later", {"a": [1, None]}, schema=SCHEMA + 2))
    document["history"][0]["mood"] = "calm"
    document["history"][1]["verdict"]["label"] = "postponed"
    document["history"][1]["verdict"]["execution"]["status"] = "hibernated"
    document["history"][1]["verdict"]["evidence"]["separation"] = "proved"
    document["branches"][0]["outcome"] = "paused"
    loaded = Report.from_json(json.dumps(document))
    again = json.loads(loaded.to_json())
    assert again == document
    assert Report.from_json(loaded.to_json()).to_json() == loaded.to_json()
    # A part that is saved alone keeps the number too: else its words could not be read.
    part = loaded.history[1]
    assert json.loads(part.to_json())["schema"] == SCHEMA + 2
    assert type(part).from_json(part.to_json()) == part
    # An unknown word is a text everywhere, and breaks nothing that shows it.
    assert (part.status.value, part.verdict.label) == ("hibernated", "postponed")
    assert not part.passed
    assert "hibernated" in loaded.summary()
    assert loaded.rows()[1]["status"] == "hibernated"
    assert part.verdict.evidence < Evidence()
    assert loaded.feedback.render()
    assert loaded._repr_html_()  # pyright: ignore[reportPrivateUsage]


def test_unknown_fields_of_this_version_are_ignored() -> None:
    loaded = Report.from_json(changed("later", 1))
    assert loaded == RUN
    assert loaded.to_json() == RUN.to_json()


def test_an_older_document_lacks_every_optional_field() -> None:
    assert Task.from_json('{"requirement": "Do it."}') == Task("Do it.")
    text = '{"candidate": {"task": {"requirement": "Do it."}, "code": ""}, "status": "success"}'
    assert Execution.from_json(text).candidate.task == Task("Do it.")


def test_whole_numbers_stay_whole_in_fields_of_fractions() -> None:
    for usage in (Usage(usd=0), Usage(usd=1, sandbox_seconds=2.0), Usage(usd=10**400)):
        back = Usage.from_json(usage.to_json())
        assert back == usage
        assert back.to_json() == usage.to_json()


def test_what_is_in_memory_only_leaves_no_trace() -> None:
    feedback = RUN.history[1].candidate.task.feedback
    assert feedback is not None
    text = RUN.feedback.to_json()
    assert RUN.feedback.previous_attempts[0].execution is not None
    assert 'execution":null' not in text
    assert type(feedback).from_json(text).to_json() == text


@dataclass(frozen=True, slots=True, kw_only=True)
class Noted(Event):
    kind: ClassVar[str] = "noted"
    text: str
    number: float = 0.0


def test_a_record_of_a_users_own_travels_in_a_trail_with_any_text() -> None:
    noted = Noted(text="a \ud800", number=10**5000)
    assert Noted.from_json(noted.to_json()) == noted
    entry = TrailEntry(kind="noted", record=noted)
    back = TrailEntry.from_json(replace(entry).to_json())
    assert back.record["text"] == noted.text
    assert back.record["number"] == noted.number
    assert back.to_json() == entry.to_json()
    assert ATTEMPT not in entry.to_json()


def test_what_is_left_out_has_its_default() -> None:
    assert Usage.from_json("{}") == Usage()
    assert Completed.from_json('{"exit_code": 0}') == Completed(exit_code=0)
    program = Program.from_json('{"main": "m.py", "files": {"m.py": "eA=="}}')
    assert program == Program(main="m.py", files={"m.py": b"x"})


def test_a_field_that_is_empty_by_default_and_is_empty_is_not_written() -> None:
    document = json.loads(Usage(model_calls=1, usd=-0.0).to_json())
    assert document == {"schema": 1, "model_calls": 1, "usd": -0.0}
    assert str(document["usd"]) == "-0.0"
    one = json.loads(Stdio("1", "2").to_json())
    assert one == {"schema": 1, "stdin": "1", "stdout": "2"}
    written = json.loads(PytestFile("def test(): pass").to_json())
    assert written["filename"] == "test_solution.py"  # a reader need not know this default
    zero = '{"model_calls": 1, "usd": 0.0, "input_tokens": 0}'
    assert Usage.from_json(zero) == Usage(model_calls=1)


@pytest.mark.parametrize("content", [b"", b"\xff\x00", bytes(range(256))])
def test_bytes_that_are_no_text_travel(content: bytes) -> None:
    program = Program(main="m", files={"m": content}, stdin=content)
    assert Program.from_json(program.to_json()) == program
    completed = Completed(exit_code=0, stdout=content, stderr=content, files={"f": content})
    assert Completed.from_json(completed.to_json()) == completed
