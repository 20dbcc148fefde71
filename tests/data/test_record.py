"""Every value is equal to itself after JSON, with any content."""

import json
import sys
import types
from collections.abc import Mapping
from dataclasses import fields
from enum import Enum
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError
from tests.laws.kit import TASK, Tally
from tests.laws.nestings import Spec, specs

from planish import Candidate, Report, Task, Verdict
from planish.arguments import escape_fault
from planish.data import (
    AnyFile,
    Assertions,
    Case,
    Cases,
    Completed,
    Contract,
    CsvFile,
    Execution,
    ImageFile,
    JsonFile,
    Program,
    PytestFile,
    Stdio,
    StdioPairs,
    TextFile,
    TrailEntry,
    Usage,
)
from planish.data.program import ResourceLimits
from planish.data.record import Record
from planish.data.tests import Tolerance
from planish.data.usage import Price

RECORDS = settings(max_examples=25, deadline=None)

TEXT = st.text(max_size=12) | st.text("\ud800\udc00a\x00", max_size=4)  # lone surrogates too
PLAIN: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | TEXT
    | st.binary(max_size=4)
    | st.complex_numbers(allow_nan=False, allow_infinity=False),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(TEXT | st.integers(), inner, max_size=3)
        | st.sets(st.integers() | TEXT, max_size=3)
        | st.frozensets(st.integers(), max_size=3)
    ),
    max_leaves=6,
)
TOLERANCE = st.builds(Tolerance, st.floats(0, 1), st.floats(0, 1))
CASES = st.builds(
    Case,
    PLAIN,
    PLAIN,
    kwargs=st.dictionaries(st.sampled_from(["a", "b"]), PLAIN, max_size=2),
    name=st.none() | TEXT,
    tolerance=st.none() | st.floats(0, 1) | TOLERANCE,
) | st.builds(Case, PLAIN, predicate=st.just("result > 3"))
AMOUNT = st.floats(0, 1e6)  # US dollars
ORIGIN = st.sampled_from(["user", "generated"])
RUN_AS = st.sampled_from(["module", "script"])
STDIO = st.builds(Stdio, TEXT, TEXT, st.none() | TEXT)
TESTS: dict[Any, st.SearchStrategy[Any]] = {
    Assertions: st.builds(Assertions, st.just("assert f()"), run_as=RUN_AS, origin=ORIGIN),
    Cases: st.builds(
        Cases,
        st.lists(CASES, min_size=1, max_size=3).map(tuple),
        origin=ORIGIN,
        tolerance=st.none() | st.floats(0, 1),
        sequences=st.sampled_from(["exact", "any"]),
    ),
    PytestFile: st.builds(
        PytestFile,
        st.just("def test_f():\n    assert f()"),
        origin=ORIGIN,
        files=st.dictionaries(st.sampled_from(["conftest.py", "data/a.txt"]), st.just("x = 1")),
    ),
    StdioPairs: st.builds(
        StdioPairs,
        st.tuples(STDIO),
        origin=ORIGIN,
        compare=st.sampled_from(["exact", "tokens", "lines_any_order"]),
        ignore_case=st.booleans(),
        stop_at_first=st.booleans(),
        seconds=st.none() | st.floats(1, 9),
    )
    | st.builds(StdioPairs, st.tuples(STDIO), compare=st.just("floats"), tolerance=TOLERANCE)
    | st.builds(StdioPairs, st.tuples(STDIO), checker=st.just("def check(a, b, c): return True")),
}

PATHS = st.text("a/.\udc80", min_size=1, max_size=4).filter(lambda path: not escape_fault(path))
FILES = st.dictionaries(PATHS, st.binary(max_size=8), max_size=2)

FILES_OF_TASKS = st.dictionaries(st.sampled_from(["in.csv", "a/b.bin"]), st.binary(max_size=8))
_OUTPUT_FORMATS = st.sampled_from(
    [
        AnyFile(),
        TextFile(),
        JsonFile(fields={"a": "int"}),
        CsvFile(columns={"a": "str"}),
        ImageFile(),
    ]
)
FORMATS: dict[Any, dict[str, st.SearchStrategy[Any]]] = {
    JsonFile: {"fields": st.none() | st.just({"a": "int"})},
    CsvFile: {"columns": st.none() | st.just({"a": "str"}), "rows": st.integers(0, 9)},
    ImageFile: {"formats": st.sampled_from([("png",), ("jpeg", "png")])},
}
CONTRACT_FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "inputs": st.just({}),  # a format of a file that is not there would refuse the task
    "outputs": st.dictionaries(st.sampled_from(["a.png", "b/c.json"]), _OUTPUT_FORMATS),
    "folder": st.sampled_from(["out", "results/today"]),
}
CONTRACTS = st.none() | st.builds(Contract, **CONTRACT_FIELDS)

