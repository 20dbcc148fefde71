"""Parts of a module that are not mutated: they have no behaviour, or none a test could assert."""

import ast

__all__ = ["is_skipped"]

# Memory and speed only: no result depends on them.
_SPEED = {"slots", "maxsize"}
# What the type checkers read, and pyright and mypy judge.
_TYPES = {"TypeVar", "ParamSpec", "TypeVarTuple", "NewType", "cast"}


def is_skipped(node: ast.AST, parent: ast.AST) -> bool:
    """True for docstrings, annotations, `__all__`, type variables and imports for type checkers."""
    return (
        _is_docstring(node)
        or _is_annotation(node, parent)
        or _is_for_checkers(node)
        or _is_list_of_names(node)
        # Positions within f-strings are wrong up to Python 3.11, and most are messages.
        or isinstance(node, ast.JoinedStr | ast.Import | ast.ImportFrom)
        or (isinstance(node, ast.keyword) and node.arg in _SPEED)
    )


def _is_docstring(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and (isinstance(node.value.value, str) or node.value.value is ...)
    )


def _is_annotation(node: ast.AST, parent: ast.AST) -> bool:
    return (
        node is getattr(parent, "annotation", None)
        or node is getattr(parent, "returns", None)
        # `type[int | str]` and bases of classes: `Generic[In, Out]`.
        or (isinstance(parent, ast.ClassDef) and node in parent.bases)
    )


def _is_for_checkers(node: ast.AST) -> bool:
    match node:
        case ast.If(test=ast.Name(id="TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING")):
            return True
        case ast.If(test=ast.Compare(left=ast.Name(id="__name__"))):  # no test imports it so
            return True
        case ast.Call(func=ast.Name(id=name)):
            return name in _TYPES
        case ast.FunctionDef(decorator_list=[ast.Name(id="overload"), *_]):
            return True
        case _:
            return False


def _is_list_of_names(node: ast.AST) -> bool:
    names = {"__all__", "__slots__", "TYPE_CHECKING"}
    targets = node.targets if isinstance(node, ast.Assign) else []
    return any(isinstance(one, ast.Name) and one.id in names for one in targets) or _is_alias(node)


def _is_alias(node: ast.AST) -> bool:
    # `Tier = Literal["namespaces", "landlock"]` and `Json = dict[str, "Json"] | None`
    return (
        isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Subscript | ast.BinOp)
        and isinstance(node.targets[0], ast.Name)
        and node.targets[0].id.lstrip("_")[:1].isupper()
        and not node.targets[0].id.isupper()
    ) or (isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation) == "TypeAlias")
