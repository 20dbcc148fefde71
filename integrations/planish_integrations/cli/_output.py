"""Write results: JSON to a file or standard output, tables for readers."""

import json
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

__all__ = [
    "JSON_FILE",
    "STDOUT",
    "evaluation_table",
    "replay_table",
    "require_writable",
    "table",
    "write_json",
]

STDOUT = Path("-")

JSON_FILE = click.option(
    "--json",
    "json_file",
    metavar="FILE|-",
    type=click.Path(dir_okay=False, allow_dash=True, path_type=Path),
    help="Write all figures to FILE as JSON. With -, write only JSON to standard output.",
)
"""The option `--json`."""


def require_writable(path: Path | None) -> None:
    """Raise an error before the work starts if its result could not be written.

    Raises:
        click.UsageError: the file cannot be written.
    """
    if path is None or path == STDOUT:
        return
    folder = path.absolute().parent
    if not folder.is_dir():
        raise click.UsageError(f"--json {path}: there is no directory {folder}")
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise click.UsageError(f"--json {path}: not writable")


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    """Write a value as JSON. A file is replaced as a whole, so it is never half-written.

    Args:
        path: The file; `STDOUT` for standard output.
        value: The value.

    Raises:
        OSError: it cannot be written, as on a full disk; a file is as it was.
    """
    text = json.dumps(value, indent=2, ensure_ascii=False) + "\n"
    content = text.encode("utf-8", "replace")  # a lone surrogate cannot be encoded in UTF-8
    if path == STDOUT:
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return
    if path.exists() and not path.is_file():
        path.write_bytes(content)  # a pipe or a device cannot be replaced
        return
    folder = path.absolute().parent
    with tempfile.NamedTemporaryFile(dir=folder, prefix=f".{path.name}.", delete=False) as file:
        made = Path(file.name)
        try:
            file.write(content)
            file.flush()
            made.chmod(0o666 & ~_umask())
            made.replace(path)
        except BaseException:
            made.unlink(missing_ok=True)
            raise


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def table(rows: Sequence[Sequence[object]]) -> str:
    """Return rows as aligned columns; the first row is the head."""
    texts = [["" if cell is None else str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in texts
    )


def evaluation_table(figures: Mapping[str, Any]) -> str:
    """Return the table of `planish evaluate TASKS`."""
    return table(list(_evaluation(figures)))


def _evaluation(figures: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    tasks, judged, usage = figures["tasks"], figures["judged"], figures["usage"]
    yield "tasks", f"{figures['tasks_file']}, {figures['gate']} gate"
    for bench, known in figures["benchmarks"].items():
        tests = ", ".join(f"{name} {count:,}" for name, count in known["tests"].items())
        yield "tests run", f"{bench}, {known['tasks']} tasks: {tests}"
    yield "model", f"{figures['model']}, at most {figures['max_attempts']} attempts"
    yield "solved", f"{figures['solved']}/{judged}"
    if judged < tasks:
        yield "not judged", f"{tasks - judged} of {tasks} tasks: the model or sandbox failed"
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
    # A model without known prices reports 0; print no line for it.
    if usage["usd"]:
        yield "cost", f"${usage['usd']:.4f}"
    yield "sandbox", f"{usage['sandbox_runs']:,} runs, {usage['sandbox_seconds']:.1f} s"


def _pairs(figures: Mapping[str, Any], unit: str) -> str:
    return "  ".join(f"{name}: {value}{unit}" for name, value in figures.items())


_HEAD = ("run", "tasks", "replies", "solved", "first", "calls", "accepted", "wrongly")


def replay_table(figures: Mapping[str, Any]) -> str:
    """Return the table of `planish evaluate --replay`: a line for each run."""
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
