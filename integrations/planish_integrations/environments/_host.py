"""What the interpreter that this process runs on has installed."""

from collections.abc import Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, packages_distributions, version

from packaging.specifiers import SpecifierSet

__all__ = ["distributions_of", "provides"]


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
