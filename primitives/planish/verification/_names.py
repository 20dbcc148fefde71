"""The names that tests use: which of them need the candidate's own process."""

import ast
from collections.abc import Mapping
from functools import lru_cache

from planish.data.tests import Assertions, Cases, PytestFile, StdioPairs, Tests
from planish.verification._analysis import nodes_of
from planish.verification._process_state import uses_of_process

__all__ = ["names_used", "shared_process_reason"]

# Tests use these to read state of the candidate's own process: log records, warnings,
# descriptors, signatures of classes, weak references, frames of tracebacks, tasks of other event
# loops than asyncio's, objects that are equal only within their own class. The compiled code of
# these libraries takes objects of its own classes only, and no stand-ins.
_LIBRARIES = (
    *("pandas", "polars", "pyarrow", "xarray", "dask", "torch", "tensorflow", "jax", "scipy"),
    *("sklearn", "sympy", "networkx", "shapely", "PIL", "lxml", "pydantic"),
    "DataFrame",
)
_CLASSES = ("SimpleNamespace", "IntEnum", "IntFlag", *_LIBRARIES)
_LOGS = ("assertLogs", "assertNoLogs", "caplog", "getLogger", "basicConfig", "dictConfig")
_WARNINGS = (
    "assertWarns",
    "assertWarnsRegex",
    "catch_warnings",
    "deprecated_call",
    "recwarn",
    "simplefilter",
)
_DECIMALS = ("getcontext", "setcontext", "localcontext")
_DOCTESTS = ("testmod", "DocTestFinder", "DocTestSuite", "run_docstring_examples")
_LOOPS = ("anyio", "trio", "curio")
_FRAMES = ("extract_tb", "walk_tb", "tb_frame", "tb_next", "getinnerframes")
_REASONS: Mapping[str, str] = {
    **dict.fromkeys(_LOGS, "log records"),
    **dict.fromkeys((*_WARNINGS, "warns"), "warnings"),
    **dict.fromkeys(("capfd", "capfdbinary"), "what is written to descriptors"),
    **dict.fromkeys(("create_autospec", "autospec"), "signatures of the code's classes"),
    **dict.fromkeys(("weakref",), "when objects of the code end"),
    **dict.fromkeys(_FRAMES, "frames of the code"),
    **dict.fromkeys(_DECIMALS, "the precision of decimals"),
    **dict.fromkeys(_DOCTESTS, "examples in the code"),
    **dict.fromkeys(("reload",), "how the code is loaded"),
    **dict.fromkeys(("__new__",), "how objects of the code are made"),
    **dict.fromkeys(_LOOPS, "tasks of an event loop other than asyncio's"),
    **dict.fromkeys(_CLASSES, "objects of a library's own class"),
    "__sizeof__": "the memory of the code",
}


def shared_process_reason(tests: Tests | None) -> str:
    """Return why tests must run in the candidate's process; "" if they need not.

    The reason depends on the tests only, so that a candidate cannot cause it.

    Args:
        tests: The tests of a task.
    """
    match tests:
        case Assertions():
            return _shared_process_reason(tests.code, "solution")
        case PytestFile():
            sources = [tests.source]
            sources += [text for path, text in tests.files.items() if path.endswith(".py")]
            reasons = [_shared_process_reason(source, tests.module) for source in sources]
            return next((reason for reason in reasons if reason), "")
        case Cases() | StdioPairs() | None:
            return ""


@lru_cache(maxsize=64)
def _shared_process_reason(code: str, module: str) -> str:
    unloads = "modules" in code and any(_unloads(node, module) for node in nodes_of(code))
    names = ["reload"] if unloads else []
    made = ["__new__"] if "__new__" in code and _reads_new(code) else []
    for name in (*_names(code), *names, *made):
        if name in _REASONS and (name != "__new__" or made):
            means = "sys.modules" if name in names else name
            return (
                f"the tests inspect {_REASONS[name]} with {means!r}, which is possible in the "
                "candidate's own process only: they ran there"
            )
    for what, name in uses_of_process(code, module):
        return (
            f"the tests inspect {what} with {name!r}, which is possible in the candidate's own "
            "process only: they ran there"
        )
    return ""


def _unloads(node: ast.AST, module: str) -> bool:
    """Tell whether code takes a module out of `sys.modules` that may be the candidate's.

    It is imported again from its start after that.
    """
    match node:
        case ast.Delete(targets=[ast.Subscript(value=ast.Attribute(attr="modules"), slice=key)]):
            pass
        case ast.Call(
            func=ast.Attribute(value=ast.Attribute(attr="modules"), attr="pop"), args=[key, *_]
        ):
            pass
        case ast.Call(
            func=ast.Attribute(attr="delitem"), args=[ast.Attribute(attr="modules"), key, *_]
        ):
            pass
        case _:
            return False
    name = key.value if isinstance(key, ast.Constant) else module
    return str(name).partition(".")[0] == module.partition(".")[0]


def _reads_new(code: str) -> bool:
    """Tell whether code looks at the `__new__` of a class, and does not call it."""
    nodes = nodes_of(code)
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    found = (node for node in nodes if isinstance(node, ast.Attribute) and node.attr == "__new__")
    return any(isinstance(node.ctx, ast.Load) and id(node) not in called for node in found)


def names_used(tests: Tests | None) -> frozenset[str]:
    """Return the names that the code of tests uses: of variables, attributes, imports."""
    match tests:
        case Assertions():
            sources = [tests.code]
        case PytestFile():
            sources = [tests.source]
            sources += [text for path, text in tests.files.items() if path.endswith(".py")]
        case Cases():
            sources = [case.predicate.strip() for case in tests.cases if case.predicate]
        case StdioPairs(checker=str(checker)):
            sources = [checker]
        case StdioPairs() | None:
            sources = []
    return frozenset(name for source in sources for name in _names(source))


@lru_cache(maxsize=64)
def _names(code: str) -> tuple[str, ...]:
    names: list[str] = []
    for node in nodes_of(code):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name):
                pass
            case ast.keyword(arg=str(name)) | ast.alias(name=name):
                pass
            case ast.ImportFrom(module=str(name)):
                pass
            case _:
                continue
        names.append(name.partition(".")[0])  # of a module within a package
    return tuple(names)
