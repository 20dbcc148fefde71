"""Print the table of docs/sandbox.md, measured on this machine: `python tests/benchmarks/table.py`.

Three runs of the benchmarks of sandbox and verdicts, a minute each; an argument is another number
of runs. The machine must have nothing else to do: rates and latencies are of wall time. Every
figure is the range of the runs.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from figures import FILE

RUNS = 3
_TESTS = ("tests/benchmarks/test_sandbox.py", "tests/benchmarks/test_humaneval.py")
# What is measured, the figures of it with their units, and the target.
_ROWS = (
    (
        "from acquiring a warm worker to the result",
        (
            "{latency:.1f} ms: {floors:.1f} times the floor, {cold:.2f} times the start of a cold "
            "`python -I -S`, {bwrap:.1f} times as fast as bwrap"
        ),
        "2.0 floors; 0.4 cold starts; 5 times bwrap",
    ),
    (
        (
            "CPU time of such a run, of all processes together and with the fork of the next "
            "worker's process"
        ),
        "{cpu_floors:.1f} times the floor's",
        "",
    ),
    (
        "cost of isolation, compared with the same file in an unsafe fork of a warm interpreter",
        "{isolation:.1f} ms",
        "",
    ),
    (
        "an operation of pandas, preloaded",
        "{pandas:.0f} times as fast as in a cold interpreter",
        "",
    ),
    (
        "verdicts on the 164 problems of HumanEval, two at once",
        (
            "{verdict_rate:.2f} times the rate of a checker that starts a manager and a process "
            "for each; two unsafe forks for each and nothing else: {verdict_most:.2f} times"
        ),
        "1.5 times",
    ),
    (
        "CPU time of such a verdict",
        (
            "{verdict_forks:.1f} unsafe forks of a small interpreter that run the same file; "
            "{verdict_checkers:.2f} times the checker's"
        ),
        "3.3 forks",
    ),
    (
        "100 candidates of one task, compared with 100 tasks of one candidate each",
        "{same_task:.2f} times the CPU time",
        "",
    ),
    ("the host's share of the CPU time of an evaluation", "{host:.0%}", "15 %"),
    (
        "the 164 programs without a verdict, two at once",
        "{program_rate:.0%} of the rate of those forks",
        "60 %",
    ),
    ("CPU time of such a program", "{program_forks:.1f} forks", ""),
    (
        "memory of a warm worker that waits",
        "{programs_mib:.1f} MiB of its own; {verdicts_mib:.1f} MiB with the verifier's modules",
        "2 MiB",
    ),
)


class _Range:
    """Figures of one kind, which print as their least and their greatest."""

    def __init__(self, figures: Sequence[float]) -> None:
        self._ends = min(figures), max(figures)

    def __format__(self, how: str) -> str:
        least, most = (format(end, how) for end in self._ends)
        return least if least == most else f"{least} to {most}"


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "figures"
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "-m",
            "benchmark",
        ]
        for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else RUNS):
            done = subprocess.run(
                [*command, *_TESTS],
                env={**os.environ, FILE: str(file)},
                stdout=sys.stderr,
                check=False,
            )
            if done.returncode:
                print("A guard has failed: see above.", file=sys.stderr)
        print_table([json.loads(line) for line in file.read_text().splitlines()])


def print_table(records: Sequence[Mapping[str, float]]) -> None:
    """Print the rows of which there are figures."""
    found: dict[str, list[float]] = {}
    for record in records:
        for name, figure in record.items():
            found.setdefault(name, []).append(figure)
    ranges = {name: _Range(figures) for name, figures in found.items()}
    print("| | | Target |\n|---|---|---|")
    for what, figures, target in _ROWS:
        try:
            print(f"| {what} | {figures.format_map(ranges)} | {target} |")
        except KeyError as missing:
            print(f"| {what} | not measured here: {missing.args[0]} | {target} |")


if __name__ == "__main__":
    main()
