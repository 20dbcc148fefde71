"""`imports_of`: find the distributions that a program imports, without running it."""

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from pathlib import PurePosixPath
from typing import Literal

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from ._import_statements import ImportStatement, import_statements
from ._known_modules import KNOWN_MODULES, NAMESPACES
from ._requirements import canonical_name

__all__ = ["Import", "Origin", "distributions_of", "imports_of", "is_installed"]


@cache
def _packages() -> Mapping[str, list[str]]:
    # Cached, because it reads the metadata of every distribution: tens of milliseconds.
    return packages_distributions()


def distributions_of(module: str) -> tuple[str, ...]:
    """Return the installed distributions that contain the first part of a module's name."""
    return tuple(dict.fromkeys(_packages().get(module.partition(".")[0], ())))


def is_installed(module: str, versions: SpecifierSet) -> bool:
    """Return whether this interpreter can import a module in one of these versions."""
    for name in distributions_of(module):
        try:
            if versions.contains(version(name), prereleases=True):
                return True
        except PackageNotFoundError:  # uninstalled in the meantime
            continue
    return False


def has_distribution(requirement: Requirement) -> bool:
    """Return whether this interpreter has a distribution in the required version."""
    try:
        return requirement.specifier.contains(version(requirement.name), prereleases=True)
    except PackageNotFoundError:
        return False


Origin = Literal["installed", "table", "name"]
"""How a distribution was found: this interpreter's metadata, the table, or the module's name."""

# Modules that need no distribution, for this interpreter's version of Python.
_PYTHON = sys.stdlib_module_names | {"__main__"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Import:
    """A module that a program imports and that is neither in Python nor in the program.

    Attributes:
        module: Its name, as far as it decides the distribution: "yaml", "google.protobuf".
        distributions: The distributions that contain it, best first, as PyPI spells them; never
            empty.
        origin: How they were found. "name" is a guess: the module's own name.
        optional: The program runs without it: it catches the ImportError.
        file: The file that imports it first.
        line: The line in that file, from 1.
    """

    module: str
    distributions: tuple[str, ...]
    origin: Origin
    optional: bool = False
    file: str = "main.py"
    line: int = 1


def imports_of(code: str | Mapping[str, bytes]) -> tuple[Import, ...]:
    """Return the modules that code imports from distributions, each once, in source order.

    They are read from the syntax tree, so imports inside functions count, and so does
    `import_module("literal")`. Python's own modules, relative imports, the program's own files and
    imports for type checkers only are left out. A file that is not Python has no imports.

    Args:
        code: A source, or the files of a program by relative path, of which those that end in
            ".py" are read.

    Example:
        >>> [one.distributions for one in imports_of("import json, yaml")]
        [('PyYAML',)]
    """
    files = {"main.py": code.encode(errors="replace")} if isinstance(code, str) else code
    imports: dict[str, Import] = {}
    for path, statement in _statements(files):
        module, distributions, origin = _distributions(statement.module)
        previous = imports.get(module)
        if previous is None or (previous.optional and not statement.optional):
            imports[module] = Import(
                module=module,
                distributions=distributions,
                origin=origin,
                optional=statement.optional,
                file=path,
                line=statement.line,
            )
    return tuple(imports.values())


# Where a program has the other files of a candidate, which copies them to its working directory.
_CANDIDATE_FILES = PurePosixPath("_planish_files")


def _statements(files: Mapping[str, bytes]) -> Iterator[tuple[str, ImportStatement]]:
    for path, source in files.items():
        if not path.endswith(".py"):
            continue
        own = _own_modules(files, PurePosixPath()) | _own_modules(files, PurePosixPath(path).parent)
        own |= _own_modules(files, _CANDIDATE_FILES)
        for statement in import_statements(bytes(source)):
            first = statement.module.partition(".")[0]
            if first not in _PYTHON and first not in own:
                yield path, statement


def _own_modules(files: Mapping[str, bytes], folder: PurePosixPath) -> set[str]:
    """Return the first parts of the modules in a folder of the program."""
    names: set[str] = set()
    for path in map(PurePosixPath, files):
        if path.suffix == ".py" and path.is_relative_to(folder):
            names.add(path.relative_to(folder).parts[0].removesuffix(".py"))
    return names


def _distributions(module: str) -> tuple[str, tuple[str, ...], Origin]:
    """Return the part of a module name that matters, its distributions and their origin."""
    first = module.partition(".")[0]
    shared = first in NAMESPACES
    # A shared first part identifies no distribution; otherwise an installed one is preferred.
    installed = () if shared else distributions_of(first)
    for prefix in _prefixes(module) if shared else (first,):
        if prefix in KNOWN_MODULES:
            names = {canonical_name(name): name for name in (*KNOWN_MODULES[prefix], *installed)}
            ordered = dict.fromkeys(map(canonical_name, (*installed, *KNOWN_MODULES[prefix])))
            return prefix, tuple(names[n] for n in ordered), "installed" if installed else "table"
    if installed:
        return first, installed, "installed"
    if shared:
        return module, (module.replace(".", "-").replace("_", "-"),), "name"
    return first, (first,), "name"


def _prefixes(module: str) -> Iterator[str]:
    """Yield the dotted name and its prefixes, longest first."""
    parts = module.split(".")
    for length in range(len(parts), 0, -1):
        yield ".".join(parts[:length])
