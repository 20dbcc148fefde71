"""Records are frozen, built by keywords, and default to what their docstrings say."""

import inspect
import pkgutil
import re
from collections.abc import Iterator
from dataclasses import MISSING, FrozenInstanceError, fields, replace
from importlib import import_module
from typing import Any

import pytest

import planish.data
from planish.data.contract import AnyFile
from planish.data.events import Event
from planish.data.feedback import Feedback
from planish.data.files import NO_FILES
from planish.data.program import ResourceLimits
from planish.data.status import Status
from planish.data.usage import Price, Usage
from planish.data.verdict import Evidence

NONE = dict.fromkeys
LOOP = {
    "path": (),
    "attempt": 0,
    "run_id": "",
    "time": 0.0,
    **NONE(("trace_id", "span_id")),
}
TEST = {
    **NONE(("test", "expected", "actual", "kind", "place", "line")),
    **NONE(("exception", "signature", "call", "diff"), ""),
    "bases": (),
}
DEFAULTS: dict[str, dict[str, Any]] = {
    "AnyFile": {"format": "any", "optional": False},
    "Assertions": {"run_as": "module", "origin": "user"},
    "Attempt": {
        "usage": Usage(),
        "path": (),
        "round": 1,
        "cause": "first",
        "started": None,
        "seconds": 0.0,
    },
    "AttemptStarted": {**LOOP, "maximum": None},
    "Branch": {
        "attempts": (),
        "error": None,
        "usage": Usage(),
        "path": (),
        "started": None,
        "seconds": 0.0,
    },
    "BranchEnded": LOOP,
    "Candidate": {
        **NONE(("problem", "reply", "request", "path")),
        **NONE(("findings", "refusals", "assumptions", "packages", "system_packages"), ()),
        "files": {},
        "goal": "",
    },
    "CandidateJudged": LOOP,
    "Case": {"expected": ..., "kwargs": {}, **NONE(("predicate", "name", "tolerance"))},
    "Cases": {"origin": "user", "tolerance": None, "sequences": "exact"},
    "Check": {"asserts": ()},
    "CodeExecuted": LOOP,
    "CodeGenerated": LOOP,
    "Completed": {
        **NONE(("signal", "limit", "cpu_seconds", "results", "sandbox_id")),
        **NONE(("stdout", "stderr"), b""),
        **NONE(("files", "artifacts"), {}),
        **NONE(("displays", "findings", "guarantees", "installed"), ()),
        "duration": 0.0,
        "isolation": "none",
    },
    "Contract": {"inputs": {}, "outputs": {}, "folder": "out", "arguments": {}},
    "CsvFile": {"format": "csv", "columns": None, "rows": 1, "optional": False},
    "Display": {"main": False},
    "EarlierCode": {"summary": ""},
    "Event": LOOP,
    "Evidence": {"origin": "none", "separation": "none"},
    "Execution": {
        **NONE(("failure", "exit_code", "signal", "limit", "repeats", "sandbox", "isolation")),
        **NONE(("stdout", "stderr", "key"), ""),
        **NONE(("tests", "guarantees", "displays", "findings", "weakened_by", "packages"), ()),
        "lacks": (),
        "artifacts": {},
        "duration": 0.0,
        "runs": 0,
        "separation": "none",
    },
    "Failure": {
        "traceback": "",
        "line": None,
        "offset": None,
        "text": "",
        "bases": (),
        "loading": False,
    },
    "Feedback": {
        **NONE(("text", "error", "traceback", "stdout", "previous_code"), ""),
        **NONE(("issues", "previous_attempts", "earlier", "older"), ()),
        **NONE(("status", "score", "repeats", "temperature")),
        "described": 0,
        "previous_files": {},
        "attempt": 0,
        "source": "execution",
    },
    "Finding": {"severity": "error", "fix": "", **TEST},
    "History": {"stop_reason": "judged", "branches": (), "usage": Usage(), "selected": None},
    "Folder": {"format": "folder", "of": AnyFile(), "least": 1, "optional": False},
    "ImageFile": {
        "format": "image",
        "formats": ("png", "jpeg", "gif", "webp"),
        "optional": False,
    },
    "Issue": {"fix": "", **TEST},
    "JsonFile": {"format": "json", "fields": None, "optional": False},
    "LoopStopped": LOOP,
    "Message": {},
    "ModelCallEnded": {**LOOP, "reply": None, "error": None},
    "ModelCallStarted": LOOP,
    "PreviousAttempt": {"summary": "", "judge_raised": False, "execution": None},
    "Price": NONE(("cache_read", "cache_write")),
    "Program": {
        "language": "python",
        "args": (),
        "stdin": b"",
        "env": {},
        "collect": (),
        "outputs": None,
        "results": False,
        "limits": ResourceLimits(),
        **NONE(("packages", "system_packages"), ()),
    },
    "PytestFile": {
        "filename": "test_solution.py",
        "module": "solution",
        "origin": "user",
        "files": {},
        "plugins": (),
    },
    "Reply": {
        **NONE(("model", "id", "provider_finish_reason", "request_id")),
        "finish_reason": "stop",
        "usage": Usage(),
        "failed_usage": Usage(),
        "reasoning": "",
        "resends": 0,
    },
    "Report": {
        "history": (),
        "stop_reason": "judged",
        "branches": (),
        "usage": Usage(),
        "selected": None,
        "acceptance": None,
        "trail": (),
    },
    "Request": {
        **NONE(("temperature", "max_tokens", "seed", "schema", "task_id")),
        "stop": (),
        "attempt": 1,
        "candidate": 0,
    },
    "ResourceLimits": {
        "seconds": 30.0,
        "memory_mb": 2048,
        "output_bytes": 1_000_000,
        "file_bytes": 64 * 1024 * 1024,
        "processes": 64,
        "disk_mb": 256,
        "files": 10_000,
    },
    "RunEnded": {**LOOP, "error": None},
    "RunStarted": LOOP,
    "SandboxChanged": {**LOOP, "duration": None},
    "SandboxRunEnded": {
        **LOOP,
        **NONE(("sandbox_id", "seconds", "exit_code", "limit", "error")),
    },
    "SandboxRunStarted": LOOP,
    "Stdio": {"name": None},
    "StdioPairs": {},
    "Task": {
        **NONE(("tests", "entry_point", "id", "feedback", "accept", "contract")),
        **NONE(("context", "constraints"), ()),
        "preamble": "",
        "language": "python",
        "candidate": 0,
        "files": NO_FILES,
    },
    "TestResult": {
        **NONE(("expected", "actual", "line", "duration", "place", "solution_line")),
        **NONE(("message", "exception", "source"), ""),
        "bases": (),
    },
    "TextFile": {"format": "text", "optional": False},
    "ValueFile": {"format": "value", "optional": False},
    "TokensReceived": LOOP,
    "Tolerance": {"absolute": 0.0, "relative": 0.0},
    "TrailEntry": {"path": (), "time": 0.0},
    "Usage": {field.name: 0 for field in fields(Usage)},
    "Variable": {"shape": None, "preview": ""},
    "Verdict": {"score": None, "findings": (), "judge": "tests", "evidence": Evidence()},
}
# What is written by hand often: its first fields may be given by position.
BY_POSITION = {
    *("Assertions", "Case", "Cases", "Check", "Message", "PytestFile", "Stdio", "StdioPairs"),
    *("Task", "Tolerance"),
}


