"""Values of another type are refused where they are written, and the message says what to write."""

from collections.abc import Callable
from typing import Any

import pytest

from planish import Candidate, Task
from planish.data import Assertions, Case, Cases, PytestFile, Stdio, StdioPairs
from planish.data.language import LANGUAGES
from planish.errors import TaskError

TEST = "def test_one():\n    assert 1"
WRONG: list[tuple[Callable[..., Any], dict[str, Any], str]] = [
    (Task, {"requirement": b"Do it."}, "Task(requirement=b'Do it.'): must be a text, not bytes"),
    (Task, {"requirement": None}, "Task(requirement=None): must be a text, not NoneType"),
    (Task, {"preamble": None}, "Task(preamble=None): must be a text"),
    (Task, {"entry_point": b"f"}, "Task(entry_point=b'f'): must be a text, not bytes; decode it"),
    (Task, {"entry_point": "class"}, "entry_point='class' names nothing that can be called: give"),
    (Task, {"entry_point": "Solution.def"}, "entry_point='Solution.def' names nothing that can"),
    (Task, {"entry_point": "my function"}, "entry_point='my function' names nothing that can be"),
    (Candidate, {"problem": 5}, "Candidate(problem=5): must be a text, not int"),
    (Candidate, {"path": b"a.py"}, "Candidate(path=b'a.py'): must be a text, not bytes"),
    (Candidate, {"goal": None}, "Candidate(goal=None): must be a text, not NoneType"),
    (Candidate, {"reply": "code"}, "Candidate(reply='code'): must be a Reply"),
    (Candidate, {"request": "ask"}, "Candidate(request='ask'): must be a Request"),
    (Candidate, {"refusals": ("no",)}, "each must be an Issue; for texts, call candidate.refuse("),
    (Task, {"id": 3}, "Task(id=3): must be a text, not int"),
    (Task, {"context": [1]}, "Task(context=[...]; an item=1): must be a text, not int"),
    (Task, {"context": b"plan"}, "Task(context=b'plan'): give a list of texts"),
    (Task, {"constraints": None}, "Task(constraints=None): give a list of texts"),
    (Task, {"feedback": "wrong"}, "call task.with_feedback(text)"),
    (Task, {"candidate": -1}, "Task(candidate=-1): must be at least 0, a whole number"),
    (Task, {"candidate": True}, "Task(candidate=True): must be at least 0, a whole number"),
    (Task, {"tests": 3}, "Task(tests=3): tests are assertion code, a list of asserts"),
    (Task, {"tests": b"assert f()"}, "Task(tests=b'assert f()'): tests are assertion code"),
    (Task, {"tests": {"a": 1}}, "Task(tests={'a': 1}): tests are assertion code"),
    (Task, {"tests": [(1, 2, 3)]}, "not (1, 2, 3); several arguments are a tuple: ((1, 2), 3)"),
    (Task, {"tests": [(1,)]}, "a case is a pair (args, expected) or a Case, not (1,)"),
    (Task, {"tests": [1, 2]}, "a case is a pair (args, expected) or a Case, not 1"),
    (Assertions, {"code": None}, "Assertions(code=None): must be a text"),
    (Assertions, {"code": b"assert f()"}, "must be a text, not bytes; decode it first"),
    (
        Assertions,
        {"code": "assert f()", "run_as": "exec"},
        "Assertions(run_as='exec'): must be one of 'module', 'script'",
    ),
    (
        Assertions,
        {"code": "assert f()", "origin": "model"},
        "Assertions(origin='model'): must be one of 'user', 'generated'",
    ),
    (PytestFile, {"source": None}, "PytestFile(source=None): must be a text"),
    (PytestFile, {"filename": None}, "PytestFile(filename=None): must be a text"),
    (PytestFile, {"module": b"m"}, "PytestFile(module=b'm'): must be a text"),
    (PytestFile, {"origin": None}, "PytestFile(origin=None): must be one of"),
    (PytestFile, {"files": ["a.py"]}, "give a dict of texts by path"),
    (
        PytestFile,
        {"files": {"a.txt": b"x"}},
        "files={'a.txt': ...}; the text=b'x'): must be a text",
    ),
    (PytestFile, {"files": {1: "x"}}, "files={...}; a path=1): must be a text"),
    (PytestFile, {"plugins": (1,)}, "PytestFile(plugins=(1,)): must be a tuple of texts"),
    (Case, {"args": 1, "predicate": 1}, "Case(predicate=1): must be a text"),
    (Case, {"args": 1, "expected": 1, "name": b"n"}, "Case(name=b'n'): must be a text"),
    (Case, {"args": 1, "expected": 1, "kwargs": ["a"]}, "must be a dict of keyword arguments"),
    (Case, {"args": 1, "expected": 1, "kwargs": {1: 2}}, "kwargs={...}; a name=1): must be a text"),
    (Cases, {"cases": ((1, 2),)}, "for pairs of arguments and expected result, call Cases.of"),
    (Cases, {"cases": [Case(1, 2)]}, "must be a tuple of Case"),
    (Cases, {"cases": (Case(1, 2),), "origin": "x"}, "must be one of 'user', 'generated'"),
    (Cases, {"cases": (Case(1, 2),), "sequences": 1}, "must be one of 'exact', 'any'"),
    (Cases.of, {"rows": [(1, 2, 3)]}, "a case is a pair (args, expected) or a Case, not (1, 2, 3)"),
    (Cases.of, {"rows": ["ab"]}, "a case is a pair (args, expected) or a Case, not 'ab'"),
    (Stdio, {"stdin": None, "stdout": ""}, "Stdio(stdin=None): must be a text"),
    (Stdio, {"stdin": "", "stdout": b""}, "Stdio(stdout=b''): must be a text, not bytes"),
    (Stdio, {"stdin": "", "stdout": "", "name": 1}, "Stdio(name=1): must be a text"),
    (StdioPairs, {"pairs": [("a",)]}, "pair 0 is ('a',): a pair is (stdin, stdout)"),
    (StdioPairs, {"pairs": [("a", "b"), ("a", "b", "c")]}, "pair 1 is ('a', 'b', 'c'): a pair is"),
    (StdioPairs, {"pairs": ["ab"]}, "pair 0 is 'ab': a pair is (stdin, stdout)"),
    (StdioPairs, {"pairs": "ab"}, "StdioPairs('ab'): give a list of (stdin, stdout) pairs"),
    (StdioPairs, {"pairs": None}, "StdioPairs(None): give a list of (stdin, stdout) pairs"),
    (StdioPairs, {"pairs": [("a", None)]}, "Stdio(stdout=None): must be a text"),
    (StdioPairs, {"pairs": [(b"a", "b")]}, "Stdio(stdin=b'a'): must be a text, not bytes"),
    (StdioPairs, {"origin": 1}, "StdioPairs(origin=1): must be one of 'user', 'generated'"),
    (StdioPairs, {"compare": "words"}, "must be one of 'exact', 'tokens', 'floats'"),
    (StdioPairs, {"seconds": "2"}, "StdioPairs(seconds='2'): must be more than 0 and finite"),
    (StdioPairs, {"seconds_each": True}, "must be more than 0 and finite"),
    (StdioPairs, {"checker": 1}, "StdioPairs(checker=1): must be a text"),
]
NEEDED: dict[Any, dict[str, Any]] = {
    Task: {"requirement": "Do it.", "entry_point": "f"},
    PytestFile: {"source": TEST},
    StdioPairs: {"pairs": [("a", "b")]},
    Candidate: {"task": Task("Do it."), "code": "x = 1"},
}


