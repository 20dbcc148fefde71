"""The programs that run a candidate and its tests in a sandbox."""

import marshal
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from planish.data.candidate import Candidate
from planish.data.program import Program, ResourceLimits
from planish.data.task import Task
from planish.data.tests import Assertions, Cases, PytestFile, StdioPairs
from planish.verification._bundle import (
    MARSHAL_VERSION,
    PYTEST_INI,
    VERIFIER,
    loader,
    verifier_bundle,
)
from planish.verification._candidate_files import laid_out, main_file
from planish.verification._names import shared_process_reason
from planish.verification._pair_runs import pair_limits
from planish.verification._plan import (
    RESULTS,
    assert_facts,
    merge_preamble,
    plan,
)

__all__ = ["PreparedPrograms", "prepare"]


_MAIN = "_planish.py"
_PLAN = "plan.bin"
# Seconds that a program has in addition to the candidate's limit, for the start of the verifier
# and of pytest. The verifier enforces the candidate's limit itself.
_EXTRA_SECONDS = {"script": 0.0, "cases": 2.0, "checks": 5.0, "pytest": 15.0}
_VERIFICATION_FILES = (_MAIN, _PLAN, VERIFIER)
_EXTENSIONS = {
    "bash": "sh",
    "csharp": "cs",
    "javascript": "js",
    "julia": "jl",
    "kotlin": "kt",
    "perl": "pl",
    "ruby": "rb",
    "rust": "rs",
    "typescript": "ts",
}


@dataclass(frozen=True, slots=True)
class PreparedPrograms:
    """The programs of a candidate, and the facts needed to read their results.

    Attributes:
        candidate: The candidate.
        programs: One program, or one for each pair of `StdioPairs`.
        secret: The key that seals the records of the results: 32 random hexadecimal digits. Only
            the host and the verifier process have it. Store it with recorded results that are
            to be read again.
        digest: A digest of everything that runs, without the secret: equal for equal programs.
    """

    candidate: Candidate
    programs: tuple[Program, ...]
    secret: str
    digest: str


def prepare(
    candidate: Candidate,
    limits: ResourceLimits,
    *,
    secret: str | None = None,
    outputs: str | None = None,
) -> PreparedPrograms:
    """Return the programs that run a candidate and its tests.

    Args:
        candidate: A candidate for which `syntax_failure` returns None.
        limits: The resource limits of each program.
        secret: The key of recorded results that are to be read again; a new one by default.
        outputs: The folder whose files are artifacts, as `Program.outputs`; None for none.
    """
    secret = os.urandom(16).hex() if secret is None else secret
    inputs = _inputs(candidate, limits)
    if candidate.task.language != "python":
        programs = tuple(_other_program(candidate, *one, outputs) for one in inputs)
        return PreparedPrograms(candidate, programs, secret, _digest(candidate, programs, {}))
    facts = {**plan(candidate), "together": shared_process_reason(candidate.task.tests)}
    programs = tuple(_python_program(candidate, *one, facts, secret, outputs) for one in inputs)
    return PreparedPrograms(candidate, programs, secret, _digest(candidate, programs, facts))


def _inputs(candidate: Candidate, limits: ResourceLimits) -> list[tuple[ResourceLimits, bytes]]:
    """Return the limits and the standard input of each program."""
    tests = candidate.task.tests
    if not isinstance(tests, StdioPairs):
        return [(limits, b"")]
    return [
        (pair_limits(tests, number, limits), pair.stdin.encode("utf-8", "replace"))
        for number, pair in enumerate(tests.pairs)
    ]


