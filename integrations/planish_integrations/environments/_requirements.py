"""Parse and normalize pip requirements, and find which of them depend on a distribution."""

from collections.abc import Iterable, Mapping
from importlib.metadata import distributions
from pathlib import Path

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

__all__ = [
    "canonical_name",
    "canonical_requirements",
    "dependents_of",
    "parse_requirement",
]


def canonical_name(distribution: str) -> str:
    """Return a distribution's normalized name: "ruamel-yaml" for `Ruamel_Yaml`."""
    return str(canonicalize_name(distribution))


def parse_requirement(text: str) -> Requirement:
    """Return a parsed requirement: a name with optional extras and versions.

    Raises:
        ValueError: the text is no requirement, contains an address or has an environment marker.
    """
    try:
        requirement = Requirement(text)
    except InvalidRequirement as error:
        reason = str(error).splitlines()[0]
        raise ValueError(f"{text!r} is not a requirement like 'pandas>=2,<3': {reason}") from None
    if requirement.url is not None:
        raise ValueError(f"{requirement.name!r}: an address is not allowed; use find_links=...")
    if requirement.marker is not None:
        raise ValueError(
            f"{text!r}: a marker is not allowed; leave the requirement out where it does not apply"
        )
    requirement.name = canonical_name(requirement.name)
    return requirement


def canonical_requirements(texts: Iterable[str]) -> tuple[str, ...]:
    """Return normalized requirements, sorted, each once.

    Raises:
        ValueError: as for `parse_requirement`; or two differ and have the same name.
    """
    normalized: dict[str, str] = {}
    for text in texts:
        requirement = parse_requirement(text)
        if normalized.setdefault(requirement.name, str(requirement)) != str(requirement):
            raise ValueError(
                f"{requirement.name!r} is required twice: join the version ranges with a comma"
            )
    return tuple(sorted(normalized.values()))


def dependents_of(site: Path, requirements: Iterable[str], distribution: str) -> tuple[str, ...]:
    """Return the requirements that install a distribution as a direct or indirect dependency.

    Environment markers are ignored, because what is installed was needed.
    """
    dependencies = {
        canonical_name(one.name): _dependency_names(one.requires or ())
        for one in distributions(path=[str(site)])
    }
    names = [parse_requirement(text).name for text in requirements]
    return tuple(name for name in names if distribution in _transitive(name, dependencies))


def _dependency_names(lines: Iterable[str]) -> set[str]:
    normalized: set[str] = set()
    for line in lines:
        try:
            normalized.add(canonical_name(Requirement(line).name))
        except InvalidRequirement:  # pip accepted or ignored it
            continue
    return normalized


def _transitive(name: str, dependencies: Mapping[str, set[str]]) -> set[str]:
    names: set[str] = set()
    pending = [name]
    while pending:
        one = pending.pop()
        if one not in names:
            names.add(one)
            pending += dependencies.get(one, ())
    return names
