"""The score of each area: `pytest -m mutation --mutation-seed 1`, hours for all of them."""

from pathlib import Path
from typing import Any

import pytest
from tests.mutation.areas import AREAS, Area
from tests.mutation.run import copied, drawn, score

ROOT = Path(__file__).resolve().parents[2]
LEAST = 0.9  # of the mutations that are not equivalent


@pytest.mark.mutation
@pytest.mark.parametrize("area", AREAS, ids=[area.name for area in AREAS])
def test_the_tests_kill_most_mutations(area: Area, pytestconfig: pytest.Config) -> None:
    options: Any = pytestconfig.option
    seed, count = options.mutation_seed, options.mutation_count
    with copied(ROOT) as copy:
        result = score(copy, drawn(copy.root, area, seed, count), copy.baseline(area))
    shown = "\n".join(map(str, result.survived))
    assert result.share >= LEAST, f"{result.share:.0%} of area {area.name}; survived:\n{shown}"