def _digest(candidate: Candidate, programs: Sequence[Program], facts: Mapping[str, Any]) -> str:
    """Return a digest of programs and of the rules that compare their results.

    The plan's facts represent the verification's own files, one of which has the secret.
    """
    from hashlib import blake2b  # noqa: PLC0415 - loads OpenSSL, which few programs need

    hasher = blake2b(digest_size=16)
    match candidate.task.tests:
        case Cases() as tests:  # the plan has the expected values
            rules: object = (tests.sequences, [tests.tolerance_of(case) for case in tests.cases])
        case StdioPairs() as tests:
            rules = tests
        case Assertions() | PytestFile() | None:  # the plan and the files have all of them
            rules = None
    # The hook is random in each process; the compiled tests follow from their text and from it.
    stable = {name: fact for name, fact in facts.items() if name not in ("hook", "compiled")}
    rules = (rules, candidate.task.contract, candidate.packages, candidate.system_packages)
    hasher.update(repr((stable, rules)).encode("utf-8", "backslashreplace"))
    own = _VERIFICATION_FILES if facts else ()  # elsewhere the candidate may have such a file
    for program in programs:
        for path, data in program.files.items():
            if path not in own:
                hasher.update(b"%d %d " % (len(path), len(data)))
                hasher.update(path.encode("utf-8", "surrogatepass") + data)
        options = (program.language, program.limits, program.outputs, program.args)
        hasher.update(repr(options).encode("utf-8", "backslashreplace"))
        hasher.update(program.stdin)
    return hasher.hexdigest()


def _other_program(
    candidate: Candidate, limits: ResourceLimits, stdin: bytes, outputs: str | None
) -> Program:
    task = candidate.task
    main = f"main.{_EXTENSIONS.get(task.language, task.language)}"
    code = f"{task.preamble.rstrip()}\n{candidate.code}" if task.preamble else candidate.code
    return Program(
        language=task.language,
        main=main,
        files={**task.files, **_own_files(candidate), main: _bytes(code)},
        args=_arguments(task),
        outputs=outputs,
        stdin=stdin,
        limits=limits,
        packages=candidate.packages,
        system_packages=candidate.system_packages,
    )


def _arguments(task: Task) -> tuple[str, ...]:
    """Return the arguments that the task's contract passes to the program."""
    return () if task.contract is None else task.contract.argument_texts(task.files)


def _own_files(candidate: Candidate) -> dict[str, bytes]:
    """Return the other files of a candidate in another language, at their paths.

    No verifier runs beside such a program.
    """
    return {path: _bytes(content) for path, content in candidate.files.items()}


def _python_program(
    candidate: Candidate,
    limits: ResourceLimits,
    stdin: bytes,
    facts: Mapping[str, Any],
    secret: str,
    outputs: str | None,
) -> Program:
    # In a shared process the candidate has the descriptor too, so that it protects nothing.
    shared_process = bool(facts["together"])
    run_facts: dict[str, Any] = {"seconds": limits.seconds}
    if facts["mode"] == "checks":
        run_facts |= assert_facts(facts, shared_process=shared_process)
    has_results = facts["mode"] != "script" and not shared_process
    files = {
        _MAIN: loader(facts["mode"], shared_process=shared_process),
        VERIFIER: verifier_bundle(),
        _PLAN: b"%b\n%b"
        % (secret.encode(), marshal.dumps({**facts, **run_facts}, MARSHAL_VERSION)),
    }
    return Program(
        main=_MAIN,
        files={**candidate.task.files, **files, **_code(candidate), **laid_out(candidate)},
        args=_arguments(candidate.task),
        outputs=outputs,
        stdin=stdin,
        collect=(RESULTS,),
        results=has_results,
        limits=replace(limits, seconds=limits.seconds + _EXTRA_SECONDS[facts["mode"]]),
        packages=candidate.packages,
        system_packages=candidate.system_packages,
    )


def _code(candidate: Candidate) -> dict[str, bytes]:
    task = candidate.task
    if isinstance(task.tests, PytestFile):
        text, _ = merge_preamble(task.preamble, candidate.code)
        return {
            PYTEST_INI: b"[pytest]\n",
            task.tests.filename: _bytes(task.tests.source),
            **{path: _bytes(content) for path, content in task.tests.files.items()},
            main_file(candidate): _bytes(text),
        }
    files = {"solution.py": _bytes(candidate.code.removeprefix("\ufeff"))}
    if task.preamble:
        files["preamble.py"] = _bytes(task.preamble)
    return files


def _bytes(code: str) -> bytes:
    return code.encode("utf-8", "replace")
