"""From a program's imports to what is to be installed, and what is not and why."""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from ._imports import Import, provides
from ._records import Install
from ._rules import Rules

__all__ = ["Plan", "Unknown", "plan"]

Unknown = Callable[[str], Awaitable[str | None]]
"""Asked for the distribution of a module that nobody knows; None where it does not know either."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a program gets.

    Attributes:
        wanted: Requirement to the module that it is for: "PyYAML>=6" to "yaml".
        refused: What it imports, needs, and may not have.
    """

    wanted: dict[str, str]
    refused: tuple[Install, ...]


async def plan(
    imports: Iterable[Import], rules: Rules, *, inherit: bool, unknown: Unknown | None
) -> Plan:
    """Choose what to install.

    Args:
        imports: Of the program.
        rules: What may be installed.
        inherit: What this interpreter has need not be installed.
        unknown: Asked about a module whose distribution was guessed, and may not be installed.
    """
    wanted: dict[str, str] = {}
    refused: list[Install] = []
    for one in imports:
        choice = rules.choose(one.distributions)
        names = one.distributions
        if choice is None and one.origin == "name" and unknown is not None:
            told = await unknown(one.module)
            names = names if told is None else (told,)
            choice = rules.choose(names)
        if inherit and _is_here(one, choice, rules):
            continue
        if choice is not None:
            wanted.setdefault(str(choice), one.module)
        elif not one.optional:
            refused.append(_refused(one, names[0], rules))
    return Plan(wanted, tuple(refused))


def _is_here(one: Import, choice: Requirement | None, rules: Rules) -> bool:
    if rules.denies(one.distributions):
        return False
    return provides(one.module, SpecifierSet() if choice is None else choice.specifier)


def _refused(one: Import, name: str, rules: Rules) -> Install:
    return Install(
        distribution=name,
        outcome="refused",
        reason=f"the package {name}, for `import {one.module}` in {one.file}, line {one.line}, "
        f"may not be installed; {rules.described()}",
    )
