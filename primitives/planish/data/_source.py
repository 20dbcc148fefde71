"""Reading Python source that nobody has run."""

import ast

from planish.compiling import quiet

__all__ = ["read_source", "reason", "title"]

_TITLE = 120  # characters: one line of a report


def read_source(code: str) -> ast.Module:
    """The tree of Python source, after the compiler has seen it too; nothing is executed.

    Raises:
        SyntaxError: it does not parse, or does not compile.
        ValueError: it holds null bytes or lone surrogates.
        RecursionError: it is nested too deeply.
        MemoryError: the same, said by the parser.
    """
    with quiet():
        tree = ast.parse(code)
        compile(tree, "<source>", "exec", dont_inherit=True)
    return tree


def reason(error: BaseException) -> str:
    """Why source could not be read, in a line: what was said, and where."""
    if not isinstance(error, SyntaxError):
        deep = isinstance(error, RecursionError | MemoryError)
        return "it is nested too deeply" if deep else str(error)
    text = (error.text or "").strip()
    where = f" in line {error.lineno}" if error.lineno else ""
    return f"{error.msg}{where}" + (f": {text!r}" if text else "")


def title(node: ast.AST) -> str:
    """A statement in one line, cut."""
    try:
        text = " ".join(ast.unparse(node).split())
    except RecursionError:
        text = f"line {getattr(node, 'lineno', 0)}"
    return text if len(text) <= _TITLE else text[: _TITLE - 3] + "..."
