"""Build an environment exactly as specified, or without the packages that cannot be installed."""

from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Never

from planish.errors import AuthenticationError, SandboxError, UnsupportedError

from ._builder import Builder
from ._pip import PACKAGE_FAILURES, InstallFailure
from ._records import Install, InstallOutcome
from ._requirements import parse_requirement
from ._rules import Rules
from ._spec import EnvSpec
from ._store import BuiltEnvironment

__all__ = [
    "BuildResult",
    "FindReplacement",
    "build_best_effort",
    "build_exact",
    "describe_failure",
    "find_culprits",
    "install_outcome",
    "raise_unless_package_failure",
]

_DESCRIPTIONS = {
    "missing": "it is not in the index, or not for this Python",
    "broken": "the index's files of it are broken",
    "conflict": "it conflicts with the others",
    "denied": "it depends on a denied distribution",
}


def raise_unless_package_failure(failure: InstallFailure) -> None:
    """Raise an error for a failure that is not a package's.

    Raises:
        AuthenticationError: the index refuses the credentials, or requires some.
        SandboxError: the index cannot be reached, or pip or this machine failed.
    """
    if failure.kind not in PACKAGE_FAILURES:
        _raise(failure)


def _raise(failure: InstallFailure) -> Never:
    match failure.kind:
        case "refused":
            raise AuthenticationError(f"the package index rejects the credentials: {failure.text}")
        case "unreachable":
            raise SandboxError(f"the package index cannot be reached: {failure.text}")
        case _:
            raise SandboxError(f"packages could not be installed: {failure.text}")


def install_outcome(failure: InstallFailure) -> InstallOutcome:
    """Return the outcome of a package with this failure."""
    return "missing" if failure.kind == "missing" else "failed"


def describe_failure(failure: InstallFailure) -> str:
    """Return what is wrong with a package, for a reader."""
    return f"{_DESCRIPTIONS[failure.kind]}: {failure.text}"


FindReplacement = Callable[[str, str], Awaitable[str | None]]
"""Takes a requirement that cannot be installed and the reason; returns another one or None."""


@dataclass(frozen=True, slots=True)
class BuildResult:
    """The result of building an environment.

    Attributes:
        spec: What it consists of.
        built: The environment; None if it has no packages.
        fresh: This call built it.
        failures: What was required and is not in it.
    """

    spec: EnvSpec
    built: BuiltEnvironment | None
    fresh: bool
    failures: tuple[Install, ...]


async def build_best_effort(
    builder: Builder,
    make: Callable[[tuple[str, ...]], EnvSpec],
    requirements: Mapping[str, str],
    always: Collection[str] = (),
) -> BuildResult:
    """Return the environment of all requirements that can be installed.

    Args:
        builder: Builds environments.
        make: Returns the specification of some requirements.
        requirements: Requirement to the module it is for.
        always: Those of them that every environment has. One is left out only if they cannot be
            installed by themselves: no program may decide what its tests import.

    Raises:
        SandboxError: the index cannot be reached, or this machine failed.
        AuthenticationError: the index refuses the credentials.
    """
    remaining = dict(requirements)
    failures: list[Install] = []
    while remaining:
        spec = make(tuple(remaining))
        found, fresh = await builder.get(spec)
        if isinstance(found, BuiltEnvironment):
            return BuildResult(spec, found, fresh, tuple(failures))
        raise_unless_package_failure(found)
        culprits = await find_culprits(builder, make, tuple(remaining), found)
        if any(one in always for one in culprits):
            culprits = await _culprits_beside(builder, make, tuple(remaining), culprits, always)
        failures += [_failed_install(text, remaining.pop(text), spec, found) for text in culprits]
    return BuildResult(make(()), None, fresh=False, failures=tuple(failures))


