"""The files of a candidate and of its task: what cannot be laid out, and what is laid out where."""

import ast
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence

from planish.arguments import path_fault
from planish.compiling import without_warnings
from planish.data.candidate import Candidate
from planish.data.execution import Failure
from planish.data.files import case_fault, fold_path, parents
from planish.data.tests import Assertions, Cases, PytestFile, StdioPairs
from planish.guest.protocol import CANDIDATE_FILES, VALUE, bounded
from planish.verification._analysis import nodes_of

__all__ = ["file_failure", "laid_out", "main_file", "modules", "optional_modules", "task_modules"]

_MAX_FILES = 1_000
_MAX_BYTES = 8 << 20
_MAX_FAULTS = 5  # faults in a message
_MAX_COMPILED = 50_000  # characters, as for the main file
_RESERVED = frozenset({"solution.py", "preamble.py", "tests.py", "plan.bin"})


def laid_out(candidate: Candidate) -> Mapping[str, bytes]:
    """Return the candidate's other files, as a program has them: content by path.

    They are in a folder that no process imports from. The candidate's process copies them to
    their paths, so that the verifier cannot import one in place of a module of its own.
    """
    files = dict(candidate.files)
    if files and candidate.path is not None and not _is_main(candidate, candidate.path):
        files.setdefault(candidate.path, candidate.code)  # for the files that import it
    return {
        f"{CANDIDATE_FILES}/{path}": content.encode("utf-8", "replace")
        for path, content in files.items()
    }


def modules(candidate: Candidate) -> list[str]:
    """Return the candidate's modules that its tests import; those within packages first.

    Only these are served to the process that decides. Whatever else runs there may try to import
    a module that is not installed, and must not get one of the candidate's.
    """
    imported = _imported(candidate)
    names: set[str] = set()
    for path in candidate.files if imported else ():
        name = _module_name(path)
        if path.endswith(".py") and name in imported:
            names.add(name)
    return sorted(names, key=lambda name: (-name.count("."), name))


def optional_modules(candidate: Candidate) -> list[str]:
    """Return the candidate's modules that its tests import only if they are there.

    The tests have something of their own in place of them, so that these may be libraries, by
    which they compare, that the sandbox does not have.
    """
    names: set[str] = set()
    for source in _sources(candidate):
        for node in nodes_of(source):
            if isinstance(node, ast.Try) and _catches_import(node):
                names |= _imports_in(inner for one in node.body for inner in ast.walk(one))
    return [name for name in modules(candidate) if name in names]


_CAUGHT = ("ImportError", "ModuleNotFoundError", "Exception", "BaseException")


def _catches_import(node: ast.Try) -> bool:
    """Tell whether a statement goes on without an import that fails, and imports nothing else."""
    inner = [one for handler in node.handlers for one in ast.walk(handler)]
    names = {one.id for one in inner if isinstance(one, ast.Name)}
    caught = not names.isdisjoint(_CAUGHT) or any(one.type is None for one in node.handlers)
    return caught and not any(isinstance(one, ast.Import | ast.ImportFrom) for one in inner)


def task_modules(candidate: Candidate) -> dict[str, str]:
    """Return the texts of the task's Python files, by path, if its tests import one of them.

    The process that decides imports these texts, not the files, which the candidate can write.
    """
    task = candidate.task
    texts = {path: data for path, data in task.files.items() if path.endswith(".py")}
    names = _imported(candidate) | _imports_of([task.preamble]) if texts else set[str]()
    if not any(_module_name(path) in names for path in texts):
        return {}
    return {path: data.decode("utf-8-sig", "replace") for path, data in texts.items()}


def _module_name(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _imported(candidate: Candidate) -> set[str]:
    """Return the names of modules, with their packages, in the imports of the tests."""
    if not candidate.files and not candidate.task.files:
        return set()
    return _imports_of(_sources(candidate))


def _sources(candidate: Candidate) -> list[str]:
    """Return the texts of the tests that are Python code."""
    match candidate.task.tests:
        case Assertions(code=code):
            return [code]
        case PytestFile(source=source, files=files):
            return [source, *(text for path, text in files.items() if path.endswith(".py"))]
        case Cases() | StdioPairs() | None:
            return []


def _imports_of(sources: Sequence[str]) -> set[str]:
    names: set[str] = set()
    for source in sources:
        try:
            nodes = nodes_of(source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):  # of a preamble
            continue
        names |= _imports_in(nodes)
    return names


def _imports_in(nodes: Iterable[ast.AST]) -> set[str]:
    """Return the names of modules, with their packages, that syntax imports."""
    names: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module)
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return names | {name[:at] for name in names for at, one in enumerate(name) if one == "."}


