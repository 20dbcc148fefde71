"""Each defence is needed: with it taken out of planish, the tricks that it stops do pass."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.forging.mutations import MUTATIONS, mutated
from tests.forging.stopped_twice import STOPPED_TWICE
from tests.forging.tricks import TRICKS

UNCHANGED = "what a run leaves is there for the next"
"""No mutation: a sandbox that keeps its folder would be another sandbox."""
MANY = Path(__file__).resolve().parent / "many.py"


def passing(mutation: str, names: list[str], folder: Path) -> set[str]:
    """Of these tricks, those that pass as isolated in one of their kinds."""
    rows = [(name, kind, "landlock") for name in names for kind in TRICKS[name].kinds]
    done = subprocess.run(
        [sys.executable, str(MANY)],
        env={**os.environ, "PYTHONPATH": mutated(mutation, folder)},
        input=json.dumps(rows),
        capture_output=True,
        text=True,
        check=False,
    )
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(found) == len(rows), done.stderr[-2000:]
    return {
        name
        for name, _, _, outcome in found
        if outcome.get("label") == "passed" and outcome.get("separation") == "isolated"
    }


def aimed_at(mutation: str) -> list[str]:
    return [
        name
        for name, trick in TRICKS.items()
        if trick.defence == mutation and name not in STOPPED_TWICE
    ]


def test_every_trick_names_a_defence() -> None:
    assert {trick.defence for trick in TRICKS.values()} == {*MUTATIONS, UNCHANGED}
    assert TRICKS.keys() >= STOPPED_TWICE
    assert len(STOPPED_TWICE) < len(TRICKS) / 4


@pytest.mark.one_in(3)
@pytest.mark.parametrize("mutation", MUTATIONS)
def test_without_the_defence_a_trick_passes(mutation: str, tmp_path: Path) -> None:
    first = min(aimed_at(mutation), key=lambda name: "pytest" in TRICKS[name].kinds)
    assert passing(mutation, [first], tmp_path) == {first}


@pytest.mark.long
@pytest.mark.parametrize("mutation", MUTATIONS)
def test_without_the_defence_all_its_tricks_pass(mutation: str, tmp_path: Path) -> None:
    names = aimed_at(mutation)
    assert passing(mutation, names, tmp_path) == set(names)