async def _culprits_beside(
    builder: Builder,
    make: Callable[[tuple[str, ...]], EnvSpec],
    requirements: tuple[str, ...],
    culprits: tuple[str, ...],
    always: Collection[str],
) -> tuple[str, ...]:
    """Return what to leave out instead of culprits of which every environment has some."""
    fixed = tuple(one for one in requirements if one in always)
    others = tuple(one for one in requirements if one not in always)
    if not others or not await _can_be_built(builder, make(fixed)):
        return culprits
    if blamed := tuple(one for one in culprits if one in others):
        return blamed
    for one in others:
        if not await _can_be_built(builder, make((*fixed, one))):
            return (one,)
    return others[-1:]  # only several of them together are in conflict with the fixed ones


async def _can_be_built(builder: Builder, spec: EnvSpec) -> bool:
    found, _ = await builder.get(spec)
    if isinstance(found, InstallFailure):
        raise_unless_package_failure(found)
    return isinstance(found, BuiltEnvironment)


async def find_culprits(
    builder: Builder,
    make: Callable[[tuple[str, ...]], EnvSpec],
    requirements: tuple[str, ...],
    failure: InstallFailure,
) -> tuple[str, ...]:
    """Return the requirements that cause a package failure; at least one.

    pip names the faulty package and at most its dependents. If none of these is among the
    requirements, each requirement is built alone.
    """
    names = tuple(one for one in requirements if parse_requirement(one).name in failure.names)
    if failure.kind == "conflict":  # the requirement that comes first stays
        names = names[-1:]
    if names or len(requirements) == 1:
        return names or requirements
    failing: list[str] = []
    for one in requirements:
        found, _ = await builder.get(make((one,)))
        if isinstance(found, InstallFailure):
            raise_unless_package_failure(found)
            failing.append(one)
    return tuple(failing) or requirements


def _failed_install(
    requirement: str, module: str, spec: EnvSpec, failure: InstallFailure
) -> Install:
    purpose = f", for `import {module}`," if module else ""
    return Install(
        distribution=parse_requirement(requirement).name,
        fingerprint=spec.fingerprint,
        outcome=install_outcome(failure),
        reason=f"the package {requirement}{purpose} cannot be installed: "
        f"{describe_failure(failure)}",
    )


async def build_exact(
    builder: Builder,
    with_settings: Callable[[EnvSpec], EnvSpec],
    rules: Rules,
    spec: EnvSpec,
    *,
    find_replacement: FindReplacement | None,
    tries: int,
) -> BuildResult:
    """Return the environment of a specification, with replacements for what cannot be installed.

    Args:
        builder: Builds environments.
        with_settings: Adds the settings of the `Environments`.
        rules: What may replace a requirement.
        spec: The specification, which `require_buildable` has accepted.
        find_replacement: Returns replacements; None for no replacements.
        tries: The most calls of `find_replacement`.

    Raises:
        UnsupportedError: a requirement cannot be installed; the message names it.
    """
    replacements = _Replacements(find_replacement, rules, tries)

    def make(requirements: tuple[str, ...]) -> EnvSpec:
        return with_settings(replace(spec, requirements=requirements))

    current = spec.requirements
    while current:
        found, fresh = await builder.get(make(current))
        if isinstance(found, BuiltEnvironment):
            return BuildResult(make(current), found, fresh, ())
        raise_unless_package_failure(found)
        culprit = (await find_culprits(builder, make, current, found))[0]
        other = await replacements.find(culprit, describe_failure(found))
        current = make((*(one for one in current if one != culprit), other)).requirements
    return BuildResult(make(()), None, fresh=False, failures=())


class _Replacements:
    """Requests replacements, at most `tries` times."""

    def __init__(self, find_replacement: FindReplacement | None, rules: Rules, tries: int) -> None:
        self._find_replacement = find_replacement
        self._rules = rules
        self._remaining = tries

    async def find(self, culprit: str, why: str) -> str:
        """Return another requirement, which is allowed.

        Raises:
            UnsupportedError: there is none.
        """
        reason = why
        while self._find_replacement is not None and self._remaining:
            self._remaining -= 1
            offered = await self._find_replacement(culprit, reason)
            if offered is None:
                break
            refusal = self._rules.refusal(parse_requirement(offered))
            if refusal is None:
                return offered
            reason = refusal
        raise UnsupportedError(f"{culprit!r} cannot be installed: {why}")
