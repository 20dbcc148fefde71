"""Reading Python without running it, and without ever raising."""

import ast
from collections.abc import Iterator

from planish.compiling import quiet

__all__ = [
    "bound",
    "closed_up",
    "defines",
    "defines_any",
    "is_code",
    "is_program",
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
    with quiet():
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
