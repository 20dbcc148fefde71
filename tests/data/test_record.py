"""Every value is equal to itself after JSON, with any content."""

import json
import sys
import types
from collections.abc import Mapping
from dataclasses import fields, replace
from enum import Enum
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError
from tests.data.contracts import CONTRACT_FIELDS, CONTRACTS, FORMATS
from tests.laws.kit import TASK, Tally
from tests.laws.nestings import Spec, specs

from planish import Candidate, Report, Task, Verdict
from planish.arguments import escape_fault
from planish.data import (
    Assertions,
    Attempt,
    Case,
    Cases,
    Completed,
    Contract,
    Execution,
    PytestFile,
    Stdio,
    StdioPairs,
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
        st.just("from solution import f\ndef test_f():\n    assert f()"),
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
_MADE: dict[Any, st.SearchStrategy[Any]] = {
    str: TEXT,
    int: st.integers() | st.sampled_from([10**5000, -(10**4400)]),  # longer than decimals may be
    float: st.floats() | st.integers(-9, 9),
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
    return st.builds(_POSSIBLE.get(kind, kind), **made)


def _possible_report(**made: Any) -> Report:
    """A report whose attempts are numbered, and whose branches have the first of them."""
    last = len(made["history"])
    history = tuple(replace(one, index=n) for n, one in enumerate(made["history"], start=1))
    branches = tuple(replace(one, attempts=(1, 2)[:last]) for one in made["branches"])
    if not history:
        made["acceptance"] = None
    fields: Any = {**made, "history": history, "branches": branches}
    return Report(**fields)


def _possible_verdict(**made: Any) -> Verdict:
    """A verdict that does not pass what was not run."""
    execution = made["execution"]
    ran = execution.candidate.problem is None and execution.status == "success"
    fields: Any = made if ran else {**made, "label": "failed"}
    return Verdict(**fields)


_POSSIBLE: dict[Any, Any] = {Report: _possible_report, Verdict: _possible_verdict}


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
    if kind is Attempt:
        return {"index": st.just(1), "round": st.integers(1)}
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
        found |= {"language": Literal["python"], "preamble": Literal["", "import math"]}
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
        assert type(back) is type(value)
        assert back.to_json() == text
        indented = type(value).from_json(value.to_json(indent=2).encode())
        assert indented.to_json() == text
        if '{"$float":"nan"}' not in text:  # which equals nothing
            assert back == value == indented

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
    assert back.to_json() == report.to_json()
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
