"""Thousands of recorded replies through the real loop and sandbox give the recorded figures."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import pytest
from tests.integrations.evaluation.recorded import as_recorded

from planish_integrations.evaluation import Recordings, Run, load_recordings, replay_all
from planish_integrations.evaluation._figures import figures_of
from planish_integrations.local import LocalSandbox

SharedData = Callable[[str], Path]
Figures = Mapping[str, Any]

RUNS = [
    "ldb|humaneval__gpt-3.5-turbo-0613",
    "classeval|GPT-3.5-n5",
    "ldb|mbpp__gpt-3.5-turbo-0613",
    "mapcoder-reflexion|ChatGPT-Reflexion-10-HumanEval",
    "mapcoder-raw|ChatGPT-Analogical-HumanEval",
    "mapcoder-raw|ChatGPT-CoT-HumanEval",
    "mapcoder-raw|GPT4-CoT-HumanEval",
    "reflexion|simple_human_eval_py_logging",
]
LARGE = "codet|codegen-16B-n100"
PARTS = 9  # of the large run, so that several can be replayed at once
ALWAYS = {RUNS[0]: 4, RUNS[1]: 3}  # runs of which one series in so many is replayed every time

pytestmark = pytest.mark.replay


def replayed(run: Run) -> Figures:
    async def all_of_it() -> Figures:
        recordings = Recordings((run,), {})
        found = await replay_all(recordings, LocalSandbox(), concurrency=2)
        assert found.skips == ()
        figures: Figures = found.figures[run.key]
        return figures

    return anyio.run(all_of_it)


def run_of(directory: Path, key: str) -> Run:
    source, _, name = key.partition("|")
    (run,) = load_recordings(directory, source=source, run=name).runs
    return run


def long(values: Sequence[Any]) -> list[Any]:
    """The same, run only when asked for."""
    return [pytest.param(value, marks=pytest.mark.long) for value in values]


@pytest.mark.parametrize("key", long(RUNS))
def test_a_recorded_run_gives_the_recorded_figures(shared_data: SharedData, key: str) -> None:
    directory = shared_data("replay/dev")
    expected = json.loads((directory / "expected.json").read_text())[f"{key}|dev"]
    run = run_of(directory, key)
    agree(replayed(run), expected, raw=run.series[0].form == "raw")


@pytest.mark.parametrize(("key", "every"), ALWAYS.items())
def test_a_part_of_a_run_gives_its_part_of_the_figures(
    shared_data: SharedData, key: str, every: int
) -> None:
    part_agrees(shared_data("replay/dev"), key, slice(None, None, every))


@pytest.mark.parametrize("part", long(range(PARTS)))
def test_a_part_of_the_large_run_gives_its_part_of_the_figures(
    shared_data: SharedData, part: int
) -> None:
    part_agrees(shared_data("replay/dev"), LARGE, slice(part, None, PARTS))


def part_agrees(directory: Path, key: str, part: slice) -> None:
    whole = run_of(directory, key)
    run = replace(whole, series=whole.series[part])
    assert len(run.series) > 10
    raw = run.series[0].form == "raw"
    agree(replayed(run), figures_of(run, as_recorded(directory, run)), raw=raw)


def agree(found: Figures, expected: Figures, *, raw: bool) -> None:
    """Equal, but for one task here or there: a program may sit on the time limit."""
    exact = {"tasks", "samples", "attempts", "tasks_ge2", "max_attempt", "identical_to_previous"}
    for name in exact & set(expected):
        assert found[name] == expected[name], name
    for name in {"model_calls_full_oracle", "regressed_after_pass"} & set(expected):
        assert abs(found[name] - expected[name]) <= 1, name
    for one, other in zip(
        found.get("solved_within_k", ()), expected.get("solved_within_k", ()), strict=True
    ):
        assert abs(one - other) <= 1
    for name, count in expected.get("visible_oracle", {}).items():
        assert abs(found["visible_oracle"][name] - count) <= 1, name
    if raw:
        # Better extraction than the recorder's passes more.
        assert found["solved_any"] >= expected["solved_any"] - 1
        entry = expected.get("by_extraction", {}).get("entry", 0)
        assert found["by_extraction"]["entry"] >= entry
    elif "pass_at" in expected:
        assert abs(found["solved_any"] - expected["solved_any"]) <= 1
        lacked = expected["failures"].get("name/import", 0)
        if found["failures"].get("name/import", 0) < lacked:  # the recorder had fewer packages
            assert all(found["pass_at"][k] >= n - 0.5 for k, n in expected["pass_at"].items())
        else:
            assert found["pass_at"] == pytest.approx(expected["pass_at"], abs=0.5)
        classes_agree(found["failures"], expected["failures"])
    else:
        classes_agree(found["all_failures"], expected["all_failures"])


def classes_agree(found: Figures, expected: Figures) -> None:
    """The same, but for what depends on the packages that are installed, and the time limit."""
    total = sum(expected.values())
    assert abs(sum(found.values()) - total) <= 2
    for name in set(found) | set(expected):
        assert abs(found.get(name, 0) - expected.get(name, 0)) <= max(2, total // 50), name
