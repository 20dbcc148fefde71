"""What the interpreter that this process runs on has installed."""

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from pathlib import PurePosixPath
from typing import Literal

from packaging.specifiers import SpecifierSet

from ._import_statements import Found, imports_in
from ._known_modules import KNOWN, NAMESPACES
from ._requirements import name_of

__all__ = ["Import", "Origin", "distributions_of", "imports_of", "provides"]


@cache
def _packages() -> Mapping[str, list[str]]:
    # Reads the metadata of everything: tens of milliseconds, so once.
    return packages_distributions()


def distributions_of(module: str) -> tuple[str, ...]:
    """The installed distributions that hold a module of this first part, each once."""
    return tuple(dict.fromkeys(_packages().get(module.partition(".")[0], ())))


def provides(module: str, versions: SpecifierSet) -> bool:
    """A module can be imported here, in one of these versions."""
    for name in distributions_of(module):
        try:
            if versions.contains(version(name), prereleases=True):
                return True
        except PackageNotFoundError:  # it was removed meanwhile
            continue
    return False


Origin = Literal["installed", "table", "name"]
"""How a distribution was found: metadata of this interpreter, our table, or the module's name."""

# What needs no distribution. `sys.stdlib_module_names` is of this interpreter.
_PYTHON = sys.stdlib_module_names | {"__main__"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Import:
    """A module that a program imports and neither Python nor the program brings.

    Attributes:
        module: Its name, as far as it matters: "yaml", "google.protobuf".
        distributions: What would bring it, best first, as PyPI spells it; never empty.
        origin: How these were found. "name" is a guess: the module's own name.
        optional: The program does without it: it catches that it is missing.
        file: Where it is imported first.
        line: The line in there, from 1.
    """

    module: str
    distributions: tuple[str, ...]
    origin: Origin
    optional: bool = False
    file: str = "main.py"
    line: int = 1


def imports_of(code: str | Mapping[str, bytes]) -> tuple[Import, ...]:
    """The modules that code imports from distributions, each once, in the order of the code.

    Read from the syntax tree, so also inside functions, and as `import_module("literal")`.
    Python's own modules, relative imports, files of the program, and what is imported for
    type checkers only are left out. A file that is not Python has no imports.

    Args:
        code: A source, or the files of a program by their relative path; of these all that
            end in ".py" are read.

    Example:
        >>> [one.distributions for one in imports_of("import json, yaml")]
        [('PyYAML',)]
    """
    files = {"main.py": code.encode(errors="replace")} if isinstance(code, str) else code
    wanted: dict[str, Import] = {}
    for path, found in _found(files):
        module, distributions, origin = _distributions(found.module)
        known = wanted.get(module)
        if known is None or (known.optional and not found.optional):
            wanted[module] = Import(
                module=module,
                distributions=distributions,
                origin=origin,
                optional=found.optional,
                file=path,
                line=found.line,
            )
    return tuple(wanted.values())


def _found(files: Mapping[str, bytes]) -> Iterator[tuple[str, Found]]:
    for path, source in files.items():
        if not path.endswith(".py"):
            continue
        own = _modules(files, PurePosixPath()) | _modules(files, PurePosixPath(path).parent)
        for found in imports_in(bytes(source)):
            first = found.module.partition(".")[0]
            if first not in _PYTHON and first not in own:
                yield path, found


def _modules(files: Mapping[str, bytes], folder: PurePosixPath) -> set[str]:
    """The first parts of the modules that lie in a folder of the program."""
    names: set[str] = set()
    for path in map(PurePosixPath, files):
        if path.suffix == ".py" and path.is_relative_to(folder):
            names.add(path.relative_to(folder).parts[0].removesuffix(".py"))
    return names


def _distributions(module: str) -> tuple[str, tuple[str, ...], Origin]:
    """The part of a module's name that matters, what brings it, and how we know."""
    first = module.partition(".")[0]
    shared = first in NAMESPACES
    # Of a shared first part nothing follows; else, what is installed is what was chosen here.
    here = () if shared else distributions_of(first)
    for prefix in _prefixes(module) if shared else (first,):
        if prefix in KNOWN:
            names = {name_of(name): name for name in (*KNOWN[prefix], *here)}
            ordered = dict.fromkeys(map(name_of, (*here, *KNOWN[prefix])))
            return prefix, tuple(names[n] for n in ordered), "installed" if here else "table"
    if here:
        return first, here, "installed"
    if shared:
        return module, (module.replace(".", "-").replace("_", "-"),), "name"
    return first, (first,), "name"


def _prefixes(module: str) -> Iterator[str]:
    """The name and its beginnings, longest first."""
    parts = module.split(".")
    for length in range(len(parts), 0, -1):
        yield ".".join(parts[:length])
