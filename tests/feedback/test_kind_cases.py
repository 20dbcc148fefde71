"""What the environment lacks and what is broken in tests is told from wrong code, by rules."""

from collections import Counter

import anyio
import pytest
from tests.feedback.broken_test_cases import BROKEN_TESTS
from tests.feedback.environment_cases import ENVIRONMENT, ISOLATED
from tests.feedback.kind_case import KindCase

from planish import Candidate, CodeExecution, Execution
from planish.abc import Sandbox
from planish.data import FailureKind, Finding, PytestFile, ResourceLimits
from planish.feedback import execution_findings, failure_kind
from planish.feedback._independent import independent_statements
from planish_integrations.local import LocalSandbox
from planish_integrations.sandboxes.unsafe import UnsafeLocalSandbox

CASES = {**ENVIRONMENT, **BROKEN_TESTS}
LOCAL = LocalSandbox()
UNSAFE = UnsafeLocalSandbox()


def run(case: KindCase, sandbox: Sandbox = LOCAL) -> Execution:
    execution = CodeExecution(sandbox, limits=ResourceLimits(seconds=10, disk_mb=16))
    return anyio.run(execution.run, Candidate(task=case.task, code=case.code))


def first(execution: Execution) -> Finding:
    """The first finding that has a kind."""
    return next(one for one in execution_findings(execution) if one.kind is not None)


@pytest.mark.parametrize("name", CASES)
def test_the_kind_is_decided_by_rules(name: str) -> None:
    case = CASES[name]
    execution = run(case)
    found = first(execution)
    assert (failure_kind(execution), found.kind) == (case.kind, case.kind), found
    # Nothing is advised for broken tests, and something for the environment.
    if case.kind in ("environment", "test_error"):
        assert bool(found.fix) == (case.kind == "environment")


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", [name for name in CASES if name not in ISOLATED])
def test_the_kind_is_the_same_without_isolation(name: str) -> None:
    assert failure_kind(run(CASES[name], UNSAFE)) == CASES[name].kind


def test_there_are_cases_of_each_kind() -> None:
    count = Counter(case.kind for case in CASES.values())
    assert count["environment"] >= 30
    assert count["test_error"] >= 30
    assert count["logic"] >= 10


FULL = """
def f(x):
    with open('big', 'wb') as file:
        for _ in range(64):
            file.write(bytes(1 << 20))
            file.flush()
    return x * x
"""
LIMITS: dict[str, tuple[str, FailureKind]] = {
    "a full disk": (FULL, "resource"),
    "too many open files": (
        "def f(x):\n    files = [open('/dev/null') for _ in range(200_000)]\n    return x * x",
        "resource",
    ),
    "a full disk, as an error": (
        "def f(x):\n    raise OSError(28, 'No space left on device')",
        "resource",
    ),
    "an error that is no one's": ("def f(x):\n    raise OSError(5, 'Input/output error')", "logic"),
}


@pytest.mark.parametrize("name", LIMITS)
def test_a_limit_of_the_sandbox_is_a_resource(name: str) -> None:
    code, kind = LIMITS[name]
    assert failure_kind(run(KindCase(kind=kind, code=code))) == kind


CLASS = "class C:\n    def setUp(self):\n"
INDEPENDENT = [
    # test code, what of it uses nothing of the candidate
    ("a = 1 / 0\nassert f(2) == 4", {"a = 1 / 0"}),
    ("a = f(1)\nb = a / 0\nassert b", set[str]()),
    ("rows = []\nf(rows)\nassert rows[0] == 1", set[str]()),
    ("rows = []\nrows.append(f(1))\nx = rows[0].name", set[str]()),
    ("for x in f(3):\n    y = 1 / x", set[str]()),
    ("with open('a') as file:\n    x = f(file)", {"open('a')"}),
    ("if f(1):\n    x = {}['a']", set[str]()),
    ("try:\n    f(1)\nexcept KeyError:\n    x = {}['a']", set[str]()),
    ("while f(1):\n    x = {}['a']", set[str]()),
    ("def check(g):\n    return 1 / g(1)\ncheck(f)", set[str]()),
    ("def helper():\n    return f(1)\nx = helper().a", set[str]()),
    (f"{CLASS}        self.a = f(1)\n    def t(self):\n        self.a.b", set[str]()),
    (f"{CLASS}        self.a = {{}}['b']\n    def t(self):\n        f(1)", {"self.a = {}['b']"}),
    ("def t():\n    if f(9):\n        return\n    raise ValueError('no')", set[str]()),
    ("def t():\n    raise ValueError('no')\nassert f(1)", {"raise ValueError('no')"}),
    ("x = globals()['f'](1).a", set[str]()),
    ("x = __import__('solution').f(1).a", set[str]()),
    ("import importlib\nx = importlib.import_module('solution').g", set[str]()),
    ("import solution as s\nx = s.f(1).a", set[str]()),
    ("def t():\n    from solution import g", set[str]()),
    ("from solution import *\nx = g(1).a", set[str]()),
    ("from .solution import g\nx = g(1).a", set[str]()),
    ("this does not parse", set[str]()),
]  # fmt: skip


@pytest.mark.parametrize(("code", "independent"), INDEPENDENT)
def test_statements_that_use_nothing_of_the_candidate(code: str, independent: set[str]) -> None:
    found = independent_statements(code, frozenset({"solution"}), free=True)
    assert {one for one in found if not one.startswith(("import", "rows = []"))} == independent


def test_a_module_of_the_candidates_files_is_the_candidates() -> None:
    tests = PytestFile("import parts.a\n\ndef test_a():\n    assert parts.a.f(1)['key'] == 1\n")
    case = KindCase(kind="logic", tests=tests)
    code = "def f(x):\n    return {}\n"
    candidate = Candidate(
        task=case.task, code="", files={"parts/__init__.py": "", "parts/a.py": code}
    )
    execution = anyio.run(CodeExecution(LOCAL).run, candidate)
    assert failure_kind(execution) == "logic", execution_findings(execution)
