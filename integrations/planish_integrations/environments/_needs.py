"""Which distributions of an environment need which."""

from collections.abc import Iterable, Mapping
from importlib.metadata import distributions
from pathlib import Path

from packaging.requirements import InvalidRequirement, Requirement

from ._requirements import name_of, parsed

__all__ = ["needing"]


def needing(site: Path, requirements: Iterable[str], wanted: str) -> tuple[str, ...]:
    """Those of the requirements that, directly or not, bring a distribution with them.

    Conditions on what is needed are not looked at: what is in the environment was needed.
    """
    needs = {
        name_of(one.name): _needs(one.requires or ()) for one in distributions(path=[str(site)])
    }
    names = [parsed(text).name for text in requirements]
    return tuple(name for name in names if wanted in _reached(name, needs))


def _needs(lines: Iterable[str]) -> set[str]:
    found: set[str] = set()
    for line in lines:
        try:
            found.add(name_of(Requirement(line).name))
        except InvalidRequirement:  # pip took it, or did without
            continue
    return found


def _reached(name: str, needs: Mapping[str, set[str]]) -> set[str]:
    reached: set[str] = set()
    left = [name]
    while left:
        one = left.pop()
        if one not in reached:
            reached.add(one)
            left += needs.get(one, ())
    return reached
