"""Choose what to install for a program's imports, and explain what is refused."""

import sys
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from ._imports import Import, has_distribution, is_installed
from ._records import Install
from ._requirements import parse_requirement
from ._rules import Rules

__all__ = ["Plan", "ResolveUnknown", "plan"]

_NAME_CHARS = 80  # of what a model calls a package

ResolveUnknown = Callable[[str], Awaitable[str | None]]
"""Returns the distribution of an unknown module; None if it does not know one."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to install for a program.

    Attributes:
        requirements: Requirement to the module that it is for: "PyYAML>=6" to "yaml".
        refusals: Distributions that the program imports and requires, or names, but that are not
            allowed.
    """

    requirements: dict[str, str]
    refusals: tuple[Install, ...]


async def plan(
    imports: Iterable[Import],
    rules: Rules,
    *,
    named: Iterable[str] = (),
    inherit: bool,
    resolve_unknown: ResolveUnknown | None,
) -> Plan:
    """Choose what to install for a program.

    Args:
        imports: The program's imports.
        rules: What may be installed.
        named: Distributions that the program's author names, with optional versions, which take
            the place of those of the rules, except for what every environment has. One that no
            import needs may be the distribution of an import whose own could only be guessed.
        inherit: Do not install what this interpreter has installed.
        resolve_unknown: Called for a module whose distribution was guessed and is not allowed.
    """
    own, refusals = _plan_named(named, rules, inherit=inherit)
    requirements: dict[str, str] = {}
    unmatched = dict(own)
    guesses: list[Install] = []
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
            unmatched.pop(choice.name, None)
            requirements.setdefault(own.get(choice.name, str(choice)), one.module)
        elif not one.optional:
            refused = guesses if one.origin == "name" else refusals
            refused.append(_refusal(one, names[0], rules))
    for text in unmatched.values():
        requirements.setdefault(text, "")
    return Plan(requirements, (*refusals, *(() if unmatched else guesses)))


def _plan_named(
    named: Iterable[str], rules: Rules, *, inherit: bool
) -> tuple[dict[str, str], list[Install]]:
    """Return the requirements of named distributions by their names, and those refused."""
    requirements: dict[str, str] = {}
    refusals: list[Install] = []
    for text in named:
        try:
            requirement = parse_requirement(text)
        except ValueError:
            refusals.append(_refusal_of_name(text, "is no name of a package"))
            continue
        if requirement.name.replace("-", "_") in sys.stdlib_module_names:
            continue
        refusal = rules.refusal(requirement)
        if inherit and not rules.denies((requirement.name,)) and has_distribution(requirement):
            continue
        present = rules.in_every_environment(requirement.name)
        if refusal is not None:
            refusals.append(_refusal_of_name(requirement.name, f"may not be installed: {refusal}"))
        elif present is not None:  # the tests decide by it
            if not _includes(requirement, present):
                why = f"is not installed as {requirement}: every environment has {present}"
                refusals.append(_refusal_of_name(requirement.name, why))
        else:
            requirements[requirement.name] = rules.with_versions(text)
    return requirements, refusals


def _includes(requirement: Requirement, present: Requirement) -> bool:
    """Return whether a requirement is known to be met by one that may have an exact version."""
    exact = [one.version for one in present.specifier if one.operator == "=="]
    if exact:
        return requirement.specifier.contains(exact[0].removesuffix(".*"), prereleases=True)
    return str(requirement.specifier) in ("", str(present.specifier))


def _refusal_of_name(name: str, why: str) -> Install:
    name = name[:_NAME_CHARS]
    return Install(
        distribution=name,
        outcome="refused",
        reason=f"the package {name}, which the answer names, {why}",
    )


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
