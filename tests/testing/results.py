"""Results of programs that pass the checks of the sandbox kit."""

import json
from collections.abc import Awaitable, Callable
from typing import Any

from planish.abc import Sandbox
from planish.data.program import Completed, Program
from planish.testing.sandbox_kit import sandbox_checks

__all__ = ["BYTES", "CHECKS", "RIGHT", "Results", "ended", "exited"]

CHECKS: dict[str, Callable[[Sandbox], Awaitable[None]]] = sandbox_checks(promptly=5.0)
del CHECKS["ends promptly when cancelled"]  # it looks at processes, not at results
BYTES = bytes(range(256))


def ended(stdout: bytes = b"", **fields: Any) -> Completed:
    values: dict[str, Any] = {"exit_code": 0, "stdout": stdout, "duration": 0.5, **fields}
    return Completed(**values)


def exited(code: int) -> Completed:
    return ended(exit_code=code, stderr=b"SyntaxError")


def stopped(limit: str, **fields: Any) -> Completed:
    values: dict[str, Any] = {"exit_code": None, "limit": limit, "signal": 9, **fields}
    return ended(**values)


RIGHT: dict[str, list[Completed]] = {
    "runs a program": [ended(b"ran\n")],
    "writes files": [ended(BYTES + b"helper main.py")],
    "passes input": [
        *(ended(b"0 b''\n"), ended(b"8 b'wo\\xff'\n"), ended(b"300000 b'xxx'\n"), ended()),
    ],
    "returns results": [
        *(ended(results=b""), ended(results=b"so far"), ended(results=b"so far", exit_code=3)),
        *(ended(results=b"so far", exit_code=None, signal=6), ended(b"False\n")),
    ],
    "passes variables": [
        ended(json.dumps({"PLAIN": "1", "QUOTES": "';\"$(id)`", "LINES": "é\nb"}).encode())
    ],
    "hides the host's variables": [ended(b"{}")],
    "separates stdout and stderr, as bytes": [ended(b"out \xff\0", stderr=b"err")],
    "reports exit codes": [exited(code) for code in (0, 3, 1, 1, 1, 7)],
    "reports uncaught exceptions": [
        ended(exit_code=1, stderr=b"Traceback\nKeyError: 'key'\n"),
        *(exited(1), exited(1)),
    ],
    "returns outputs and reports omissions": [
        ended(
            artifacts={"deep/a.bin": BYTES, "b.txt": b"b"},
            findings=("link was left out", "folder was left out", "pipe was left out"),
        ),
        *(ended(findings=("results is gone",)), ended()),
    ],
    "reports guarantees": [ended(isolation="vm", guarantees=("cpu", "network"))],
    "stops at the time limit": [
        stopped("seconds", stdout=b"begun\n", duration=2.9, cpu_seconds=9.0),
        stopped("seconds", stdout=b"begun\n", duration=9.0, cpu_seconds=1.9),
    ],
    "counts the time of all processes": [
        *(ended(cpu_seconds=0.1), stopped("seconds", cpu_seconds=1.1)),
    ],
    "stops at the output limit": [
        *(ended(b"x" * 10_000), stopped("output_bytes", stdout=b"x" * 10_000)),
        ended(stderr=b"x" * 10_000),
        stopped("output_bytes", stderr=b"x" * 10_000),
    ],
    "stops at the memory limit": [stopped("memory_mb")],
    "stops at the process limit": [exited(1)],
    "stops at the file size limit": [exited(1)],
    "starts each run in a fresh directory": [ended(b"['main.py']\n")] * 2,
    "does not wait for orphans": [ended(b"done\n", duration=9.9)],
}


class Results:
    """A sandbox whose runs have these results, in order."""

    name = "results"

    def __init__(self, results: list[Completed]) -> None:
        self.left = [*results]
        self.programs: list[Program] = []

    async def run(self, program: Program) -> Completed:
        self.programs.append(program)
        return self.left.pop(0)
