"""Get an environment that exists: without the packages that cannot be had, one by one."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from ._builder import Builder
from ._raising import outcome_of, raise_unless_package, said
from ._records import Install
from ._requirements import parsed
from ._spec import EnvSpec
from ._store import Built
from ._trouble import Trouble

__all__ = ["Replace", "Settled", "blamed", "settle"]

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