@pytest.mark.parametrize(("make", "fields", "says"), WRONG)
def test_values_of_another_type_are_refused(
    make: Callable[..., Any], fields: dict[str, Any], says: str
) -> None:
    arguments = {**NEEDED.get(make, {}), **fields}
    with pytest.raises(TaskError) as caught:
        make(**arguments)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("language", "name"),
    [
        ("js", "javascript"),
        ("Python", "python"),
        (" python", "python"),
        ("py", "python"),
        ("C++", "cpp"),
        ("golang", "go"),
        ("Shell", "sh"),
        ("node", "javascript"),
    ],
)
def test_another_name_of_a_language_is_refused_with_its_name(language: str, name: str) -> None:
    with pytest.raises(TaskError) as caught:
        Task("Do it.", language=language)
    assert f"Task(language={language!r}): write {name!r}" in str(caught.value)
    assert ", ".join(LANGUAGES) in str(caught.value)


@pytest.mark.parametrize("language", ["", " ", "my lang", "Upper", None, b"python", 3])
def test_what_names_no_language_is_refused(language: Any) -> None:
    with pytest.raises(TaskError, match=r"Task\(language="):
        Task("Do it.", language=language)


@pytest.mark.parametrize("language", [*LANGUAGES, "klingon", "python-3.12"])
def test_known_languages_and_those_of_a_sandbox_are_accepted(language: str) -> None:
    task = Task("Do it.", language=language)
    assert Task.from_json(task.to_json()) == task


def test_pairs_and_cases_may_be_lists() -> None:
    assert Cases.of([[1, 2]]) == Cases.of([(1, 2)])  # type: ignore[list-item]  # pyright: ignore[reportArgumentType]
    assert StdioPairs([["a", "b"]]) == StdioPairs([("a", "b")])  # type: ignore[list-item]  # pyright: ignore[reportArgumentType]


def test_feedback_must_be_feedback_or_a_text() -> None:
    with pytest.raises(TaskError, match=r"with_feedback\(None\): must be a Feedback or a text"):
        Task("Do it.").with_feedback(None)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
