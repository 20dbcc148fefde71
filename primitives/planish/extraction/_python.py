"""Read Python source without running it: syntax trees, definitions, stubs, string literals."""

import ast
import re
from collections.abc import Iterator

from planish.compiling import without_warnings

__all__ = [
    "PARSE_LIMIT",
    "Strings",
    "closed_up",
    "defines",
    "defines_any",
    "is_code",
    "is_program",
    "is_stub",
    "parse",
    "statements",
]

PARSE_LIMIT = 1_000_000
"""Characters. Longer code is judged by pattern: its tree would take 250 times its size.

The longest replies models write today, 128,000 tokens, are about half of it.
"""

_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_WORDLESS = ast.Constant | ast.Call | ast.Await | ast.Yield | ast.YieldFrom | ast.JoinedStr


def parse(code: str) -> ast.Module | None:
    """The tree of `code`; None when it is not Python or is longer than the limit."""
    if len(code) > PARSE_LIMIT:
        return None
    with without_warnings():
        try:
            return ast.parse(code)
        # NULs and lone surrogates, nesting too deep for the tree, too deep for the parser
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


def closed_up(code: str) -> ast.Module | None:
    """The tree of `code`, of which the last body may be comments only."""
    last = code.rstrip().rpartition("\n")[2]
    indent = last[: len(last) - len(last.lstrip())]
    return parse(code) or parse(f"{code.rstrip()}\n{indent or '    '}pass")


def statements(tree: ast.Module) -> Iterator[ast.stmt]:
    """What runs at the top level, the insides of `if`, `try`, `with` and loops included."""
    pending: list[ast.AST] = list(reversed(tree.body))
    while pending:
        node = pending.pop()
        if isinstance(node, ast.stmt):
            yield node
        if not isinstance(node, _Definition | ast.expr):
            pending.extend(reversed(list(ast.iter_child_nodes(node))))


def bound(node: ast.stmt) -> Iterator[str]:
    """The names a statement defines by itself: definitions and assignments, not imports."""
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
    """Whether `name` is defined at the top level."""
    return any(name in bound(node) for node in statements(tree))


def defines_any(tree: ast.Module) -> bool:
    """Whether anything is defined at the top level."""
    return any(name for node in statements(tree) for name in bound(node))


def is_code(tree: ast.Module) -> bool:
    """Whether it does something; a lone value or a few words parse too, but do nothing."""
    return any(_acts(node) for node in tree.body)


def is_program(tree: ast.Module) -> bool:
    """Whether it is code throughout, with no line of bare words among it."""
    return is_code(tree) and not any(_is_words(node) for node in tree.body)


def _acts(node: ast.stmt) -> bool:
    if isinstance(node, ast.AnnAssign):
        return node.value is not None  # "Note: done" is an annotation to Python
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Call | ast.Await | ast.Yield | ast.YieldFrom)
    return True


def _is_words(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and not isinstance(node.value, _WORDLESS)


_Function = ast.FunctionDef | ast.AsyncFunctionDef


def is_stub(tree: ast.Module, name: str) -> bool:
    """Whether every definition of `name` at the top level is without a body."""
    return all(_is_empty(node) for node in statements(tree) if name in bound(node))


def _is_empty(node: ast.stmt) -> bool:
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            inside = isinstance(node, ast.ClassDef)
            return all(_says_nothing(part, methods=inside) for part in node.body)
        case _:  # an assignment, the only other statement that defines
            value = getattr(node, "value", None)
            return isinstance(value, ast.Constant) and value.value is ...


def _says_nothing(node: ast.stmt, *, methods: bool) -> bool:
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
            return methods and isinstance(node, _Function) and _is_empty(node)


_LITERAL_START = re.compile(r"[#\"'\\]")
# Possessive throughout, and escapes are eaten in pairs outside strings too: linear on any text.
_LITERAL = re.compile(
    r"#[^\n]*+"
    r'|"""(?:[^"\\]++|\\(?:.|\Z)|"(?!""))*+(?:"""|\Z)'
    r"|'''(?:[^'\\]++|\\(?:.|\Z)|'(?!''))*+(?:'''|\Z)"
    r'|"(?:[^"\\\n]++|\\.)*+"'
    r"|'(?:[^'\\\n]++|\\.)*+'"
    r"|\\.",
    re.DOTALL,
)


class Strings:
    """The literals of `text` from `start` on, asked about from left to right."""

    def __init__(self, text: str, start: int) -> None:
        self._text = text
        self._begin = start  # of the last literal read
        self._end = start

    def cover(self, position: int) -> bool:
        """Whether `position` is inside a literal; it is never less than the one asked before."""
        # Never looks beyond `position` for where a literal starts, else time were quadratic.
        while self._end <= position:
            first = _LITERAL_START.search(self._text, self._end, position)
            if first is None:
                self._end = position
                return False
            token = _LITERAL.match(self._text, first.start())
            self._begin = first.start()
            self._end = token.end() if token else first.end()
        return self._begin < position
