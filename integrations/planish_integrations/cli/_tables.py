"""Figures for people."""

from collections.abc import Iterator, Mapping
from typing import Any

from planish_integrations.cli._output import table

__all__ = ["evaluation_table", "replay_table"]


def evaluation_table(figures: Mapping[str, Any]) -> str:
    """What `planish evaluate TASKS` prints."""
    return table(list(_evaluation(figures)))


def _evaluation(figures: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    tasks, usage = figures["tasks"], figures["usage"]
    yield "tasks", f"{figures['tasks_file']}, {figures['gate']} gate"
    for bench, known in figures["benchmarks"].items():
        tests = ", ".join(f"{name} {count:,}" for name, count in known["tests"].items())
        yield "tests run", f"{bench}, {known['tasks']} tasks: {tests}"
    yield "model", f"{figures['model']}, at most {figures['max_attempts']} attempts"
    yield "solved", f"{figures['solved']}/{tasks}"
    yield "SR@All", f"{figures['sr_all']} %  (every test passed)"
    yield "SR@Any", f"{figures['sr_any']} %  (at least one test passed)"
    yield "success@k", _pairs(figures["success_at"], " %")
    if "visible" in figures:
        visible = figures["visible"]
        wrongly = visible["accepted_but_hidden_fail"]
        yield "accepted", f"{visible['accepted']}, of which wrongly {wrongly}"
    yield "attempts", _pairs(figures["attempts_histogram"], " tasks")
    yield "status", _pairs(figures["by_status"], " tasks")
    yield "stopped by", _pairs(figures["by_stop_reason"], " tasks")
    yield "model calls", f"{figures['model_calls']:,}"
    yield "tokens", f"{usage['input_tokens']:,} in, {usage['output_tokens']:,} out"
    # A model that does not know its prices costs nothing here; that is not worth a line.
    if usage["usd"]:
        yield "cost", f"${usage['usd']:.4f}"
    yield "sandbox", f"{usage['sandbox_runs']:,} runs, {usage['sandbox_seconds']:.1f} s"


def _pairs(figures: Mapping[str, Any], unit: str) -> str:
    return "  ".join(f"{name}: {value}{unit}" for name, value in figures.items())


_HEAD = ("run", "tasks", "replies", "solved", "first", "calls", "accepted", "wrongly")


def replay_table(figures: Mapping[str, Any]) -> str:
    """What `planish evaluate --replay` prints: a line for each run."""
    runs = {key: run for key, run in figures.items() if key != "skipped"}
    return table([_HEAD, *(_run(key, run) for key, run in runs.items())])


def _run(key: str, run: Mapping[str, Any]) -> tuple[object, ...]:
    if "samples" in run:
        first = f"{run['pass_at'].get('1', 0.0)} %"
        return (key, run["tasks"], run["samples"], run["solved_any"], first, None, None, None)
    within, visible = run["solved_within_k"], run.get("visible_oracle", {})
    return (
        key,
        run["tasks"],
        run["attempts"],
        within[-1] if within else 0,
        within[0] if within else 0,
        run["model_calls_full_oracle"],
        visible.get("accepted"),
        visible.get("accepted_but_hidden_fail"),
    )
