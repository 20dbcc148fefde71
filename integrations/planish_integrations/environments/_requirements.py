"""Requirements as pip writes them, in one spelling each."""

from collections.abc import Collection, Iterable, Mapping
from importlib.metadata import distributions
from pathlib import Path
from typing import TypeVar

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

__all__ = ["canonical", "name_of", "needing", "parsed", "several"]

T = TypeVar("T")


def name_of(distribution: str) -> str:
    """A distribution's name as it is compared: `Ruamel_Yaml` is "ruamel-yaml"."""
    return str(canonicalize_name(distribution))


def parsed(text: str) -> Requirement:
    """A requirement: a name, perhaps extras, perhaps versions.

    Raises:
        ValueError: it is not one, or is an address, or holds on some systems only.
    """
    try:
        requirement = Requirement(text)
    except InvalidRequirement as error:
        reason = str(error).splitlines()[0]
        raise ValueError(f"{text!r} is not a requirement like 'pandas>=2,<3': {reason}") from None
    if requirement.url is not None:
        raise ValueError(f"{requirement.name!r}: an address is not allowed; give find_links=...")
    if requirement.marker is not None:
        raise ValueError(f"{text!r}: a condition is not allowed; leave out what does not hold here")
    requirement.name = name_of(requirement.name)
    return requirement


def canonical(texts: Iterable[str]) -> tuple[str, ...]:
    """Requirements in one spelling, sorted, each once.

    Raises:
        ValueError: as `parsed`; or two differ and have the same name.
    """
    found: dict[str, str] = {}
    for text in texts:
        requirement = parsed(text)
        if found.setdefault(requirement.name, str(requirement)) != str(requirement):
            raise ValueError(f"{requirement.name!r} is required twice: join them with a comma")
    return tuple(sorted(found.values()))


def several(argument: str, texts: Collection[T]) -> Collection[T]:
    """The same texts.

    Raises:
        TypeError: it is one text, which is a collection of letters too.
    """
    if isinstance(texts, str):
        raise TypeError(f"{argument}={texts!r}: must be several texts, not one")
    return texts


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
