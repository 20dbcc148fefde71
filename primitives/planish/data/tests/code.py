"""Tests as Python code: `Assertions` and `PytestFile`."""

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Literal, cast

from planish.arguments import (
    PATH_EXAMPLE,
    path_fault,
    require_choice,
    require_text,
    require_texts,
)
from planish.data.record import Record, freeze, without_bom
from planish.data.source import describe_error, parse_source
from planish.data.tests.checks import Check, Checks, find_checks
from planish.data.tests.functions import require_parameters
from planish.errors import TaskError

__all__ = [
    "ORIGINS",
    "Assertions",
    "Origin",
    "PytestFile",
    "checks_in",
    "parse_tests",
    "require_parsable",
    "require_use",
]

Origin = Literal["user", "generated"]

ORIGINS: tuple[Origin, ...] = ("user", "generated")
"""All values of `Origin`."""


def parse_tests(code: str, what: str) -> ast.Module:
    """Parse the source of tests and return its tree.

    Args:
        code: Python source.
        what: Name of the source in the error message, such as "the test code".

    Raises:
        TaskError: the source does not parse or compile.
    """
    try:
        return parse_source(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise TaskError(f"{what} does not parse: {describe_error(error)}") from error


@lru_cache(maxsize=128)
def require_parsable(code: str, what: str) -> None:
    """Check that Python source parses and compiles; cached, because tasks are copied often.

    Args:
        code: Python source.
        what: Name of the source in the error message.

    Raises:
        TaskError: it does not.
    """
    parse_tests(code, what)


@lru_cache(maxsize=1024)
def checks_in(code: str) -> Checks:
    """Return the checks of test code; cached, because tasks are copied and run often.

    Raises:
        TaskError: the code does not parse or compile, has a test that only pytest runs, or
            chooses its tests by `load_tests` or `__test__`.
    """
    return find_checks(parse_tests(code, "the test code"))


@dataclass(frozen=True, slots=True)
class Assertions(Record):
    """Test code: assert statements, functions that assert, or a unittest class.

    The candidate's names are visible to it. Every top-level statement that checks something
    is a test by itself: the others run even if it fails.

    Attributes:
        code: The test code, without a byte order mark.
        run_as: "module" (the default): the candidate is imported, `__name__` is "solution",
            and its `if __name__ == "__main__":` part does not run. "script": candidate and
            tests are one program with `__name__ == "__main__"`, as in published benchmarks.
        origin: Who wrote the tests: "user" (the default) or "generated".

    Raises:
        TaskError: the code does not parse, checks nothing, has a test that only pytest runs, or
            chooses its tests by `load_tests` or `__test__`.
    """

    code: str
    run_as: Literal["module", "script"] = "module"
    origin: Origin = "user"

    def __post_init__(self) -> None:
        require_text("Assertions", "code", self.code, error=TaskError)
        object.__setattr__(self, "code", without_bom(self.code))
        run_as = ("module", "script")
        require_choice("Assertions", "run_as", self.run_as, run_as, error=TaskError)
        require_choice("Assertions", "origin", self.origin, ORIGINS, error=TaskError)
        if not self.checks():
            raise TaskError(
                "the tests check nothing: give assert statements, test functions or a "
                f"unittest class, not {self.code.strip()[:80]!r}"
            )

    def checks(self) -> tuple[Check, ...]:
        """Return the expected tests, in the order in which they run."""
        return checks_in(self.code).expected


@dataclass(frozen=True, slots=True)
class PytestFile(Record):
    """A test file for pytest. The sandbox's Python must have pytest installed.

    Attributes:
        source: The file's text. Byte order marks of it and of further `.py` files are removed.
        filename: The file's name, in a form that pytest collects.
        module: The name under which the file imports the candidate.
        origin: Who wrote the tests: "user" (the default) or "generated".
        files: Further files of the tests, by relative path: helper modules, data, a
            `conftest.py`, more test files. They are written to the folder of the first one.
        plugins: Pytest plugins that the tests need, in the form of `pytest -p`:
            "pytest_asyncio". No other installed plugin is loaded.

    Raises:
        TaskError: the file does not parse, or has no test, or a mark that pytest refuses; a
            further `.py` file does not parse; a path is absolute, leaves the folder, or is the
            path of another file or of the candidate's module.
    """

    source: str
    filename: str = "test_solution.py"
    module: str = "solution"
    origin: Origin = "user"
    files: Mapping[str, str] = field(default_factory=dict[str, str])
    plugins: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("source", "filename", "module"):
            require_text("PytestFile", name, getattr(self, name), error=TaskError)
        require_choice("PytestFile", "origin", self.origin, ORIGINS, error=TaskError)
        if not isinstance(cast("object", self.files), Mapping):
            raise TaskError(f"PytestFile(files={self.files!r:.200}): give a dict of texts by path")
        object.__setattr__(self, "source", without_bom(self.source))
        for path, text in self.files.items():
            require_text("PytestFile", "files={...}; a path", path, error=TaskError)
            require_text("PytestFile", f"files={{{path!r}: ...}}; the text", text, error=TaskError)
        files = {p: without_bom(t) if p.endswith(".py") else t for p, t in self.files.items()}
        object.__setattr__(self, "files", files)
        freeze(self, "files")
        tree = parse_tests(self.source, f"the test file {self.filename}")
        require_parameters(tree, f"the test file {self.filename}")
        if not any(name.lower().startswith("test") for name in _global_names(tree)):
            is_path = "\n" not in self.source and self.source.strip().endswith(".py")
            advice = ": give its text, Path(...).read_text(), not its path" if is_path else ""
            raise TaskError(f"the test file {self.filename} has no test function{advice}")
        if not all(part.isidentifier() for part in self.module.split(".")):
            raise TaskError(
                f"PytestFile(module={self.module!r}): not the name of a module, such as 'solution'"
            )
        require_texts("PytestFile", "plugins", self.plugins, error=TaskError)
        self._check_paths()
        for path, text in self.files.items():
            if path.endswith(".py"):
                parse_tests(text, f"the test file {path}")

    def _check_paths(self) -> None:
        owners = dict.fromkeys(module_paths(self.module), "the candidate's module")
        owners["pytest.ini"] = "the configuration that keeps pytest in its folder"
        for path in (self.filename, *self.files):
            fault = path_fault(path)
            if fault is not None:
                raise TaskError(f"PytestFile: the path {path[:300]!r} {fault}; {PATH_EXAMPLE}")
            if path in owners:
                raise TaskError(f"PytestFile: {path!r} is the path of {owners[path]}")
            owners[path] = "another test file"
        for path in owners:
            above = [str(parent) for parent in PurePosixPath(path).parents]
            blocked = next((parent for parent in above if parent in owners), None)
            if blocked is not None:
                raise TaskError(f"PytestFile: {blocked!r} is a file, and {path!r} is in it")


def _global_names(tree: ast.AST) -> Iterator[str]:
    """Yield the names that a file's functions, classes, variables and imports from files have."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.ImportFrom):
            yield from (alias.asname or alias.name for alias in node.names)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def module_paths(module: str) -> tuple[str, ...]:
    """Return the files that would be imported as the candidate's module or its packages."""
    parts = module.split(".")
    whole = "/".join(parts)
    above = ["/".join(parts[:n]) for n in range(1, len(parts))]
    return (f"{whole}.py", f"{whole}/__init__.py", *(f"{package}.py" for package in above))


# Modules by which nothing is imported or read whose name is not in the text.
_INERT = frozenset(
    {"__future__", "abc", "bisect", "cmath", "collections", "contextlib", "copy", "dataclasses"}
    | {"datetime", "decimal", "enum", "fractions", "functools", "heapq", "itertools", "json"}
    | {"math", "numbers", "operator", "pytest", "random", "re", "statistics", "string"}
    | {"textwrap", "time", "typing", "unittest", "warnings"}
)
# Names of builtins and fixtures by which a file may reach any other.
_REACHING = frozenset(
    {"__builtins__", "__import__", "__loader__", "__spec__", "compile", "eval", "exec", "globals"}
    | {"locals", "monkeypatch", "open", "pytest_plugins", "pytestconfig", "pytester", "request"}
    | {"testdir", "vars"}
)


def require_use(paths: Iterable[str], *tests: object) -> None:
    """Check that pytest files could use the code, with their further files.

    It cannot if no import, text or data file of theirs has the name of the code's module, and
    nothing in them could import or read another file: they import only modules of Python and
    pytest that do neither. What comments and docstrings say is no use.

    Args:
        paths: The files of the task; Python files may lead to the code, and nothing is checked.
        tests: The tests; those that are no `PytestFile` are not checked.

    Raises:
        TaskError: it is certain that they never use the code.
    """
    files = [one for one in tests if isinstance(one, PytestFile)]
    unused = next((one for one in files if not _may_use(one)), None)
    if unused is not None and not any(path.endswith(".py") for path in paths):
        raise TaskError(
            f"the test file {unused.filename} never uses the code, which is the module "
            f"{unused.module!r}: write `from {unused.module} import ...` in it; for another name "
            "of the module, PytestFile(..., module='name')"
        )


def _may_use(tests: PytestFile) -> bool:
    parts = frozenset(tests.module.split("."))
    data = (text for path, text in tests.files.items() if not path.endswith(".py"))
    if tests.plugins or any(part in text for text in data for part in parts):
        return True
    sources = (text for path, text in tests.files.items() if path.endswith(".py"))
    stems = (path.removesuffix(".py").partition("/")[0] for path in tests.files)
    known = frozenset({*stems, tests.filename.removesuffix(".py")}) - parts
    return any(_may_reach(source, known, parts) for source in (tests.source, *sources))


@lru_cache(maxsize=64)  # tasks are copied often
def _may_reach(source: str, known: frozenset[str], parts: frozenset[str]) -> bool:
    """Return whether Python source could import the code, or import or read a file.

    Args:
        source: The source.
        known: The modules that are files of the tests.
        parts: The parts of the name of the code's module.
    """
    tree = parse_tests(source, "the test file")
    # Docstrings, and other texts that nothing uses.
    unused = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        names: list[str] = []
        match node:
            case ast.Constant(value=str() | bytes() as value) if id(node) not in unused:
                if any(part in str(value) for part in parts):
                    return True
                continue
            case ast.Import():
                modules = [alias.name for alias in node.names]
            case ast.ImportFrom(level=0, module=str() as module):
                modules = [module]
            case ast.ImportFrom():  # a relative import: of one of the files, or of the code
                modules = [alias.name for alias in node.names]
                modules += [] if node.module is None else [node.module]
            case ast.Name(id=name) | ast.arg(arg=name) | ast.Attribute(attr=name):
                modules, names = [], [name]
            case _:
                continue
        tops = {module.partition(".")[0] for module in modules}
        if tops & parts or not tops <= _INERT | known or any(one in _REACHING for one in names):
            return True
        if isinstance(node, ast.Attribute) and node.attr.startswith("__"):
            return True
    return False
