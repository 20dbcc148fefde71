"""The figures of a replayed run, as pure functions of the results of its series."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise
from math import comb
from typing import Any

from planish_integrations.evaluation._replay import GateResult, ProgramOutcome, SeriesResult
from planish_integrations.evaluation._series import Run

__all__ = ["PASS_AT", "figures_of", "pass_at"]

PASS_AT = (1, 2, 3, 5, 10, 20, 50, 100)
"""The values of k for which pass@k is computed, if there are as many samples."""


def figures_of(run: Run, replayed: Sequence[SeriesResult]) -> dict[str, Any]:
    """Return all figures of a run, ready for JSON, under the recordings' names.

    Args:
        run: The run.
        replayed: The results of its series, without those that could not be replayed.
    """
    figures = _samples(replayed) if run.sequence == "independent" else _loops(replayed)
    raw = [one for one in replayed if one.series.form == "raw"]
    if raw:
        figures["by_extraction"] = {"entry": sum(one.passes for one in raw)}
    return figures


def _samples(replayed: Sequence[SeriesResult]) -> dict[str, Any]:
    return {
        "tasks": len(replayed),
        "samples": sum(len(one.outcomes) for one in replayed),
        "pass_at": pass_at([(len(one.outcomes), one.passes) for one in replayed]),
        "solved_any": sum(one.passes > 0 for one in replayed),
        "failures": _failures(ending for one in replayed for ending in one.outcomes),
    }


def pass_at(counts: Sequence[tuple[int, int]]) -> dict[str, float]:
    """Return the chance, in percent, that one of k samples passes, for each k of `PASS_AT`.

    The unbiased estimator 1 - C(n-c, k) / C(n, k) of Chen et al. 2021 (arXiv:2107.03374), over
    the tasks that have k samples.

    Args:
        counts: For each task the number of its samples and how many of them passed.
    """
    figures: dict[str, float] = {}
    for k in PASS_AT:
        chances = [1 - comb(n - c, k) / comb(n, k) for n, c in counts if n >= k]
        if chances:
            figures[str(k)] = round(100 * sum(chances) / len(chances), 1)
    return figures


def _loops(replayed: Sequence[SeriesResult]) -> dict[str, Any]:
    lengths = [len(one.outcomes) for one in replayed]
    same, pairs = _identical(replayed)
    figures: dict[str, Any] = {
        "tasks": len(replayed),
        "attempts": sum(lengths),
        "tasks_ge2": sum(length > 1 for length in lengths),
        "max_attempt": max(lengths, default=0),
        "solved_within_k": _within([one.full for one in replayed], max(lengths, default=0)),
        "model_calls_full_oracle": sum(one.full.calls for one in replayed),
        "identical_to_previous": f"{same}/{pairs}",
        "regressed_after_pass": sum(_regressed(one.outcomes) for one in replayed),
        "first_attempt_failures": _failures(one.outcomes[0] for one in replayed),
        "all_failures": _failures(ending for one in replayed for ending in one.outcomes),
    }
    gates = [(one, one.visible) for one in replayed if one.visible is not None]
    if gates:
        figures["visible_oracle"] = _visible(gates)
    return figures


def _visible(gates: Sequence[tuple[SeriesResult, GateResult]]) -> dict[str, int]:
    """Count what the loop accepts when visible tests stop it, and how much of that is wrong."""
    accepted = [
        one.outcomes[gate.accepted_at - 1] for one, gate in gates if gate.accepted_at is not None
    ]
    correct = accepted.count("pass")
    return {
        "accepted": len(accepted),
        "accepted_but_hidden_fail": len(accepted) - correct,
        "accepted_and_hidden_pass": correct,
        "model_calls": sum(gate.calls for _, gate in gates),
    }


def _within(gates: Iterable[GateResult], rounds: int) -> list[int]:
    """Return how many loops had passed after 1, 2, ... attempts."""
    at = Counter(gate.accepted_at for gate in gates)
    return list(accumulate(at[k] for k in range(1, rounds + 1)))


def _identical(replayed: Iterable[SeriesResult]) -> tuple[int, int]:
    """Count the replies that equal the one before them, and the replies that have one."""
    pairs = [one for each in replayed for one in pairwise(each.series.replies)]
    return sum(before == after for before, after in pairs), len(pairs)


def _regressed(endings: Sequence[ProgramOutcome]) -> bool:
    """Return whether a wrong reply follows a correct one."""
    return "pass" in endings and any(e != "pass" for e in endings[endings.index("pass") :])


def _failures(endings: Iterable[ProgramOutcome]) -> dict[str, int]:
    return dict(Counter(ending for ending in endings if ending != "pass"))
