"""Run preamble, candidate and tests in one namespace."""

from __future__ import annotations

import builtins
import sys

from .guard import Module
from .place import home, lay_out_files
from .sources import SOURCES, show_sources
from .watch import expect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

__all__ = ["Namespace", "load"]

_kept: list[ModuleType] = []
_CANDIDATE = "solution.py"
_SHOW = "_planish_show"  # `_SHOW` of the session's programs


class Namespace:
    """Run code in a module, piece by piece.

    Each piece is compiled on its own, so that line numbers are its own, but what one imports
    from `__future__` holds for those that follow, as in one program.

    Args:
        name: "__main__", or the name under which the code can be imported.
    """

    def __init__(self, name: str) -> None:
        self.module: ModuleType = Module(name)
        self.names: dict[str, Any] = vars(self.module)
        self.names["__file__"] = home() + "/solution.py"
        # As CPython has it: the module in `__main__`, its dictionary everywhere else.
        self.names["__builtins__"] = builtins if name == "__main__" else vars(builtins)
        self.flags: int = 0
        self.code: Any = None  # what was run last
        # What stood there must live on: it is where the verifier was started.
        _kept.append(sys.modules["__main__"])
        sys.modules["__main__"] = Module("__main__")
        sys.modules[name] = self.module

    def run(self, source: str, file: str) -> None:
        """Run one source.

        In a session, which leaves a function for it, the value of the candidate's last
        expression is shown, as that of a step.
        """
        SOURCES[file] = source
        shows: Any = getattr(sys, _SHOW, None)
        if shows is None or file != _CANDIDATE:
            self.execute(source, file)
            return
        show_sources()
        body, last = _split(source, file)
        self.execute(body, file)
        shows(None if last is None else self.evaluate(last, file))

    def execute(self, part: Any, file: str) -> None:
        """Run a piece: text, or the tree of a module."""
        show_sources()
        code = self.code = self.compiled(part, file, "exec")
        if "__future__" in code.co_names:
            self.flags |= code.co_flags & _future_flags()
        try:
            exec(code, self.names)  # noqa: S102  # running code is what this is for
        finally:
            show_sources()

    def evaluate(self, expression: Any, file: str) -> Any:
        """Evaluate one expression."""
        code = self.compiled(expression, file, "eval")
        return eval(code, self.names)  # noqa: S307  # running code is what this is for

    def compiled(self, part: Any, file: str, mode: str) -> Any:
        """Compile a piece with the future imports so far."""
        return expect(compile(part, file, mode, self.flags, dont_inherit=True))


def load(plan: dict[str, Any]) -> tuple[Namespace, BaseException | None]:
    """Run preamble and candidate in a new namespace; return it and what they raised.

    Args:
        plan: "name": of the namespace's module; "files": the files to run, in order.
    """
    lay_out_files()
    space = Namespace(plan["name"])
    try:
        for file in plan["files"]:
            with open(file, encoding="utf-8") as text:  # noqa: PTH123  # slow to load
                source = text.read()
            space.run(source, file)
    except BaseException as error:  # noqa: BLE001  # a candidate may raise what it likes
        return space, error
    return space, None


def _split(source: str, file: str) -> tuple[Any, Any]:
    """Return the tree of a source without its last expression, and that; None without one."""
    import ast  # noqa: PLC0415  # only in a session

    tree: Any = ast.parse(source, file)
    if not tree.body or not isinstance(tree.body[-1], ast.Expr):
        return tree, None
    return tree, ast.Expression(tree.body.pop().value)


def _future_flags() -> int:
    import __future__  # noqa: PLC0415  # few programs need it

    flags = 0
    for name in __future__.all_feature_names:
        flags |= getattr(__future__, name).compiler_flag
    return flags
