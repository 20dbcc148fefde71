"""Read what rules ask of the Python sources of a candidate."""

import ast
from collections.abc import Iterator, Mapping

from planish.compiling import without_warnings
from planish.data.candidate import Candidate

__all__ = ["aliases", "dotted", "imports", "parse", "place", "sources", "trees", "unwritten"]

_MAX_PARSED = 1_000_000  # characters; longer code is refused by CodeExecution
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def sources(candidate: Candidate) -> Iterator[tuple[str, str]]:
    """Yield the path and the text of each Python file; "" for the main one."""
    if candidate.task.language == "python":
        yield "", candidate.code
        yield from ((path, text) for path, text in candidate.files.items() if path.endswith(".py"))


def trees(candidate: Candidate) -> Iterator[tuple[str, ast.Module]]:
    for path, text in sources(candidate):
        tree = parse(text)
        if tree is not None:
            yield path, tree


def parse(code: str) -> ast.Module | None:
    """Return the syntax tree; None if the code does not parse, which CodeExecution reports."""
    if len(code) > _MAX_PARSED:
        return None
    try:
        with without_warnings():
            return ast.parse(code.removeprefix("\ufeff"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def place(path: str, line: int) -> str:
    return f"{path[:200]}, line {line}" if path else f"line {line}"


def imports(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the line and the dotted name of each import."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from ((node.lineno, name.name) for name in names)
            case ast.ImportFrom(module=str(module), level=0, names=names):
                # `from urllib import request` is `urllib.request`.
                yield from ((node.lineno, f"{module}.{name.name}") for name in names)
            case ast.Call(func=function, args=[ast.Constant(value=str(name)), *_]):
                if dotted(function, {}) in (
                    "__import__",
                    "importlib.import_module",
                    "import_module",
                ):
                    yield node.lineno, name
            case _:
                pass


def aliases(tree: ast.Module) -> Mapping[str, str]:
    """Return the dotted name of what each imported name stands for."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.update((one.asname, one.name) for one in node.names if one.asname)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.update(
                (one.asname or one.name, f"{node.module}.{one.name}") for one in node.names
            )
    return found


def dotted(node: ast.expr, names: Mapping[str, str]) -> str:
    """Return the dotted name of an expression, "" if it has none; `getattr(a, "b")` is `a.b`."""
    match node:
        case ast.Name(id=name):
            return names.get(name, name)
        case ast.Attribute(value=value, attr=attr):
            first = dotted(value, names)
            return f"{first}.{attr}" if first else ""
        case ast.Call(func=ast.Name(id="getattr"), args=[value, ast.Constant(value=str(attr)), *_]):
            first = dotted(value, names)
            return f"{first}.{attr}" if first else ""
        case ast.Call(func=ast.Name(id="__import__"), args=[ast.Constant(value=str(name)), *_]):
            return name
        case _:
            return ""


def _classes(tree: ast.Module) -> Iterator[ast.ClassDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef))


def _functions(tree: ast.Module) -> Iterator[tuple[ast.ClassDef | None, _Function]]:
    """Yield each function with the class whose method it is.

    Of several of one name in one body the last one counts: models repeat a signature before they
    write the function.
    """
    pending: list[tuple[ast.ClassDef | None, ast.AST]] = [(None, tree)]
    while pending:
        owner, parent = pending.pop()
        last: dict[str, _Function] = {}
        for node in ast.iter_child_nodes(parent):
            inner = node if isinstance(node, ast.ClassDef) else None
            pending.append((inner, node))
            if isinstance(node, _Function):
                last[node.name] = node
        yield from ((owner, function) for function in last.values())


def _used_names(tree: ast.Module) -> set[str]:
    """Return the names that code reads, as names or as attributes."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            names.add(node.id)
        elif isinstance(node, ast.Attribute):
            names.add(node.attr)
    return names


def unwritten(tree: ast.Module, required: str | None) -> Iterator[_Function]:
    """Yield the functions whose body is a placeholder, and `required` if it has no body.

    One that is written elsewhere, is abstract, or that nothing needs is none of them.
    """
    found = list(_functions(tree))
    written = {one.name for _, one in found if not _is_placeholder(one) and not _is_blank(one)}
    bases = {dotted(base, {}) for one in _classes(tree) for base in one.bases}
    names = _used_names(tree)
    for owner, function in found:
        if owner is None:
            needed = required in (None, function.name) or function.name in names
            if function.name in written or not needed:
                continue
        elif _is_abstract(owner) or owner.name in bases:
            continue
        if _is_placeholder(function) or (function.name == required and _is_blank(function)):
            yield function


def _is_abstract(owner: ast.ClassDef) -> bool:
    """Return whether a class is a protocol or abstract, whose methods may have no body."""
    names = [
        dotted(base.value if isinstance(base, ast.Subscript) else base, {}) for base in owner.bases
    ]
    names += [dotted(keyword.value, {}) for keyword in owner.keywords]
    return any(name.rpartition(".")[2] in ("Protocol", "ABC", "ABCMeta") for name in names)


def _body(function: _Function) -> list[ast.stmt]:
    """Return the statements of a function without its docstring."""
    match function.body:
        case [ast.Expr(value=ast.Constant(value=str())), *rest]:
            return rest
        case body:
            return body


def _is_placeholder(function: _Function) -> bool:
    """Return whether a body is `...` or `raise NotImplementedError`, and not an abstract one."""
    if any(dotted(one, {}).rpartition(".")[2] in _ABSTRACT for one in function.decorator_list):
        return False
    match _body(function):
        case [ast.Expr(value=ast.Constant(value=value))]:
            return value is ...
        case [ast.Raise(exc=ast.Name(id="NotImplementedError"))]:
            return True
        case [ast.Raise(exc=ast.Call(func=ast.Name(id="NotImplementedError")))]:
            return True
        case _:
            return False


_ABSTRACT = ("abstractmethod", "overload")


def _is_blank(function: _Function) -> bool:
    return all(isinstance(node, ast.Pass) for node in _body(function))