def _records() -> Iterator[type[Any]]:
    for module in pkgutil.walk_packages(planish.data.__path__, "planish.data."):
        found = import_module(module.name)
        for name, kind in vars(found).items():
            own = inspect.isclass(kind) and kind.__module__ == module.name
            if own and hasattr(kind, "__dataclass_fields__") and not name.startswith("_"):
                yield kind


RECORDS = {kind.__name__: kind for kind in _records()}


def _default(field: Any) -> object:
    return field.default if field.default_factory is MISSING else field.default_factory()


def test_every_record_is_listed() -> None:
    assert sorted(RECORDS) == sorted(DEFAULTS)


@pytest.mark.parametrize("name", RECORDS)
def test_a_record_has_its_defaults(name: str) -> None:
    optional = {field.name: _default(field) for field in fields(RECORDS[name])}
    optional = {key: value for key, value in optional.items() if value is not MISSING}
    assert optional == DEFAULTS[name]


@pytest.mark.parametrize("name", RECORDS)
def test_a_record_is_frozen_and_built_by_keywords(name: str) -> None:
    kind: Any = RECORDS[name]
    assert kind.__dataclass_params__.frozen
    assert all(field.kw_only for field in fields(kind)) == (name not in BY_POSITION)


def test_the_words_of_a_status_and_of_an_event_are_its_names() -> None:
    assert {status.name.lower(): status.value for status in Status} == {
        word: word
        for word in (
            *("success", "partial_success", "syntax_error", "wrong_answer", "runtime_error"),
            *("timeout", "resource_limit", "test_error", "infra_error"),
        )
    }
    events = {name: kind for name, kind in RECORDS.items() if issubclass(kind, Event)}
    kinds = {name: str(kind.kind) for name, kind in events.items() if kind is not Event}
    snake = {name: re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower() for name in kinds}
    assert len(kinds) == 14
    assert kinds == snake


def test_a_frozen_record_is_replaced_not_changed() -> None:
    feedback: Any = Feedback(text="a")
    with pytest.raises(FrozenInstanceError):
        feedback.text = "b"
    assert replace(feedback, text="b") == Feedback(text="b")


@pytest.mark.parametrize("name", planish.data.__all__)
def test_every_name_of_the_package_is_there(name: str) -> None:
    code = f"from planish.data import {name}"
    space: dict[str, Any] = {}
    exec(code, space)  # noqa: S102  # a name by its text
    assert space[name] is getattr(planish.data, name)
    assert name in dir(planish.data)


def test_a_price_is_for_a_million_tokens_of_each_kind() -> None:
    used = Usage(input_tokens=1_000_000, output_tokens=500_000, cached_tokens=200_000)
    plain = Price(input=2.0, output=10.0)
    assert plain.cost(used) == pytest.approx(2.0 + 5.0)
    cached = replace(plain, cache_read=0.5, cache_write=3.0)
    assert cached.cost(used) == pytest.approx(1.6 + 0.1 + 5.0)
    assert cached.cost(replace(used, cache_write_tokens=100_000)) == pytest.approx(
        1.4 + 0.1 + 0.3 + 5.0
    )
