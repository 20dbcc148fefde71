"""The files of a candidate: which cannot be laid out, and where they are in its programs."""

import ast
import sys
import unicodedata
from collections.abc import Iterator, Mapping

from planish.compiling import without_warnings
from planish.data.candidate import Candidate
from planish.data.execution import Failure
from planish.data.program import path_fault
from planish.data.tests import Assertions, PytestFile
from planish.guest.protocol import CANDIDATE_FILES, VALUE, bounded
from planish.verification._analysis import nodes_of

__all__ = ["file_failure", "laid_out", "modules"]

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
        stem = path.removesuffix(".py").removesuffix("/__init__")
        name = stem.replace("/", ".")
        if path.endswith(".py") and name in imported:
            names.add(name)
    return sorted(names, key=lambda name: (-name.count("."), name))


def _imported(candidate: Candidate) -> set[str]:
    """Return the names of modules, with their packages, in the imports of the tests."""
    match candidate.task.tests:
        case Assertions(code=code):
            sources = [code]
        case PytestFile(source=source, files=files):
            sources = [source, *(text for path, text in files.items() if path.endswith(".py"))]
        case _:
            sources = []
    names: set[str] = set()
    for source in sources if candidate.files else ():
        for node in nodes_of(source):
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
    folded: dict[str, str] = {}
    folders = {_fold(folder) for path in candidate.files for folder in _parents(path)}
    for path in candidate.files:
        key = _fold(path)
        top = path.partition("/")[0]
        fault = path_fault(path)
        if fault is not None:
            yield path, fault
        elif key in reserved or top.lower().startswith("_planish") or _is_main(candidate, path):
            yield path, "is the path of the main file, of a test or of the verification: rename it"
        elif key in folded:
            yield path, f"differs from {folded[key][:200]!r} by case only: rename it"
        elif key in folders:
            yield path, "is a file, and other files are in it"
        elif python and path.endswith(".py") and top.removesuffix(".py") in sys.stdlib_module_names:
            yield path, "has the name of a module of the standard library: rename it"
        folded.setdefault(key, path)


def _reserved_paths(candidate: Candidate) -> set[str]:
    """Return the paths that are not the candidate's to write, folded."""
    if candidate.task.language != "python":
        return set()
    tests = candidate.task.tests
    if not isinstance(tests, PytestFile):
        return set(_RESERVED)
    names = {tests.filename, *tests.files, "pytest.ini", "conftest.py", "plan.bin"}
    return {_fold(name) for name in names}


def _is_main(candidate: Candidate, path: str) -> bool:
    """Return whether a path is that of the file in which the main code is run."""
    if candidate.task.language != "python":
        return False
    tests = candidate.task.tests
    module = tests.module if isinstance(tests, PytestFile) else "solution"
    return _fold(path) == _fold(module.replace(".", "/") + ".py")


def _fold(path: str) -> str:
    """Return what equal paths have in common on a file system that ignores case."""
    return unicodedata.normalize("NFC", path).casefold()


def _parents(path: str) -> Iterator[str]:
    parts = path.split("/")[:-1]
    return ("/".join(parts[: number + 1]) for number in range(len(parts)))


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
