"""From a candidate and its tests to programs."""

import json

from planish.data.candidate import Candidate
from planish.data.program import Limits, Program
from planish.data.tests import PytestFile, StdioPairs
from planish.harness._bundle import bundle, loader
from planish.harness._pairs import pair_limits
from planish.harness._plan import RESULTS, merged, module_file, plan

__all__ = ["programs"]

_MAIN = "_planish.py"
_ENDINGS = {
    "bash": "sh",
    "c#": "cs",
    "c++": "cpp",
    "csharp": "cs",
    "golang": "go",
    "javascript": "js",
    "julia": "jl",
    "kotlin": "kt",
    "node": "js",
    "perl": "pl",
    "ruby": "rb",
    "rust": "rs",
    "shell": "sh",
    "typescript": "ts",
}


def programs(candidate: Candidate, limits: Limits) -> tuple[Program, ...]:
    """The programs to run for a candidate: one, or one for each pair of `StdioPairs`.

    Args:
        candidate: Code and task. `syntax_failure` knows nothing against it.
        limits: What each program may use.
    """
    tests = candidate.task.tests
    program = _python if candidate.task.language == "python" else _other
    if not isinstance(tests, StdioPairs):
        return (program(candidate, limits, b""),)
    return tuple(
        program(candidate, pair_limits(tests, n, limits), pair.stdin.encode("utf-8", "replace"))
        for n, pair in enumerate(tests.pairs)
    )


def _other(candidate: Candidate, limits: Limits, stdin: bytes) -> Program:
    task = candidate.task
    name = task.language.lower()
    main = f"main.{_ENDINGS.get(name, name)}"
    code = f"{task.preamble.rstrip()}\n{candidate.code}" if task.preamble else candidate.code
    return Program(
        language=task.language,
        main=main,
        files={main: _bytes(code)},
        stdin=stdin,
        limits=limits,
    )


def _python(candidate: Candidate, limits: Limits, stdin: bytes) -> Program:
    facts = {**plan(candidate), "seconds": limits.seconds}
    files = {
        _MAIN: loader(),
        "_planish.bin": bundle(facts["mode"]),
        "plan.json": json.dumps(facts, ensure_ascii=False).encode("utf-8", "backslashreplace"),
    }
    return Program(
        main=_MAIN,
        files={**files, **_code(candidate)},
        stdin=stdin,
        collect=(RESULTS,),
        limits=limits,
    )


def _code(candidate: Candidate) -> dict[str, bytes]:
    task = candidate.task
    if isinstance(task.tests, PytestFile):
        text, _ = merged(task.preamble, candidate.code)
        return {
            "pytest.ini": b"[pytest]\n",  # pytest looks no further for configuration
            task.tests.filename: _bytes(task.tests.source),
            module_file(task.tests.module): _bytes(text),
        }
    files = {"solution.py": _bytes(candidate.code.removeprefix("\ufeff"))}
    if task.preamble:
        files["preamble.py"] = _bytes(task.preamble.removeprefix("\ufeff"))
    return files


def _bytes(code: str) -> bytes:
    return code.encode("utf-8", "replace")
