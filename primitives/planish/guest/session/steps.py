"""One step: statements, the value of the last expression, and what was raised."""

from __future__ import annotations

import ast
import inspect
import linecache
import sys
import traceback

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .displays import Displays

__all__ = ["run_step"]

_FLAGS = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT


def run_step(code: str, number: int, space: dict[str, Any], displays: Displays) -> int:
    """Run a step among the variables. Its exit code, as CPython would end with it.

    Args:
        code: Statements; the value of a last expression is shown, if it is not None.
        number: Of the step, for tracebacks.
        space: The variables.
        displays: Takes what is shown.
    """
    file = f"<step {number}>"
    linecache.cache[file] = (len(code), None, code.splitlines(keepends=True), file)
    try:
        _execute(code, file, space, displays)
    except SystemExit as end:
        return _exit_code(end, file)
    except BaseException as error:  # noqa: BLE001  # a step may raise what it likes
        _tell(error, file)
        return 1
    finally:
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except Exception:  # noqa: BLE001, S112  # closed, or replaced by whatever
                continue
    return 0


def _execute(code: str, file: str, space: dict[str, Any], displays: Displays) -> None:
    tree = ast.parse(code, file)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    _run(compile(tree, file, "exec", _FLAGS, dont_inherit=True), space)
    if isinstance(last, ast.Expr):
        code_object = compile(ast.Expression(last.value), file, "eval", _FLAGS, dont_inherit=True)
        value = _run(code_object, space)
        if value is not None:
            space["_"] = value
            displays.add(value, main=True)
    displays.figures()


def _run(code: Any, space: dict[str, Any]) -> Any:
    value = eval(code, space)  # noqa: S307  # running code is what this is for
    if code.co_flags & inspect.CO_COROUTINE:
        import asyncio  # noqa: PLC0415  # it costs 50 ms, and few steps await

        return asyncio.run(value)
    return value


def _exit_code(end: SystemExit, file: str) -> int:
    if end.code is None:
        return 0
    if isinstance(end.code, int):
        return end.code & 0xFF
    try:
        print(end.code, file=sys.stderr)  # noqa: T201  # as CPython does
    except BaseException as error:  # noqa: BLE001  # it cannot be printed
        _tell(error, file)
    return 1


def _tell(error: BaseException, file: str) -> None:
    """Print the traceback, from the step's own code on."""
    frame = error.__traceback__
    while frame is not None and frame.tb_frame.f_code.co_filename != file:
        frame = frame.tb_next
    try:
        traceback.print_exception(type(error), error, frame)
    except BaseException:  # noqa: BLE001  # an exception that cannot be shown, or no stderr
        return
