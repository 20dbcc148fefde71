"""Choose what to install for a program's imports, and explain what is refused."""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from ._imports import Import, is_installed
from ._records import Install
from ._rules import Rules

__all__ = ["Plan", "ResolveUnknown", "plan"]

ResolveUnknown = Callable[[str], Awaitable[str | None]]
"""Returns the distribution of an unknown module; None if it does not know one."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to install for a program.

    Attributes:
        requirements: Requirement to the module that it is for: "PyYAML>=6" to "yaml".
        refusals: Distributions that the program imports and requires, but that are not allowed.
    """

    requirements: dict[str, str]
    refusals: tuple[Install, ...]


async def plan(
    imports: Iterable[Import],
    rules: Rules,
    *,
    inherit: bool,
    resolve_unknown: ResolveUnknown | None,
) -> Plan:
    """Choose what to install for a program.

    Args:
        imports: The program's imports.
        rules: What may be installed.
        inherit: Do not install what this interpreter has installed.
        resolve_unknown: Called for a module whose distribution was guessed and is not allowed.
    """
    requirements: dict[str, str] = {}
    refusals: list[Install] = []
    for one in imports:
        choice = rules.choose(one.distributions)
        names = one.distributions
        if choice is None and one.origin == "name" and resolve_unknown is not None:
            answer = await resolve_unknown(one.module)
            names = names if answer is None else (answer,)
            choice = rules.choose(names)
        if inherit and _is_installed_here(one, choice, rules):
            continue
        if choice is not None:
            requirements.setdefault(str(choice), one.module)
        elif not one.optional:
            refusals.append(_refusal(one, names[0], rules))
    return Plan(requirements, tuple(refusals))


def _is_installed_here(one: Import, choice: Requirement | None, rules: Rules) -> bool:
    if rules.denies(one.distributions):
        return False
    return is_installed(one.module, SpecifierSet() if choice is None else choice.specifier)


def _refusal(one: Import, name: str, rules: Rules) -> Install:
    return Install(
        distribution=name,
        outcome="refused",
        reason=f"the package {name}, for `import {one.module}` in {one.file}, line {one.line}, "
        f"may not be installed; {rules.describe()}",
    )
