"""Load the names of a package when they are first used: importing the package stays cheap."""

from collections.abc import Callable, Mapping
from importlib import import_module
from sys import modules
from types import ModuleType

__all__ = ["load_now", "load_on_use"]


def load_on_use(package: str, names: Mapping[str, str]) -> Callable[[str], object]:
    """Return the `__getattr__` of a package that imports the module of a name on its first use.

    Args:
        package: The package's `__name__`.
        names: For each of its modules, the public names in it, with spaces between them.
    """
    module_of = {name: module for module, listed in names.items() for name in listed.split()}

    def load(name: str) -> object:
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value: object = getattr(import_module(f"{package}.{module_of[name]}"), name)
        setattr(modules[package], name, value)
        return value

    return load


def load_now(package: ModuleType) -> None:
    """Load all names of a package that loads them when they are first used.

    A step that needs the package calls this when it is constructed: when it first runs, the process
    may have lost its access to the package's files, or another version may be installed.

    Args:
        package: The package.
    """
    for name in package.__all__:
        getattr(package, name)
