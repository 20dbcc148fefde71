"""What may be installed: the allow-list, its pins, denied names and supported specifications."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any, cast

from packaging.requirements import Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from planish.arguments import require_mapping, require_texts
from planish.errors import UnsupportedError

from ._requirements import canonical_name, parse_requirement
from ._spec import EnvSpec

__all__ = ["Allow", "Rules", "require_buildable"]

Allow = Mapping[str, str] | Collection[str]
"""`("numpy", "pandas>=2,<3")`, or name to versions: `{"numpy": "", "pandas": ">=2,<3"}`."""

_MAX_LISTED = 20  # names of the allow-list in a message, which a model reads


class Rules:
    """What may be installed.

    Args:
        allow: Allowed distributions with their version ranges.
        deny: Distributions that may not be installed, not even as dependencies.
        pins: Distribution to its exact version; applies to dependencies too.
        always: Requirements of every environment, which are allowed too.

    Attributes:
        denylist: The denied names.
        always: The requirements of every environment.

    Raises:
        ValueError: a value is not in pip's format, or two contradict each other; an argument is a
            single text, or `pins` is no mapping.
    """

    def __init__(
        self,
        allow: Allow,
        deny: Collection[str],
        pins: Mapping[str, str],
        always: Collection[str] = (),
    ) -> None:
        require_mapping("Environments", "pins", pins, "versions by distribution")
        require_texts("Environments", "always", always)
        require_texts("Environments", "deny", deny)
        self._pins = {canonical_name(name): _version(name, pin) for name, pin in pins.items()}
        always_required = {one.name: one for one in _allowed(always)}
        from_allow = {one.name: one for one in _allowed(allow)}
        for name in always_required.keys() & from_allow.keys():  # both hold
            from_allow[name].specifier &= always_required[name].specifier
            from_allow[name].extras |= always_required[name].extras
        self._allowed = {
            name: self._pinned(one) for name, one in {**always_required, **from_allow}.items()
        }
        self._always = {name: self._allowed[name] for name in always_required}
        self.always = tuple(map(str, self._always.values()))
        self.denylist = frozenset(map(canonical_name, deny))
        if both := sorted(self.denylist & self._allowed.keys()):
            raise ValueError(f"{both[0]!r} is both allowed and denied")

    def config(self) -> Mapping[str, Any]:
        """Return what is allowed, denied and pinned, for fingerprints."""
        allowed = {name: str(one) for name, one in self._allowed.items()}
        return {
            "allowed": allowed,
            "pins": self._pins,
            "denied": sorted(self.denylist),
            "always": self.always,
        }

    def _pinned(self, requirement: Requirement) -> Requirement:
        pin = self._pins.get(requirement.name)
        if pin is not None:
            if not requirement.specifier.contains(pin, prereleases=True):
                raise ValueError(f"the pin {requirement.name}=={pin} is not in {requirement}")
            requirement.specifier = SpecifierSet(f"=={pin}")
        return requirement

    def choose(self, distributions: Iterable[str]) -> Requirement | None:
        """Return the requirement for the first distribution that is allowed; None if none is."""
        for name in map(canonical_name, distributions):
            if name in self._allowed:
                return self._allowed[name]
        return None

    def with_versions(self, text: str) -> str:
        """Return a requirement; one without versions gets those of the allow-list."""
        requirement = parse_requirement(text)
        known = self._allowed.get(requirement.name, requirement)
        return str(known if str(requirement) == requirement.name else requirement)

    def in_every_environment(self, distribution: str) -> Requirement | None:
        """Return the requirement of every environment for a distribution; None if it has none."""
        return self._always.get(canonical_name(distribution))

    def denies(self, distributions: Iterable[str]) -> bool:
        """Return whether one of the distributions is denied by name."""
        return any(canonical_name(name) in self.denylist for name in distributions)

    def constraints(self) -> tuple[str, ...]:
        """Return the versions that apply to all distributions, dependencies included."""
        ranges = {one.name: f"{one.name}{one.specifier}" for one in self._allowed.values()}
        pins = {name: f"{name}=={pin}" for name, pin in self._pins.items()}
        bound = {name: text for name, text in {**ranges, **pins}.items() if text != name}
        return tuple(bound.values())

    def refusal(self, requirement: Requirement) -> str | None:
        """Return why an explicit requirement is not allowed; None if it is allowed."""
        allowed = self.choose((requirement.name,))
        if allowed is None:
            return f"{requirement.name} is not allowed here; {self.describe()}"
        extras = requirement.extras - allowed.extras
        if extras:
            return f"{requirement.name}[{','.join(sorted(extras))}] is not allowed, but {allowed}"
        exact = [one.version for one in requirement.specifier if one.operator == "=="]
        for version in exact:
            if not allowed.specifier.contains(version.removesuffix(".*"), prereleases=True):
                return f"{requirement} is not allowed, but {allowed}"
        return None

    def describe(self) -> str:
        """Return a short description of the allow-list, for messages."""
        names = [str(one) for _, one in sorted(self._allowed.items())]
        if not names:
            return "nothing may be installed"
        more = f" and {len(names) - _MAX_LISTED} more" if len(names) > _MAX_LISTED else ""
        return f"allowed: {', '.join(names[:_MAX_LISTED])}{more}"


def _allowed(allow: Allow) -> Iterable[Requirement]:
    if not isinstance(allow, Mapping):
        require_texts("Environments", "allow", allow)
        return [parse_requirement(text) for text in allow]
    requirements: list[Requirement] = []
    for name, versions in cast("Mapping[str, str]", allow).items():
        requirement = parse_requirement(name)
        try:
            requirement.specifier &= SpecifierSet(versions)
        except InvalidSpecifier:
            raise ValueError(f"allow={{{name!r}: {versions!r}}}: write '>=2,<3' or ''") from None
        requirements.append(requirement)
    return requirements


def _version(name: str, pin: str) -> str:
    try:
        return str(Version(pin))
    except InvalidVersion:
        raise ValueError(f"pins={{{name!r}: {pin!r}}}: must be one version") from None


_CONTAINER = "use a container"


def require_buildable(spec: EnvSpec, rules: Rules) -> None:
    """Raise an error for a specification that a local environment cannot or may not satisfy.

    Raises:
        UnsupportedError: it names the field and the alternative.
    """
    local = EnvSpec()
    for name in ("language", "python", "implementation", "platform", "abi"):
        value, own = getattr(spec, name), getattr(local, name)
        if value != own:
            raise UnsupportedError(
                f"EnvSpec({name}={value!r}): this interpreter is {own!r}; "
                f"run planish on such an interpreter, or {_CONTAINER}"
            )
    for name in ("system_packages", "commands", "base_image"):
        if value := getattr(spec, name):
            raise UnsupportedError(
                f"EnvSpec({name}={value!r}): a local environment contains Python packages only; "
                f"{_CONTAINER}"
            )
    for text in spec.requirements:
        refusal = rules.refusal(parse_requirement(text))
        if refusal is not None:
            raise UnsupportedError(f"EnvSpec(requirements=...): {refusal}")
