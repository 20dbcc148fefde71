"""Assertions: test code whose top-level statements are tests of their own."""

from __future__ import annotations

import builtins
import sys

from .compiled_tests import compile_tests
from .evidence import names_in
from .guard import Module, is_a, kind_of
from .record import Recorder
from .sources import SOURCES, show_sources
from .watch import expect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType
    from typing import Any

    from .channel import Put
    from .compiled_tests import Statement
    from .failure import Witness
    from .judge import Judge
    from .namespace import Namespace

__all__ = ["run_checks"]


def partial(function: Any, *args: Any) -> Any:
    """Bind arguments for a later call; the module `functools` would take 5 ms to load."""
    return lambda: function(*args)


_FILE = "tests.py"


def run_checks(plan: dict[str, Any], judge: Judge, put: Put, witness: Witness) -> None:
    """Run test code, in a namespace that has the candidate's names.

    Setup that raises ends the run. Everything else is a test, and ends only itself.

    Args:
        plan: "tests": the code; "inline": the indices of top-level statements whose body
            stands for them; "skip": of statements to leave out, bodies inlined; "checks": for
            each test, the index of its statement, or null and its name; "used": the names that
            the code uses, or null if it runs its tests itself; "hook": a name that no
            program can write down, for the function that asserts report to.
        judge: Has the candidate.
        put: Where results go.
        witness: Called with everything that is raised.
    """
    evidence = judge.evidence
    recorder = Recorder(put, witness, evidence)
    space = judge.space
    setattr(builtins, plan["hook"], recorder.hook)
    checks = plan["checks"]
    at = {index: number for number, (index, _) in enumerate(checks) if index is not None}
    names: set[str] = set()
    try:
        for index, part, bound, set_here in _statements(plan, judge):
            evidence.bound.update(set_here)
            names = names_in(part)
            relies = partial(evidence.relies_on, names, space.names)
            if index in at:
                recorder.run(at[index], partial(_run, space, part), relies)
            else:
                uses, calls = evidence.uses, evidence.calls
                _run(space, part)
                used = evidence.uses > uses or relies()
                if used:
                    evidence.derived.update(bound)
                if evidence.calls > calls or (used and evidence.by_names):
                    evidence.derived.update(_changeable(names, space), _within_reach(judge))
    except BaseException as error:  # noqa: BLE001  # setup, which may raise what it likes
        facts = witness.raised(error)
        copies = evidence.copies(space.names)
        if judge.is_of_tests(error) and not evidence.relies_on(names, space.names, copies):
            put("broken_tests", name=facts["name"], message=facts["message"])
        put("setup", **facts)
        return
    named = [(number, name) for number, (index, name) in enumerate(checks) if index is None]
    if named or (plan["used"] is not None and _defines_tests(space.names)):
        from .collected import run_collected  # noqa: PLC0415  # few programs need it

        run_collected(named, plan["used"], judge, recorder)


def _defines_tests(names: dict[str, Any]) -> bool:
    """Tell whether there may be tests among the names."""
    return "unittest" in sys.modules or any(name[:4] == "test" for name in names)


def _statements(plan: dict[str, Any], judge: Judge) -> Sequence[Statement]:
    """Return the statements to run, compiled; and have the names that they use."""
    SOURCES[_FILE] = plan["tests"]
    flags = judge.space.flags
    compiled = None if flags else plan["test_code"]  # the candidate's __future__ imports apply
    if compiled is None:
        parts = plan["tests"], plan["hook"], plan["inline"], plan["skip"]
        compiled = compile_tests(*parts, flags)
    statements, names, reaches_modules = compiled
    judge.want_for(set(names), plan["entry"], reaches_modules)
    for _, code, *_ in statements:
        expect(code)
    return statements


def _changeable(names: set[str], space: Namespace) -> set[str]:
    """Return those of some names whose values a call may have changed."""
    fixed = (int, float, complex, str, bytes, type(None), type, Module, kind_of(_changeable))
    return {n for n in names if n in space.names and not is_a(space.names[n], fixed)}


def _within_reach(judge: Judge) -> set[str]:
    """Return names of what a call of the code may have changed without being given it there.

    What of the tests it has received before, the streams to which it prints, and files.
    """
    endpoint = getattr(judge, "endpoint", None)  # there is none in one process
    found: set[str] = set()
    for name, value in [*judge.space.names.items()]:
        received = endpoint is not None and endpoint.table.owns(value)
        if received or value is sys.stdout or value is sys.stderr:
            found.add(name)
    return found | _READ


_READ = frozenset(
    {"stdout", "stderr", "open", "read_text", "read_bytes", "exists", "isfile", "is_file"}
    | {"listdir", "iterdir", "glob", "getsize", "stat"}
)
"""Names by which tests read what programs have printed or written."""


def _run(space: Namespace, part: CodeType) -> Any:
    """Run a statement; return the value of an expression."""
    show_sources()
    try:
        return eval(part, space.names)  # noqa: S307  # the user's tests
    finally:
        show_sources()
