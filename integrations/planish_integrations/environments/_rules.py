"""What may be installed: the allow-list, with its pins and what is denied."""

from collections.abc import Collection, Iterable, Mapping
from typing import cast

from packaging.requirements import Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from planish.errors import UnsupportedError

from ._requirements import name_of, parsed, several
from ._spec import EnvSpec

__all__ = ["Allow", "Rules", "check"]

Allow = Mapping[str, str] | Collection[str]
"""`("numpy", "pandas>=2,<3")`, or name to versions: `{"numpy": "", "pandas": ">=2,<3"}`."""

_SHOWN = 20  # names of the allow-list in a refusal: a model needs a choice, not a catalogue


class Rules:
    """What may be installed.

    Args:
        allow: Distributions, with the versions that may be taken.
        deny: Distributions that may not come in, not even because an allowed one needs them.
        pins: Distribution to its one version, also of what is needed besides.
        always: Requirements that are allowed, and in every environment.

    Attributes:
        denied: The names that are denied.
        always: The requirements that are in every environment.

    Raises:
        ValueError: one of them is not of pip's form, or they contradict each other.
        TypeError: `allow` is a single text.
    """

    def __init__(
        self,
        allow: Allow,
        deny: Collection[str],
        pins: Mapping[str, str],
        always: Collection[str] = (),
    ) -> None:
        self._pins = {name_of(name): _version(name, pin) for name, pin in pins.items()}
        everywhere = {one.name: one for one in _allowed(several("always", always))}
        listed = {one.name: one for one in _allowed(allow)}
        self._allowed = {name: self._pinned(one) for name, one in {**everywhere, **listed}.items()}
        self.always = tuple(str(self._allowed[name]) for name in everywhere)
        self.denied = frozenset(map(name_of, several("deny", deny)))
        if both := sorted(self.denied & self._allowed.keys()):
            raise ValueError(f"{both[0]!r} is both allowed and denied")

    def _pinned(self, requirement: Requirement) -> Requirement:
        pin = self._pins.get(requirement.name)
        if pin is not None:
            if not requirement.specifier.contains(pin, prereleases=True):
                raise ValueError(f"the pin {requirement.name}=={pin} is not in {requirement}")
            requirement.specifier = SpecifierSet(f"=={pin}")
        return requirement

    def choose(self, distributions: Iterable[str]) -> Requirement | None:
        """The requirement for the first of some distributions that may be installed."""
        for name in map(name_of, distributions):
            if name in self._allowed:
                return self._allowed[name]
        return None

    def bounded(self, text: str) -> str:
        """A requirement; one that is only a name, as it stands in the allow-list."""
        requirement = parsed(text)
        known = self._allowed.get(requirement.name, requirement)
        return str(known if str(requirement) == requirement.name else requirement)

    def denies(self, distributions: Iterable[str]) -> bool:
        """One of them is denied by name."""
        return any(name_of(name) in self.denied for name in distributions)

    def constraints(self) -> tuple[str, ...]:
        """The versions that hold for whatever is installed besides."""
        ranges = {one.name: f"{one.name}{one.specifier}" for one in self._allowed.values()}
        pins = {name: f"{name}=={pin}" for name, pin in self._pins.items()}
        bound = {name: text for name, text in {**ranges, **pins}.items() if text != name}
        return tuple(bound.values())

    def refusal(self, requirement: Requirement) -> str | None:
        """Why a requirement that somebody wrote down may not be installed; None where it may."""
        allowed = self.choose((requirement.name,))
        if allowed is None:
            return f"{requirement.name} is not allowed here; {self.described()}"
        extras = requirement.extras - allowed.extras
        if extras:
            return f"{requirement.name}[{','.join(sorted(extras))}] is not allowed, but {allowed}"
        exact = [one.version for one in requirement.specifier if one.operator == "=="]
        for version in exact:
            if not allowed.specifier.contains(version.removesuffix(".*"), prereleases=True):
                return f"{requirement} is not allowed, but {allowed}"
        return None

    def described(self) -> str:
        """The allow-list in a few words."""
        names = [str(one) for _, one in sorted(self._allowed.items())]
        if not names:
            return "nothing may be installed"
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        return f"allowed: {', '.join(names[:_SHOWN])}{more}"


def _allowed(allow: Allow) -> Iterable[Requirement]:
    if not isinstance(allow, Mapping):
        return [parsed(text) for text in several("allow", allow)]
    found: list[Requirement] = []
    for name, versions in cast("Mapping[str, str]", allow).items():
        requirement = parsed(name)
        try:
            requirement.specifier &= SpecifierSet(versions)
        except InvalidSpecifier:
            raise ValueError(f"allow={{{name!r}: {versions!r}}}: write '>=2,<3' or ''") from None
        found.append(requirement)
    return found


def _version(name: str, pin: str) -> str:
    try:
        return str(Version(pin))
    except InvalidVersion:
        raise ValueError(f"pins={{{name!r}: {pin!r}}}: must be one version") from None


_CONTAINER = "use a container"


def check(spec: EnvSpec, rules: Rules) -> None:
    """Refuse what cannot or may not be built here, before anything is started.

    Raises:
        UnsupportedError: it names what, and the way out.
    """
    here = EnvSpec()
    for name in ("language", "python", "implementation", "platform", "abi"):
        wanted, found = getattr(spec, name), getattr(here, name)
        if wanted != found:
            raise UnsupportedError(
                f"EnvSpec({name}={wanted!r}): this interpreter is {found!r}; "
                f"run planish on such a one, or {_CONTAINER}"
            )
    for name in ("system_packages", "commands", "base_image"):
        if wanted := getattr(spec, name):
            raise UnsupportedError(
                f"EnvSpec({name}={wanted!r}): a local environment holds Python packages only; "
                f"{_CONTAINER}"
            )
    for text in spec.requirements:
        refusal = rules.refusal(parsed(text))
        if refusal is not None:
            raise UnsupportedError(f"EnvSpec(requirements=...): {refusal}")
