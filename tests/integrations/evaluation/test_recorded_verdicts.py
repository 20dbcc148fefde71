"""What each figure means: from the recorded verdicts come the recorded figures, exactly."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.integrations.evaluation.recorded import as_recorded, runs_of

from planish_integrations.evaluation import load_recordings
from planish_integrations.evaluation._figures import figures_of

SharedData = Callable[[str], Path]


def test_the_recorded_verdicts_give_the_recorded_figures(shared_data: SharedData) -> None:
    directory = shared_data("replay/dev")
    expected = json.loads((directory / "expected.json").read_text())
    runs = runs_of(directory)
    assert {f"{key}|dev" for key in runs} == set(expected)
    for key, run in runs.items():
        wanted = expected[f"{key}|dev"]
        found = figures_of(run, as_recorded(directory, run))
        if "by_extraction" in wanted:
            # The recorder tried several extractions; there is one here, ours.
            wanted["by_extraction"] = {"entry": wanted["by_extraction"]["entry"]}
        else:
            found.pop("by_extraction", None)
        assert found == wanted, key


@pytest.mark.parametrize("attempts", [1, 2])
def test_fewer_attempts_give_the_head_of_the_curve(shared_data: SharedData, attempts: int) -> None:
    directory = shared_data("replay/dev")
    whole = json.loads((directory / "expected.json").read_text())
    key = "ldb|mbpp__gpt-3.5-turbo-0613"
    (run,) = load_recordings(directory, run=key.partition("|")[2], attempts=attempts).runs
    found = figures_of(run, as_recorded(directory, run))
    assert found["solved_within_k"] == whole[f"{key}|dev"]["solved_within_k"][:attempts]
    assert found["max_attempt"] == attempts
