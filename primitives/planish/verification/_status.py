"""The status of a candidate's execution, and the separation of its evidence."""

from collections.abc import Sequence

from planish.data.candidate import Candidate
from planish.data.execution import Failure, Separation, TestResult
from planish.data.program import Completed
from planish.data.status import NEUTRAL_STATUSES, Status
from planish.data.tests import StdioPairs
from planish.verification._candidate_files import optional_modules
from planish.verification._names import names_used, shared_process_reason
from planish.verification._records import RunRecord

__all__ = ["separation_of", "status_of"]


_FACTS = frozenset(
    {"access", "cmp", "cmpfiles", "dircmp", "exists", "fstat", "getatime", "getctime", "getmtime"}
    | {"getsize", "is_dir", "is_file", "isdir", "isfile", "lexists", "lstat", "readlink"}
    | {"samefile", "stat", "statvfs"}
)
# What runs a text or loads a pickle, by the names of a checker. It runs where nothing of the
# candidate's is but its output, so that only what the checker itself does with that can run it.
_RUNS_OUTPUT = frozenset(
    {"eval", "exec", "execfile", "runpy", "FunctionType", "InteractiveInterpreter", "__import__"}
    | {"import_module", "pickle", "marshal", "shelve", "subprocess", "system", "popen"}
    | {"__builtins__", "builtins"}
)
_EXHAUSTED = ("MemoryError", "RecursionError")


def status_of(
    tests: Sequence[TestResult],
    failure: Failure | None,
    completed: Sequence[Completed],
    runs: Sequence[RunRecord],
    *,
    pairs: bool,
) -> Status:
    """Return the status of an execution: the first rule of this function that applies.

    A pair of `StdioPairs` that has not run was left out by the tests' options, and is ignored.
    Another test that has not run counts as an error if the program ended before it.

    Args:
        tests: The results of the tests.
        failure: The first failure; None without one.
        completed: The results of the programs.
        runs: The records of the programs.
        pairs: True for `StdioPairs`.
    """
    limit = next((one.limit for one in completed if one.limit is not None), None)
    counted = [test for test in tests if test.status not in NEUTRAL_STATUSES]
    passed = [test.status == "passed" for test in counted]
    killed = any(one.signal is not None for one in completed)
    # An exception has base classes; a class of the code's may have the name of a stop.
    stop = failure.name if failure is not None and not failure.bases else ""
    if any(run.failure is not None and run.failure.get("syntax") for run in runs):
        return Status.SYNTAX_ERROR
    if stop == "Tampering":
        return Status.RUNTIME_ERROR
    if stop == "PreambleError" or any(run.broken_tests is not None for run in runs):
        return Status.TEST_ERROR
    if limit == "seconds" or any(run.timed_out for run in runs):
        return Status.TIMEOUT
    if limit is not None:
        return Status.RESOURCE_LIMIT
    if stop == "Timeout":
        return Status.TIMEOUT
    if all(passed) and (tests or failure is None):
        return Status.SUCCESS
    if stop == "ResourceLimit" or (failure is not None and failure.name in _EXHAUSTED):
        return Status.RESOURCE_LIMIT
    if any(passed) and not killed:
        return Status.PARTIAL_SUCCESS
    wrong = any(test.status == "failed" for test in counted) and not killed
    # Asserts that stand after a failed one in its function are not run: that is no more than wrong.
    prevented = not pairs and stop != "" and any(test.status == "not_run" for test in counted)
    raised = prevented or any(test.status == "error" for test in counted)
    return Status.WRONG_ANSWER if wrong and not raised else Status.RUNTIME_ERROR


def separation_of(
    candidate: Candidate,
    completed: Sequence[Completed],
    runs: Sequence[RunRecord],
    checker_runs: Sequence[Completed] = (),
) -> tuple[Separation, tuple[str, ...]]:
    """Return the separation of an execution, and why it is below "isolated", a sentence each."""
    match candidate.task.tests:
        case None:
            return "exit_code", ("there are no tests: only the exit code was checked",)
        case StdioPairs():
            reasons = _output_reasons([*completed, *checker_runs]) + _checker_reasons(candidate)
        case tests if reason := shared_process_reason(tests):
            reasons = [reason]
        case _:
            reasons = [reason for one in completed for reason in _sandbox_reasons(one)]
            reasons += [reason for run in runs for reason in run.weakened_by]
            reasons += _file_reasons(candidate)
            if not reasons and not all(run.separate for run in runs):
                reasons = ["the verifier process did not report that it is isolated"]
    distinct = tuple(dict.fromkeys(reasons))
    return ("shared_process" if distinct else "isolated"), distinct


def _file_reasons(candidate: Candidate) -> list[str]:
    """Return why tests may be misled by files that are the candidate's, or that it can change.

    The verifier records reads of the task's files. Nothing records a question for a size or time,
    so that the text of the tests decides.
    """
    reasons = [
        f"the tests import {name!r} if it is there, and the code has brought it"
        for name in (optional_modules(candidate) if candidate.files else ())
    ]
    names = _FACTS.intersection(names_used(candidate.task.tests)) if candidate.task.files else ()
    if names:
        reasons.append(f"the tests use {min(names)}: the code can change sizes and times of files")
    return reasons


def _output_reasons(completed: Sequence[Completed]) -> list[str]:
    """Return why output is weaker evidence.

    Programs may read the expected output on the host, or find what an earlier program has left;
    and that may take part in the checker.
    """
    reasons: list[str] = []
    if not all("files" in one.guarantees for one in completed):
        reasons.append("the sandbox does not hide the files of the host from programs")
    if not all("cleanup" in one.guarantees for one in completed):
        reasons.append("the sandbox does not end and remove all that earlier programs have left")
    return reasons


def _checker_reasons(candidate: Candidate) -> list[str]:
    """Return why a checker may run what the candidate has printed, by the names that it uses."""
    names = _RUNS_OUTPUT.intersection(names_used(candidate.task.tests))
    return [f"the checker uses {min(names)}: it may run what the code printed"] if names else []


def _sandbox_reasons(completed: Completed) -> list[str]:
    reasons: list[str] = []
    if completed.results is None:
        reasons.append("the sandbox has no descriptor for results: they were written to a file")
    if "results" not in completed.guarantees:
        reasons.append(
            "the sandbox does not guarantee that programs cannot reach the verifier process"
        )
    return reasons
