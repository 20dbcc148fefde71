"""Assertions: test code whose top-level statements are tests of their own."""

from __future__ import annotations

import _ast
import builtins

from .instrument import instrument
from .record import Recorder
from .sources import SOURCES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .channel import Put
    from .failure import Witness
    from .judge import Judge
    from .namespace import Namespace

__all__ = ["run_checks"]

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
    recorder = Recorder(put, witness)
    space = judge.space
    setattr(builtins, plan["hook"], recorder.hook)
    checks = plan["checks"]
    at = {index: number for number, (index, _) in enumerate(checks) if index is not None}
    try:
        for index, node in _statements(plan, judge):
            if index in at:
                recorder.run(at[index], _call(space, node))
            else:
                space.execute(_ast.Module([node], []), _FILE)
    except BaseException as error:  # noqa: BLE001  # setup, which may raise what it likes
        put("setup", **witness.raised(error))
        return
    named = [(number, name) for number, (index, name) in enumerate(checks) if index is None]
    if named:
        from .collected import run_collected  # noqa: PLC0415  # few programs need it

        run_collected(named, space, recorder)


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


def _call(space: Namespace, node: Any) -> Callable[[], Any]:
    if isinstance(node, _ast.Expr):
        return lambda: space.evaluate(_ast.Expression(node.value), _FILE)
    return lambda: space.execute(_ast.Module([node], []), _FILE)
