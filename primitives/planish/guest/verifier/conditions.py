"""Tell which conditions of skipped tests depend on the machine alone, and not on the candidate."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast
    from collections.abc import Iterable

__all__ = ["HOST_NAMES", "asks_candidate", "is_of_host", "skips_by_host"]

HOST_NAMES = frozenset({"sys", "os", "platform", "bool", "tuple", "int", "str"})
"""What the condition of a mark may name."""

_CONDITIONAL = ("skipIf", "skipUnless")
_MARKS = ("skip", "expectedFailure", *_CONDITIONAL)
_FILE_FACTS = frozenset(
    {"access", "exists", "getmtime", "getsize", "is_dir", "is_file", "isdir", "isfile", "islink"}
    | {"iterdir", "lexists", "listdir", "lstat", "open", "readlink", "scandir", "stat", "walk"}
)


def is_of_host(condition: ast.expr) -> bool:
    """Tell whether the condition of a test's mark looks only at what candidates cannot change.

    Args:
        condition: An expression, or a string that pytest evaluates as one.
    """
    import ast  # noqa: PLC0415  # it costs 9 ms, and few tests need it

    if isinstance(condition, ast.Constant) and isinstance(condition.value, str):
        try:
            return is_of_host(ast.parse(condition.value, mode="eval").body)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
    nodes = list(ast.walk(condition))
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    return names <= HOST_NAMES and not asks_candidate(nodes)


def asks_candidate(nodes: Iterable[ast.AST]) -> bool:
    """Tell whether syntax asks for facts that the candidate can change.

    These are facts of files in its folder, and which modules have been imported: a value of the
    candidate's whose class is a library's has the library imported.

    Args:
        nodes: All nodes of the syntax.
    """
    import ast  # noqa: PLC0415

    nodes = list(nodes)
    calls = {id(node.func): node for node in nodes if isinstance(node, ast.Call)}
    for node in nodes:
        word = getattr(node, "attr", getattr(node, "id", getattr(node, "value", None)))
        if word == "modules":
            return True
        if isinstance(node, (ast.Attribute, ast.Name)) and word in _FILE_FACTS:
            call = calls.get(id(node))
            if _is_relative(call) if call is not None else isinstance(node, ast.Attribute):
                return True
    return False


def _is_relative(call: ast.Call) -> bool:
    """Tell whether a call is about a file that may be in the candidate's folders."""
    import ast  # noqa: PLC0415

    texts = [one.value for one in ast.walk(call) if isinstance(one, ast.Constant)]
    paths = [text for text in texts if isinstance(text, str)]
    return not paths or any(path[:1] != "/" or path[:4] == "/tmp" for path in paths)  # noqa: S108


def skips_by_host(source: str) -> bool:
    """Tell whether all that skips unittest's tests in test code are decorators of the host alone.

    Args:
        source: The test code.
    """
    import ast  # noqa: PLC0415

    nodes = list(ast.walk(ast.parse(source)))
    decorators = [mark for node in nodes for mark in getattr(node, "decorator_list", ())]
    inside = {id(inner) for mark in decorators for inner in ast.walk(mark)}
    for node in nodes:
        renamed = isinstance(node, ast.alias) and node.asname is not None and node.name in _MARKS
        name = getattr(node, "attr", getattr(node, "id", ""))
        if renamed or (name in _MARKS and id(node) not in inside):
            return False
    calls = [mark for mark in decorators if isinstance(mark, ast.Call)]
    conditional = [
        call
        for call in calls
        if getattr(call.func, "attr", getattr(call.func, "id", "")) in _CONDITIONAL
    ]
    named = [
        one.value for call in conditional for one in call.keywords if one.arg in ("condition", None)
    ]
    return all(map(is_of_host, [*named, *(part for call in conditional for part in call.args[:1])]))