def file_failure(candidate: Candidate) -> Failure | None:
    """Return why the files of a candidate cannot be laid out; None if they can.

    There are more than 1,000 files or 8 MiB; a path is absolute, leads out of the working
    directory, names a folder and a file, differs from another by case only, or is that of the
    main file, of a test or of the verification; a module has the name of one of the standard
    library; or a file is Python that does not compile.
    """
    if not candidate.files:
        return None
    if len(candidate.files) > _MAX_FILES:
        return _failure(f"it has {len(candidate.files):,} files: at most {_MAX_FILES:,} are run")
    size = sum(len(content.encode("utf-8", "replace")) for content in candidate.files.values())
    if size > _MAX_BYTES:
        return _failure(f"its files have {size:,} bytes: at most {_MAX_BYTES:,} are run")
    faults = [f"{path[:200]!r} {fault}" for path, fault in _faults(candidate)]
    if faults:
        more = f", and {len(faults) - _MAX_FAULTS} more" if len(faults) > _MAX_FAULTS else ""
        return _failure("; ".join(faults[:_MAX_FAULTS]) + more)
    return _syntax_failure(candidate)


def _failure(message: str) -> Failure:
    return Failure(name="UnusableFiles", message=bounded(message, VALUE))


def _faults(candidate: Candidate) -> Iterator[tuple[str, str]]:
    """Yield each path that cannot be laid out, and why."""
    python = candidate.task.language == "python"
    reserved = _reserved_paths(candidate)
    inputs = {fold_path(path) for path in candidate.task.files}
    input_folders = {folder for path in inputs for folder in parents(path)}
    folded: dict[str, str] = {}
    for path in candidate.task.files:
        case_fault(path, folded)  # a folder of the task has one spelling
    folders = {fold_path(folder) for path in candidate.files for folder in parents(path)}
    for path in candidate.files:
        key = fold_path(path)
        top = path.partition("/")[0]
        fault = path_fault(path)
        twin = None if fault else case_fault(path, folded)
        if fault is not None:
            yield path, fault
        elif key in reserved or top.lower().startswith("_planish") or _is_main(candidate, path):
            yield path, "is the path of the main file, of a test or of the verification: rename it"
        elif key in inputs or inputs.intersection(parents(key)):
            yield path, "is the path of a file of the task: read that one, and rename this one"
        elif twin is not None:
            yield path, twin
        elif key in folders or key in input_folders:
            yield path, "is a file, and other files are in it"
        elif python and path.endswith(".py") and top.removesuffix(".py") in sys.stdlib_module_names:
            yield path, "has the name of a module of the standard library: rename it"


def _reserved_paths(candidate: Candidate) -> set[str]:
    """Return the paths that are not the candidate's to write, folded."""
    if candidate.task.language != "python":
        return set()
    tests = candidate.task.tests
    if not isinstance(tests, PytestFile):
        return set(_RESERVED)
    names = {tests.filename, *tests.files, "pytest.ini", "conftest.py", "plan.bin"}
    return {fold_path(name) for name in names}


def _is_main(candidate: Candidate, path: str) -> bool:
    """Return whether a path is that of the file in which the main code is run."""
    if candidate.task.language != "python":
        return False
    return fold_path(path) == fold_path(main_file(candidate))


def main_file(candidate: Candidate) -> str:
    """Return the path of the file in which the main code of a Python candidate is run.

    A module that a pytest file imports may be a package, if the reply gives the code that path.
    """
    tests = candidate.task.tests
    if not isinstance(tests, PytestFile):
        return "solution.py"
    folder = tests.module.replace(".", "/")
    package = f"{folder}/__init__.py"
    return package if candidate.path == package else f"{folder}.py"


def _syntax_failure(candidate: Candidate) -> Failure | None:
    """Return the error of the first file that is Python and does not compile."""
    if candidate.task.language != "python":
        return None
    for path, content in candidate.files.items():
        if not path.endswith(".py") or len(content) > _MAX_COMPILED:
            continue
        try:
            with without_warnings():
                compile(content.removeprefix("\ufeff"), "<file>", "exec", dont_inherit=True)
        except SyntaxError as error:
            message = f"{path[:200]}, line {error.lineno}: {error.msg}"
            return Failure(name=type(error).__name__, message=bounded(message, VALUE))
        except (ValueError, RecursionError, MemoryError) as error:
            message = f"{path[:200]}: {error or 'it is nested too deeply'}"
            return Failure(name="SyntaxError", message=bounded(message, VALUE))
    return None