_MADE: dict[Any, st.SearchStrategy[Any]] = {
    str: TEXT,
    int: st.integers(),
    float: st.floats(allow_nan=False),
    bool: st.booleans(),
    types.NoneType: st.none(),
    Any: st.none() | st.booleans() | TEXT,  # what JSON has, as a schema holds it
    bytes: st.binary(max_size=8),
    ResourceLimits: st.just(ResourceLimits(seconds=2.5)),
    Case: CASES,
    Tolerance: TOLERANCE,
    Price: st.builds(Price, input=AMOUNT, output=AMOUNT, cache_read=st.none() | AMOUNT),
    **TESTS,
}


def of(kind: Any) -> st.SearchStrategy[Any]:
    """Values of a type."""
    if kind not in _MADE:
        _MADE[kind] = st.deferred(lambda: _build(kind))
    return _MADE[kind]


def _build(kind: Any) -> st.SearchStrategy[Any]:
    origin, args = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return st.one_of(*map(of, args))
    if origin is Literal:
        return st.sampled_from(args)
    if origin is tuple:
        return st.lists(of(args[0]), max_size=2).map(tuple)
    if origin is Annotated:  # no class from Python 3.13 on
        return of(bytes) if args[0] is bytes else PLAIN
    if origin is not None and issubclass(origin, Mapping):
        return st.dictionaries(of(args[0]), of(args[1]), max_size=2)
    if issubclass(kind, Enum):
        return st.sampled_from(list(kind))
    made = {name: of(hint) for name, hint in hints_of(kind).items()}
    made |= _valid(kind, made)
    return st.builds(kind, **made)


def _valid(kind: Any, made: Mapping[str, Any]) -> dict[str, st.SearchStrategy[Any]]:
    """Return the fields of a class that do not take every value of their type."""
    if kind is Verdict:
        return {"score": st.none() | st.floats(0, 1), "judge": TEXT.map("a judge {}".format)}
    if kind is Task:
        return {"candidate": st.integers(0, 2**60), "files": FILES_OF_TASKS, "contract": CONTRACTS}
    if kind is Contract:
        return {name: field for name, field in CONTRACT_FIELDS.items() if name in made}
    if kind in FORMATS:
        return FORMATS[kind]
    if kind is Report:
        return {"selected": st.none()}
    if kind is TrailEntry:
        return {"record": of(Any)}
    if kind in (Completed, Execution):
        return {name: FILES for name in ("files", "artifacts") if name in made}
    return {}


def hints_of(kind: Any) -> dict[str, Any]:
    known = get_type_hints(kind, include_extras=True)
    found = {field.name: known[field.name] for field in fields(kind)}
    if kind is Task:
        # What every task must hold, so that it could be judged.
        found |= {"requirement": Literal["Do it."], "entry_point": Literal["f"]}
        found["language"] = Literal["python"]
    return found


def below(kind: type) -> list[type]:
    """All classes that derive from one, as far as they are public."""
    children: list[type] = kind.__subclasses__()
    found = [sub for one in children for sub in (one, *below(one))]
    # A dataclass with slots is made twice; the module knows which one is meant.
    meant = (vars(sys.modules[sub.__module__]).get(sub.__name__) is sub for sub in found)
    return [
        sub for sub, known in zip(found, meant, strict=True) if known and sub.__name__[0] != "_"
    ]


KINDS = sorted(
    (kind for kind in below(Record) if kind.__module__.startswith("planish.")),
    key=lambda kind: kind.__name__,
)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_it_comes_back_equal(kind: Any) -> None:
    @RECORDS
    @given(of(kind))
    def travel(value: Record) -> None:
        text = value.to_json()
        json.loads(text)
        back = type(value).from_json(text)
        assert back == value
        assert type(back) is type(value)
        assert type(value).from_json(value.to_json(indent=2).encode()) == value

    travel()


def test_all_values_are_tried() -> None:
    names = {kind.__name__ for kind in KINDS}
    assert names >= {
        "Attempt",
        "Branch",
        "Candidate",
        "Case",
        "CodeGenerated",
        "Completed",
        "Execution",
        "Feedback",
        "Program",
        "Report",
        "Request",
        "LoopStopped",
        "Task",
        "Verdict",
    }
    assert len(names) == len(KINDS) >= 25


@settings(max_examples=25, deadline=None)
@given(specs(raising=False))
def test_the_report_of_any_run_travels(spec: Spec) -> None:
    report = anyio.run(spec.build(Tally()).run, TASK)
    back = Report.from_json(report.to_json())
    assert back == report
    assert back.best == report.best
    assert back.feedback == report.feedback


def test_what_is_no_such_value_is_refused_and_the_field_named() -> None:
    with pytest.raises(ValidationError, match="model_calls"):
        Usage.from_json('{"model_calls": "many"}')
    with pytest.raises(ValidationError, match="requirement"):
        Task.from_json("{}")
    with pytest.raises(ValidationError, match="requirement is empty"):
        Task.from_json(Task("Do it.").to_json().replace("Do it.", ""))
    with pytest.raises(ValidationError):
        Candidate.from_json("[]")


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
