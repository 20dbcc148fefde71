"""Compile test code: each top-level statement separately, with asserts that report their values.

The host does this once for many candidates, and sends the result to a sandbox that has the same
Python. Elsewhere the verifier does it itself.
"""

from __future__ import annotations

import _ast  # not ast, which costs 9 ms

from .evidence import names_in
from .instrument import COMPARE, instrument

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from types import CodeType
    from typing import Any

    Statement = tuple[int, CodeType, tuple[str, ...], tuple[str, ...]]

__all__ = ["compile_tests"]

_FILE = "tests.py"
# Names by which code reaches modules without an import statement.
_REACHING = frozenset({"eval", "exec", "getattr", "globals", "locals", "vars"})
_HARMLESS = frozenset({"__name__", "__main__"})
_TITLE = 200  # characters; no name with dots is longer


def compile_tests(
    source: str, hook: str, inline: Collection[int], skip: Collection[int], flags: int
) -> tuple[list[Statement], tuple[str, ...], bool]:
    """Compile test code that parses.

    Args:
        source: The code.
        hook: The name, among the builtins, of the function that asserts report to.
        inline: The indices of the top-level statements whose body replaces them.
        skip: The indices of the statements to leave out, after inlining.
        flags: The compiler's flags of `__future__` imports that apply to the code.

    Returns:
        Of each statement: its index, its code, the names that it assigns to, and those that it, or
        a function in it, sets in the namespace ("*" for any, "*" and a module for all that the
        module exports). Then all names
        that the statements use or mention in short strings, and whether they can reach a module
        that the candidate does not give them.
    """
    tree: Any = compile(source, _FILE, "exec", _ast.PyCF_ONLY_AST | flags, dont_inherit=True)
    imports = instrument(tree, hook)
    body: list[Any] = []
    for index, node in enumerate(tree.body):
        body += node.body if index in inline else [node]
    statements: list[Statement] = []
    names: set[str] = set()
    for index, node in enumerate(body):
        if index not in skip:
            code = _compiled(node, flags)
            statements.append((index, code, tuple(_bound(node)), tuple(_set_in(code))))
            names |= names_in(code) | _written_in(code)
    added = {hook, *(name for name in COMPARE if name not in source)}
    used = names - added
    reaches = imports or any(name in _REACHING or name[:2] == "__" for name in used - _HARMLESS)
    return statements, tuple(used), reaches


def _compiled(node: Any, flags: int) -> CodeType:
    """Compile one statement; an expression so that its value can be had.

    Asserts are kept whatever the interpreter's own optimization: `python -O` drops them.
    """
    expression = isinstance(node, _ast.Expr)
    part: Any = _ast.Expression(node.value) if expression else _ast.Module([node], [])
    code: CodeType = compile(
        part, _FILE, "eval" if expression else "exec", flags, dont_inherit=True, optimize=0
    )
    return code


def _bound(node: Any) -> set[str]:
    """Return the names that a statement assigns to."""
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


def _set_in(code: CodeType, *, inner: bool = False) -> set[str]:
    """Return the names that code sets or deletes in the namespace of the module.

    "*" for any that it names otherwise, and "*" with the name of a module for all of that.

    Args:
        code: Of a statement.
        inner: It is that of a function or class in the statement.
    """
    from opcode import opmap  # noqa: PLC0415  # most tests are compiled on the host

    titles = _GLOBAL if inner else (*_GLOBAL, "STORE_NAME", "DELETE_NAME")
    operations = [opmap[title] for title in titles]
    stars = [(opmap.get("IMPORT_STAR"), 0), (opmap.get("CALL_INTRINSIC_1"), _STAR)]
    found: set[str] = set() if _SETTING.isdisjoint(code.co_names) else {"*"}
    number = 0
    module = ""
    for operation, part in zip(code.co_code[::2], code.co_code[1::2]):  # noqa: B905  # Python 3.9
        number = number << 8 | part
        if operation in operations:
            found.add(code.co_names[number])
        elif operation == opmap["IMPORT_NAME"]:
            module = code.co_names[number]
        elif (operation, number) in stars:
            found.add(f"*{module}")
        number = number if operation == opmap["EXTENDED_ARG"] else 0
    for constant in code.co_consts:
        if type(constant) is type(code):
            found |= _set_in(constant, inner=True)
    return found


_GLOBAL = ("STORE_GLOBAL", "DELETE_GLOBAL")
_STAR = 2  # of the compiler's own functions, from Python 3.12 on
_SETTING = {"globals", "locals", "vars", "exec", "eval", "setattr", "__dict__", "modules"}


def _written_in(code: CodeType) -> set[str]:
    """Return the parts of strings in code that may be names."""
    found: set[str] = set()
    for constant in code.co_consts:
        if type(constant) is type(code):
            found |= _written_in(constant)
        elif type(constant) is str and len(constant) < _TITLE:
            found.update(part for part in constant.split(".") if part.isidentifier())
    return found
