"""The arithmetic of the figures, on histories small enough to count by hand."""

from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planish_integrations.evaluation import Problem, Run, Series
from planish_integrations.evaluation._figures import PASS_AT, figures_of, pass_at
from planish_integrations.evaluation._replay import GateResult, ProgramOutcome, SeriesResult
from planish_integrations.evaluation._series import Order

PROBLEM = Problem(bench="b", task_id="b/1", prompt="p", entry_point="f", tests="assert f()")
ENDINGS: dict[str, ProgramOutcome] = {"p": "pass", "a": "assertion", "s": "syntax"}


def replayed(endings: str, replies: str = "", visible: GateResult | None = None) -> SeriesResult:
    """A series from its endings, a letter each; equal letters are equal replies."""
    first = endings.find("p") + 1
    return SeriesResult(
        series=Series(PROBLEM, "code", tuple(replies or "abcdefgh"[: len(endings)])),
        outcomes=tuple(ENDINGS[letter] for letter in endings),
        full=GateResult(first or None, first or len(endings)),
        visible=visible,
    )


def run_of(sequence: Order) -> Run:
    return Run(source="s", name="r", sequence=sequence, series=())


def test_the_figures_of_loops() -> None:
    rows = [
        replayed("p", visible=GateResult(1, 1)),
        replayed("ap", "xx", visible=GateResult(1, 1)),
        replayed("sap", visible=GateResult(None, 3)),
        replayed("pa", "yy", visible=GateResult(1, 1)),
        replayed("aa", "zw"),
    ]
    assert figures_of(run_of("feedback"), rows) == {
        "tasks": 5,
        "attempts": 10,
        "tasks_ge2": 4,
        "max_attempt": 3,
        "solved_within_k": [2, 3, 4],
        "model_calls_full_oracle": 1 + 2 + 3 + 1 + 2,
        "identical_to_previous": "2/5",
        "regressed_after_pass": 1,
        "first_attempt_failures": {"assertion": 2, "syntax": 1},
        "all_failures": {"assertion": 5, "syntax": 1},
        "visible_oracle": {
            "accepted": 3,
            "accepted_but_hidden_fail": 1,
            "accepted_and_hidden_pass": 2,
            "model_calls": 6,
        },
    }


def test_the_figures_of_samples() -> None:
    figures = figures_of(run_of("independent"), [replayed("pap"), replayed("aas")])
    assert figures == {
        "tasks": 2,
        "samples": 6,
        "pass_at": {"1": 33.3, "2": 50.0, "3": 50.0},
        "solved_any": 1,
        "failures": {"assertion": 3, "syntax": 1},
    }


@pytest.mark.parametrize("sequence", ["feedback", "independent"])
def test_a_run_of_which_nothing_is_left_has_figures(sequence: Order) -> None:
    assert figures_of(run_of(sequence), [])["tasks"] == 0


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(0, 9)), min_size=1))
def test_more_samples_never_pass_less_and_one_is_the_mean(counts: list[tuple[int, int]]) -> None:
    counts = [(n, min(c, n)) for n, c in counts]
    found = pass_at(counts)
    assert found["1"] == round(100 * sum(c / n for n, c in counts) / len(counts), 1)
    same = [(9, min(c, 9)) for _, c in counts]
    curve = [pass_at(same)[str(k)] for k in PASS_AT if k <= 9]
    assert curve == sorted(curve)


@given(st.integers(1, 30), st.integers(0, 30))
def test_pass_at_all_samples_is_whether_one_passed(n: int, c: int) -> None:
    c = min(c, n)
    found = pass_at([(n, c)])
    assert set(found) == {str(k) for k in PASS_AT if k <= n}
    assert all(
        value == round(100 * (1 - comb(n - c, int(k)) / comb(n, int(k))), 1)
        for k, value in found.items()
    )


def test_tasks_with_too_few_samples_do_not_count_for_a_large_k() -> None:
    assert pass_at([(1, 1), (2, 0)]) == {"1": 50.0, "2": 0.0}
