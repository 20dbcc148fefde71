"""Which trouble is whose: what is raised, and what is said of a package."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Never

from planish.errors import AuthenticationError, SandboxError, UnsupportedError

from ._builder import Builder
from ._pip import PACKAGE_TROUBLE, Trouble
from ._records import Install, InstallOutcome
from ._requirements import parsed
from ._rules import Rules
from ._spec import EnvSpec
from ._store import Built

__all__ = [
    "Replace",
    "Settled",
    "blamed",
    "insist",
    "outcome_of",
    "raise_unless_package",
    "said",
    "settle",
]

_SAID = {
    "missing": "it is not in the index, or not for this Python",
    "broken": "what the index has of it is broken",
    "conflict": "it does not go together with the others",
    "denied": "it brings what is denied",
}


def raise_unless_package(trouble: Trouble) -> None:
    """Raise for trouble that is not a package's.

    Raises:
        AuthenticationError: the index refuses the credentials, or wants some.
        SandboxError: the index cannot be reached, or pip or this machine failed.
    """
    if trouble.kind not in PACKAGE_TROUBLE:
        _raise(trouble)


def _raise(trouble: Trouble) -> Never:
    match trouble.kind:
        case "refused":
            raise AuthenticationError(f"the package index refuses us: {trouble.text}")
        case "unreachable":
            raise SandboxError(f"the package index cannot be reached: {trouble.text}")
        case _:
            raise SandboxError(f"packages could not be installed: {trouble.text}")


def outcome_of(trouble: Trouble) -> InstallOutcome:
    """What became of a package that this is the trouble of."""
    return "missing" if trouble.kind == "missing" else "failed"


def said(trouble: Trouble) -> str:
    """What is wrong with a package, for a reader."""
    return f"{_SAID[trouble.kind]}: {trouble.text}"


Replace = Callable[[str, str], Awaitable[str | None]]
"""Given a requirement that cannot be installed, and why: another one, or None to give up."""


@dataclass(frozen=True, slots=True)
class Settled:
    """What could be had.

    Attributes:
        spec: What it is made of.
        built: The environment; None where nothing is in it.
        fresh: It was built just now, for this.
        lost: What was asked for and is not in it.
    """

    spec: EnvSpec
    built: Built | None
    fresh: bool
    lost: tuple[Install, ...]


async def settle(
    builder: Builder, make: Callable[[tuple[str, ...]], EnvSpec], wanted: Mapping[str, str]
) -> Settled:
    """The environment of all that is wanted and can be had.

    Args:
        builder: What builds.
        make: A specification of requirements.
        wanted: Requirement to the module it is for.

    Raises:
        SandboxError: the index cannot be reached, or this machine failed.
        AuthenticationError: the index refuses the credentials.
    """
    left = dict(wanted)
    lost: list[Install] = []
    while left:
        spec = make(tuple(left))
        found, fresh = await builder.get(spec)
        if isinstance(found, Built):
            return Settled(spec, found, fresh, tuple(lost))
        raise_unless_package(found)
        bad = await blamed(builder, make, tuple(left), found)
        lost += [_lost(text, left.pop(text), spec, found) for text in bad]
    return Settled(make(()), None, fresh=False, lost=tuple(lost))


async def blamed(
    builder: Builder,
    make: Callable[[tuple[str, ...]], EnvSpec],
    requirements: tuple[str, ...],
    trouble: Trouble,
) -> tuple[str, ...]:
    """The requirements that a package's trouble comes from; at least one.

    pip names the package that is wrong and at most who needs that one. Where neither is among
    the requirements, each is tried alone.
    """
    named = tuple(one for one in requirements if parsed(one).name in trouble.names)
    if trouble.kind == "conflict":  # what was asked for first stays
        named = named[-1:]
    if named or len(requirements) == 1:
        return named or requirements
    alone: list[str] = []
    for one in requirements:
        found, _ = await builder.get(make((one,)))
        if isinstance(found, Trouble):
            raise_unless_package(found)
            alone.append(one)
    return tuple(alone) or requirements


def _lost(requirement: str, module: str, spec: EnvSpec, trouble: Trouble) -> Install:
    purpose = f", for `import {module}`," if module else ""
    return Install(
        distribution=parsed(requirement).name,
        fingerprint=spec.fingerprint,
        outcome=outcome_of(trouble),
        reason=f"the package {requirement}{purpose} cannot be installed: {said(trouble)}",
    )


async def insist(
    builder: Builder,
    ours: Callable[[EnvSpec], EnvSpec],
    rules: Rules,
    spec: EnvSpec,
    *,
    replacing: Replace | None,
    tries: int,
) -> Settled:
    """The environment of a specification, with replacements for what cannot be had.

    Args:
        builder: What builds.
        ours: Adds the settings that always hold.
        rules: What a replacement has to be allowed by.
        spec: What is asked for; allowed already.
        replacing: Asked for replacements; None to have none.
        tries: How often it may be asked.

    Raises:
        UnsupportedError: a requirement cannot be had; the message names it.
    """
    asking = _Asking(replacing, rules, tries)

    def make(requirements: tuple[str, ...]) -> EnvSpec:
        return ours(replace(spec, requirements=requirements))

    texts = spec.requirements
    while texts:
        found, fresh = await builder.get(make(texts))
        if isinstance(found, Built):
            return Settled(make(texts), found, fresh, ())
        raise_unless_package(found)
        bad = (await blamed(builder, make, texts, found))[0]
        other = await asking.instead_of(bad, said(found))
        texts = make((*(one for one in texts if one != bad), other)).requirements
    return Settled(make(()), None, fresh=False, lost=())


class _Asking:
    """Asks for replacements, so often and no more."""

    def __init__(self, replacing: Replace | None, rules: Rules, tries: int) -> None:
        self._replacing = replacing
        self._rules = rules
        self._left = tries

    async def instead_of(self, bad: str, why: str) -> str:
        """Another requirement, that is allowed.

        Raises:
            UnsupportedError: there is none.
        """
        reason = why
        while self._replacing is not None and self._left:
            self._left -= 1
            offered = await self._replacing(bad, reason)
            if offered is None:
                break
            refusal = self._rules.refusal(parsed(offered))
            if refusal is None:
                return offered
            reason = refusal
        raise UnsupportedError(f"{bad!r} cannot be installed: {why}")
