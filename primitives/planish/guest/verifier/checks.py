"""Assertions: test code whose top-level statements are tests of their own."""

from __future__ import annotations

import _ast
import builtins

from .evidence import names_in
from .instrument import instrument
from .record import Recorder
from .sources import SOURCES, show_sources

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType
    from typing import Any

    from .channel import Put
    from .failure import Witness
    from .judge import Judge
    from .namespace import Namespace

__all__ = ["run_checks"]


def partial(function: Any, *args: Any) -> Any:
    """A call to be made later; the module `functools` would take 5 ms to load."""
    return lambda: function(*args)


_FILE = "tests.py"


def run_checks(plan: dict[str, Any], judge: Judge, put: Put, witness: Witness) -> None:
    """Run test code, in a namespace that has the candidate's names.

    Setup that raises ends the run. Everything else is a test, and ends only itself.

    Args:
        plan: "tests": the code; "inline": the indices of top-level statements whose body
            stands for them; "skip": of statements to leave out, bodies inlined; "checks": for
            each test, the index of its statement, or null and its name; "hook": a name that no
            program can write down, for the function that asserts report to.
        judge: Has the candidate.
        put: Where results go.
        witness: Told of everything that is raised.
    """
    evidence = judge.evidence
    recorder = Recorder(put, witness, evidence)
    space = judge.space
    setattr(builtins, plan["hook"], recorder.hook)
    checks = plan["checks"]
    at = {index: number for number, (index, _) in enumerate(checks) if index is not None}
    try:
        for index, node in _statements(plan, judge):
            part = _compiled(space, node)
            names = names_in(part)
            relies = partial(evidence.relies_on, names, space.names)
            if index in at:
                recorder.run(at[index], partial(_run, space, part), relies)
            else:
                uses = evidence.uses
                _run(space, part)
                if evidence.uses > uses or relies():
                    evidence.derived |= _bound(node)
    except BaseException as error:  # noqa: BLE001  # setup, which may raise what it likes
        facts = witness.raised(error)
        if judge.is_of_tests(error):
            put("broken_tests", name=facts["name"], message=facts["message"])
        put("setup", **facts)
        return
    named = [(number, name) for number, (index, name) in enumerate(checks) if index is None]
    if named:
        from .collected import run_collected  # noqa: PLC0415  # few programs need it

        run_collected(named, space, recorder, evidence)


def _statements(plan: dict[str, Any], judge: Judge) -> list[tuple[int, Any]]:
    source = plan["tests"]
    SOURCES[_FILE] = source
    flags = _ast.PyCF_ONLY_AST | judge.space.flags
    tree = compile(source, _FILE, "exec", flags, dont_inherit=True)
    judge.want_for(judge.space.compiled(source, _FILE, "exec"), plan["entry"])
    instrument(tree, plan["hook"])
    body: list[Any] = []
    for index, node in enumerate(tree.body):
        body += node.body if index in plan["inline"] else [node]
    return [(index, node) for index, node in enumerate(body) if index not in plan["skip"]]


def _compiled(space: Namespace, node: Any) -> CodeType:
    if isinstance(node, _ast.Expr):
        found: CodeType = space.compiled(_ast.Expression(node.value), _FILE, "eval")
        return found
    whole: CodeType = space.compiled(_ast.Module([node], []), _FILE, "exec")
    return whole


def _run(space: Namespace, part: CodeType) -> Any:
    """Run a statement; the value of an expression."""
    show_sources()
    try:
        return eval(part, space.names)  # noqa: S307  # the user's tests
    finally:
        show_sources()


def _bound(node: Any) -> set[str]:
    """The names that a statement assigns to."""
    found: set[str] = set()
    left: list[Any] = [node]
    while left:
        inner = left.pop()
        if isinstance(inner, _ast.Name) and isinstance(inner.ctx, _ast.Store):
            found.add(inner.id)
        if isinstance(inner, (_ast.Attribute, _ast.Subscript)):
            while isinstance(inner, (_ast.Attribute, _ast.Subscript)):
                inner = inner.value
            found |= {inner.id} if isinstance(inner, _ast.Name) else set()
        if isinstance(inner, (_ast.FunctionDef, _ast.ClassDef)):
            found.add(inner.name)
        elif isinstance(inner, _ast.AST):
            left += [getattr(inner, field, None) for field in inner._fields]
        elif type(inner) is list:
            left += inner
    return found
