"""Values do not change: a record is frozen, and what holds state is listed here by name."""

import pkgutil
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest

import planish
import planish_integrations

# What runs elsewhere, or on import.
_NOT_HERE = ("planish.guest.", "planish_integrations.cli.__main__")
NAMES = [
    module.name
    for package in (planish, planish_integrations)
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    if not f"{module.name}.".startswith(_NOT_HERE)
]
STATE = {
    *(
        "AttemptCounter",
        "BranchResult",
        "Breaker",
        "Conversation",
        "Faults",
        "Machine",
        "PairRuns",
        "RateLimiter",
        "RunRecord",
        "TestRecord",
        "Try",
        "_AbortRule",
        "_Fault",
        "_Part",
        "_Place",
        "_Rate",
        "_Results",
        "_SharedClient",
        "_Turn",
    ),
}
"""Counters, slots of runs and doubles: each is held by one owner, and is never part of a value."""


def _records(name: str) -> Iterator[Any]:
    try:
        module = import_module(name)
    except ImportError:  # an optional dependency that is not here
        return
    for kind in vars(module).values():
        if (
            isinstance(kind, type)
            and kind.__module__ == name
            and kind.__dict__.get("__dataclass_params__")
        ):
            yield kind


def test_the_walk_finds_them() -> None:
    assert len(NAMES) > 150
    assert {kind.__name__ for name in NAMES for kind in _records(name)} >= STATE


@pytest.mark.parametrize("package", ["planish", "planish_integrations"])
def test_every_record_is_frozen_unless_it_holds_state(package: str) -> None:
    names = [name for name in NAMES if name.startswith(f"{package}.")]
    changing = {
        kind.__name__
        for name in names
        for kind in _records(name)
        if not kind.__dataclass_params__.frozen
    }
    assert changing <= STATE
