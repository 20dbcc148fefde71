"""Changes of a candidate before it runs."""

import ast
from dataclasses import replace

from planish.configuration import Configured
from planish.data.candidate import Candidate
from planish.rules._trees import parse

__all__ = ["add_imports"]


class add_imports(Configured):
    """Add the imports of modules that code uses by name and does not bind. A step for `>>`.

    Code that does not parse, or binds a name itself, stays as it is; to do it twice changes
    nothing.

    Args:
        modules: Modules that are used by their own name: "math", "re".
        aliases: Modules by the name that code uses: np="numpy".

    Example:
        >>> from planish import Candidate, Task
        >>> candidate = Candidate(task=Task("Round up."), code="f = lambda x: math.ceil(x)")
        >>> print(add_imports("math", np="numpy")(candidate).code)
        import math
        f = lambda x: math.ceil(x)
    """

    def __init__(self, *modules: str, **aliases: str) -> None:
        self.modules = modules
        self.aliases = aliases

    def __call__(self, candidate: Candidate) -> Candidate:
        """Return the candidate with the missing imports."""
        tree = parse(candidate.code)
        if tree is None or candidate.task.language != "python":
            return candidate
        names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        bound = _bound(tree)
        wanted = {name: name for name in self.modules} | self.aliases
        lines = [
            f"import {module}" if module == name else f"import {module} as {name}"
            for name, module in wanted.items()
            if name in names and name not in bound
        ]
        if not lines:
            return candidate
        source = candidate.code.split("\n")
        at = _after_head(tree)
        return replace(candidate, code="\n".join([*source[:at], *lines, *source[at:]]))


def _bound(tree: ast.Module) -> set[str]:
    """Return the names that code binds anywhere."""
    names: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                names.add(name)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                names.add(node.name)
            case ast.arg(arg=name):
                names.add(name)
            case ast.alias(name=name, asname=asname):
                names.add(asname or name.partition(".")[0])
            case _:
                pass
    return names


def _after_head(tree: ast.Module) -> int:
    """Return the number of lines up to the end of the docstring and `__future__` imports."""
    end = 0
    for index, node in enumerate(tree.body):
        docstring = (
            index == 0 and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        )
        future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        if not docstring and not future:
            break
        end = node.end_lineno or end
    return end
