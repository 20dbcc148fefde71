"""Requirements as pip writes them, in one spelling each."""

from collections.abc import Collection, Iterable
from typing import TypeVar

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

T = TypeVar("T")

__all__ = ["canonical", "name_of", "parsed", "several"]


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
