"""Make the programs to run for a candidate and its tests."""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from planish.data.candidate import Candidate
from planish.data.program import Program, ResourceLimits
from planish.data.tests import Cases, PytestFile, StdioPairs
from planish.verification._analysis import why_together
from planish.verification._bundle import bundle, loader
from planish.verification._pair_runs import pair_limits
from planish.verification._plan import RESULTS, merged, module_file, plan

__all__ = ["Prepared", "prepare"]


_MAIN = "_planish.py"
_PLAN = "plan.json"
_BUNDLE = "_planish.bin"
# Seconds beside the candidate's, for the process that judges: its own start and that of pytest do
# not count. It keeps the candidate's limit itself.
_MORE = {"script": 0.0, "cases": 2.0, "checks": 5.0, "pytest": 15.0}
_OWN = (_MAIN, _PLAN, _BUNDLE)
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


@dataclass(frozen=True, slots=True)
class Prepared:
    """A candidate made ready to run: its programs, and what is needed to read their results.

    Attributes:
        candidate: What is to be run.
        programs: One program, or one for each pair of `StdioPairs`.
        secret: The key that seals the records of the results, 32 hexadecimal digits, random. Only
            the host and the process that judges have it. Keep it with recorded results that are
            to be read again.
        digest: A digest of all that is run, the secret left out: equal for equal programs.
    """

    candidate: Candidate
    programs: tuple[Program, ...]
    secret: str
    digest: str


def prepare(candidate: Candidate, limits: ResourceLimits, *, secret: str | None = None) -> Prepared:
    """Make the programs to run for a candidate.

    Args:
        candidate: Code and task. `syntax_failure` knows nothing against it.
        limits: What each program may use.
        secret: The key of recorded results that are to be read again; a new one by default.
    """
    secret = os.urandom(16).hex() if secret is None else secret
    inputs = _inputs(candidate, limits)
    if candidate.task.language != "python":
        made = tuple(_other(candidate, *one) for one in inputs)
        return Prepared(candidate, made, secret, _digest(candidate, made, {}))
    facts = {**plan(candidate), "together": why_together(candidate.task.tests)}
    made = tuple(_python(candidate, *one, facts, secret) for one in inputs)
    return Prepared(candidate, made, secret, _digest(candidate, made, facts))


def _inputs(candidate: Candidate, limits: ResourceLimits) -> list[tuple[ResourceLimits, bytes]]:
    """The limits and the standard input of each program."""
    tests = candidate.task.tests
    if not isinstance(tests, StdioPairs):
        return [(limits, b"")]
    return [
        (pair_limits(tests, number, limits), pair.stdin.encode("utf-8", "replace"))
        for number, pair in enumerate(tests.pairs)
    ]


def _digest(candidate: Candidate, made: Sequence[Program], facts: Mapping[str, Any]) -> str:
    """Digest programs and how their results are compared.

    The facts of the plan stand for the files of our own, of which one holds the secret.
    """
    from hashlib import blake2b  # noqa: PLC0415 - loads OpenSSL, which few programs need

    found = blake2b(digest_size=16)
    match candidate.task.tests:
        case Cases() as tests:  # what is expected stands in the plan
            rules: object = (tests.sequences, [tests.tolerance_of(case) for case in tests.cases])
        case StdioPairs() as tests:
            rules = tests
        case _:
            rules = None
    found.update(repr((dict(facts), rules)).encode("utf-8", "backslashreplace"))
    for program in made:
        for path, data in program.files.items():
            if path not in _OWN:
                found.update(b"%d %d " % (len(path), len(data)))
                found.update(path.encode() + data)
        found.update(repr((program.language, program.limits)).encode())
        found.update(program.stdin)
    return found.hexdigest()


def _other(candidate: Candidate, limits: ResourceLimits, stdin: bytes) -> Program:
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


def _python(
    candidate: Candidate,
    limits: ResourceLimits,
    stdin: bytes,
    facts: Mapping[str, Any],
    secret: str,
) -> Program:
    # The name of the hook is random, too: no program can write it down.
    own = {"seconds": limits.seconds, "nonce": secret, "hook": f"@{os.urandom(8).hex()}"}
    # In one process the candidate would have the descriptor, too: it is of no use there.
    together = bool(facts["together"])
    tested = facts["mode"] != "script" and not together
    files = {
        _MAIN: loader(),
        _BUNDLE: bundle(facts["mode"], together=together),
        _PLAN: json.dumps({**facts, **own}, ensure_ascii=False).encode("utf-8", "backslashreplace"),
    }
    return Program(
        main=_MAIN,
        files={**files, **_code(candidate)},
        stdin=stdin,
        collect=(RESULTS,),
        results=tested,
        limits=replace(limits, seconds=limits.seconds + _MORE[facts["mode"]]),
    )


def _code(candidate: Candidate) -> dict[str, bytes]:
    task = candidate.task
    if isinstance(task.tests, PytestFile):
        text, _ = merged(task.preamble, candidate.code)
        return {
            "pytest.ini": b"[pytest]\n",  # pytest looks no further for configuration
            task.tests.filename: _bytes(task.tests.source),
            **{path: _bytes(content) for path, content in task.tests.files.items()},
            module_file(task.tests.module): _bytes(text),
        }
    files = {"solution.py": _bytes(candidate.code.removeprefix("\ufeff"))}
    if task.preamble:
        files["preamble.py"] = _bytes(task.preamble.removeprefix("\ufeff"))
    return files


def _bytes(code: str) -> bytes:
    return code.encode("utf-8", "replace")
