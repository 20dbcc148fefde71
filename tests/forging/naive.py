"""Runs a naive checker over a candidate: within a sandbox, where it can harm nothing."""

import json

from tests.forging.checkers import CHECKERS, KEY, MARKER
from tests.forging.subject import Subject

from planish.abc import Sandbox
from planish.data import Completed, Program, ResourceLimits

__all__ = ["deceived"]

_RESULTS = "results.jsonl"


async def deceived(sandbox: Sandbox, checker: str, subject: Subject, code: str) -> bool:
    """Whether a naive checker takes the code for right.

    Args:
        sandbox: Where it is run.
        checker: One of `CHECKERS`.
        subject: What the tests ask for.
        code: The candidate.
    """
    source, passing = CHECKERS[checker]
    files = {
        "checker.py": source,
        "status.py": CHECKERS["status"][0],
        "solution.py": code,
        "tests.py": subject.checks,
        "before.py": subject.before,
        "lines.py": subject.lines,
        "unit.py": subject.unit,
        "test_solution.py": "from solution import *\n" + subject.unit,
        "test_pytest.py": subject.file,
        "plan.json": json.dumps({"key": KEY}),
        "names.txt": " ".join(subject.names),
        "pairs.txt": "".join(f"{pair!r}\n" for pair in subject.pairs),
        "naive.txt": "",
    }
    program = Program(
        main="checker.py",
        files={name: text.encode() for name, text in files.items()},
        collect=(_RESULTS,),
        limits=ResourceLimits(seconds=20.0, memory_mb=1024),
    )
    completed = await sandbox.run(program)
    match passing:
        case "exit code":
            return completed.exit_code == 0
        case "marker":
            return MARKER.encode() in completed.stdout
        case "no FAILED":
            return b"FAILED" not in completed.stdout
        case _:
            return _recorded(completed, len(subject.facts))


def _recorded(completed: Completed, count: int) -> bool:
    """There is a record of passing for every test."""
    passed: set[int] = set()
    for line in completed.files.get(_RESULTS, b"").decode(errors="replace").splitlines():
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if record.get("key") == KEY and record.get("kind") == "passed":
            passed.add(record["test"])
    return passed >= set(range(count))
