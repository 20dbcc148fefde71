"""Read Python source without running it: syntax trees, definitions, stubs, string literals."""

import ast
import re
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from planish.compiling import without_warnings

__all__ = [
    "PARSE_LIMIT",
    "StringLiterals",
    "defines",
    "defines_any",
    "has_effect",
    "is_program",
    "is_stub",
    "limited_parsing",
    "parse",
    "parse_unfinished",
    "statements",
]

PARSE_LIMIT = 1_000_000
"""Characters of code that are parsed at most; longer code is examined by pattern only.

A syntax tree takes about 250 times the memory of its source. The longest replies of current
models, 128,000 tokens, are about half of this limit.
"""

_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_CODE_EXPRESSION = ast.Constant | ast.Call | ast.Await | ast.Yield | ast.YieldFrom | ast.JoinedStr
_Function = ast.FunctionDef | ast.AsyncFunctionDef
_LITERAL_START = re.compile(r"[#\"'\\]")
# Possessive quantifiers, and escapes consumed in pairs outside strings too, keep it linear.
_LITERAL = re.compile(
    r"#[^\n]*+"
    r'|"""(?:[^"\\]++|\\(?:.|\Z)|"(?!""))*+(?:"""|\Z)'
    r"|'''(?:[^'\\]++|\\(?:.|\Z)|'(?!''))*+(?:'''|\Z)"
    r'|"(?:[^"\\\n]++|\\.)*+"'
    r"|'(?:[^'\\\n]++|\\.)*+'"
    r"|\\.",
    re.DOTALL,
)


_PARSE_BUDGET = 300_000  # characters that are parsed for one reply; the parser takes up to 0.5 s
_CALL = 50  # what a call of the parser costs besides, in characters
_left: ContextVar[list[int] | None] = ContextVar("_left", default=None)


@contextmanager
def limited_parsing() -> Generator[None]:
    """Limit what `parse` parses in this context to `_PARSE_BUDGET` characters.

    What is beyond is examined by pattern, so that no reply takes seconds.
    """
    token = _left.set([_PARSE_BUDGET])
    try:
        yield
    finally:
        _left.reset(token)


def parse(code: str) -> ast.Module | None:
    """Return the syntax tree of `code`; None if it is invalid or longer than `PARSE_LIMIT`.

    Within `limited_parsing`, None also if the characters left there are too few.
    """
    left = _left.get()
    if len(code) > PARSE_LIMIT or (left is not None and len(code) > left[0]):
        return None
    read = len(code)
    with without_warnings():
        try:
            return ast.parse(code)
        except SyntaxError as error:
            if error.lineno:  # the parser reads no further
                read = min(read, 100 * error.lineno)
            return None
        # ValueError: NUL characters, lone surrogates. The last two: nesting that is too deep.
        except (ValueError, RecursionError, MemoryError):
            return None
        finally:
            if left is not None:
                left[0] -= read + _CALL


def parse_unfinished(code: str) -> ast.Module | None:
    """Return the syntax tree of `code`, whose last body may be empty; None if invalid."""
    last = code.rstrip().rpartition("\n")[2]
    indent = last[: len(last) - len(last.lstrip())]
    return parse(code) or parse(f"{code.rstrip()}\n{indent or '    '}pass")


def statements(tree: ast.Module) -> Iterator[ast.stmt]:
    """Yield the statements of the module's scope, with those in `if`, `try`, `with` and loops."""
    pending: list[ast.AST] = list(reversed(tree.body))
    while pending:
        node = pending.pop()
        if isinstance(node, ast.stmt):
            yield node
        if not isinstance(node, _Definition | ast.expr):
            pending.extend(reversed(list(ast.iter_child_nodes(node))))


def defined_names(node: ast.stmt) -> Iterator[str]:
    """Yield the names that a definition or an assignment binds; imports bind none here."""
    if isinstance(node, _Definition):
        yield node.name
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign):
        targets = node.targets
    elif isinstance(node, ast.AnnAssign) and node.value is not None:
        targets = [node.target]
    for target in targets:
        for leaf in ast.walk(target):
            if isinstance(leaf, ast.Name) and isinstance(leaf.ctx, ast.Store):
                yield leaf.id


def defines(tree: ast.Module, name: str) -> bool:
    """Return whether `name` is defined at the top level."""
    return any(name in defined_names(node) for node in statements(tree))


def defines_any(tree: ast.Module) -> bool:
    """Return whether any name is defined at the top level."""
    return any(name for node in statements(tree) for name in defined_names(node))


def has_effect(tree: ast.Module) -> bool:
    """Return whether a statement has an effect; lone values and words parse, but have none."""
    return any(_has_effect(node) for node in tree.body)


def is_program(tree: ast.Module) -> bool:
    """Return whether it has an effect and no statement is a bare word or operation."""
    return has_effect(tree) and not any(_is_bare_value(node) for node in tree.body)


def _has_effect(node: ast.stmt) -> bool:
    if isinstance(node, ast.AnnAssign):
        return node.value is not None  # the sentence "Note: done" parses as an annotation
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Call | ast.Await | ast.Yield | ast.YieldFrom)
    return True


def _is_bare_value(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and not isinstance(node.value, _CODE_EXPRESSION)


def is_stub(tree: ast.Module, name: str) -> bool:
    """Return whether every top-level definition of `name` lacks a body.

    A body of a docstring, `pass`, `...` or `raise NotImplementedError` counts as none.
    """
    return all(_has_no_body(node) for node in statements(tree) if name in defined_names(node))


def _has_no_body(node: ast.stmt) -> bool:
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            inside = isinstance(node, ast.ClassDef)
            return all(_is_placeholder(part, methods=inside) for part in node.body)
        case _:  # an assignment, the only other statement of `defined_names`
            value = getattr(node, "value", None)
            return isinstance(value, ast.Constant) and value.value is ...


def _is_placeholder(node: ast.stmt, *, methods: bool) -> bool:
    match node:
        case ast.Pass():
            return True
        case ast.Expr(value=ast.Constant(value=value)):
            return value is ... or isinstance(value, str)
        case ast.Raise(exc=ast.Name(id="NotImplementedError")):
            return True
        case ast.Raise(exc=ast.Call(func=ast.Name(id="NotImplementedError"))):
            return True
        case _:
            return methods and isinstance(node, _Function) and _has_no_body(node)


class StringLiterals:
    """The string literals and comments of Python text, found in one pass without a parser.

    Args:
        text: Text that need not be valid Python.
        start: Offset at which the Python begins.
    """

    def __init__(self, text: str, start: int) -> None:
        self._text = text
        self._begin = start  # of the last literal
        self._end = start

    def contains(self, position: int) -> bool:
        """Return whether `position` is inside a literal; positions must not decrease."""
        # The search for a literal's start ends at `position`: otherwise time were quadratic.
        while self._end <= position:
            first = _LITERAL_START.search(self._text, self._end, position)
            if first is None:
                self._end = position
                return False
            token = _LITERAL.match(self._text, first.start())
            self._begin = first.start()
            self._end = token.end() if token else first.end()
        return self._begin < position
