"""From how programs ended to evidence."""

from collections.abc import Sequence
from dataclasses import replace

from planish.data.candidate import Candidate
from planish.data.execution import Execution, Failure, TestResult
from planish.data.isolation import Guarantee
from planish.data.program import Completed
from planish.data.status import Status
from planish.data.tests import Assertions, Cases, PytestFile, StdioPairs
from planish.harness._asserted import asserted
from planish.harness._bounds import STREAM, TRACEBACK, VALUE, bounded, text
from planish.harness._called import called
from planish.harness._collected import collected
from planish.harness._pairs import pairs_stop
from planish.harness._printed import exit_failure, printed
from planish.harness._records import Run, run_of
from planish.harness._sides import in_words
from planish.harness._stops import stop_of

__all__ = ["not_run", "read"]

_EXHAUSTED = ("MemoryError", "RecursionError", "ResourceLimit")


def not_run(candidate: Candidate, failure: Failure) -> Execution:
    """The evidence for a candidate that cannot be run: none of its tests has.

    Args:
        candidate: What was proposed.
        failure: What `syntax_failure` says of it.
    """
    return Execution(
        candidate=candidate,
        status=Status.SYNTAX_ERROR,
        tests=_results(candidate, (), [], []),
        failure=failure,
    )


def read(
    candidate: Candidate, completed: Sequence[Completed], checked: Sequence[Completed] = ()
) -> Execution:
    """The evidence of a candidate's programs; `sandbox` is left for the caller to fill in.

    Args:
        candidate: What was run.
        completed: How its programs ended, in the order of `programs`. Of `StdioPairs` there
            may be fewer, if at least one: pairs without a run have not run.
        checked: How the programs ended that ran the checker of `StdioPairs`.

    Raises:
        SandboxError: the sandbox could not start the harness.
        UnsupportedError: a `PytestFile`, and no pytest in the sandbox.
        ValueError: nothing was run.
    """
    if not completed:
        raise ValueError("nothing was run: a candidate that cannot be run is for not_run()")
    python = candidate.task.language == "python"
    runs = [run_of(candidate, one) if python else Run() for one in completed]
    failures = [_failure(candidate, *pair) for pair in zip(runs, completed, strict=True)]
    tests = _results(candidate, completed, runs, failures, checked)
    if isinstance(candidate.task.tests, StdioPairs):
        failures.append(pairs_stop(candidate.task.tests, completed))
    failure = _first(candidate, tests, failures)
    status = _status(tests, failure, completed, runs)
    shown = _shown(completed, tests)
    return Execution(
        candidate=candidate,
        status=status,
        tests=tests,
        failure=None if status is Status.SUCCESS else failure,
        stdout=text(shown.stdout, STREAM),
        stderr=text(shown.stderr, STREAM),
        exit_code=shown.exit_code,
        signal=shown.signal,
        limit=shown.limit,
        duration=sum(one.duration for one in (*completed, *checked)),
        runs=len(completed) + len(checked),
        isolation=shown.isolation,
        guarantees=_held(completed),
        artifacts=shown.artifacts,
        displays=shown.displays,
        findings=tuple(dict.fromkeys(found for one in completed for found in one.findings)),
    )


def _held(completed: Sequence[Completed]) -> tuple[Guarantee, ...]:
    """What held for every run."""
    first, *others = completed
    return tuple(g for g in first.guarantees if all(g in one.guarantees for one in others))


def _results(
    candidate: Candidate,
    completed: Sequence[Completed],
    runs: Sequence[Run],
    failures: Sequence[Failure | None],
    checked: Sequence[Completed] = (),
) -> tuple[TestResult, ...]:
    task = candidate.task
    if isinstance(task.tests, StdioPairs):
        return printed(task.tests, completed, failures, checked)
    run = runs[0] if runs else Run()
    stop = stop_of(completed[0], run, tested=True) if completed else None
    match task.tests:
        case Assertions() as tests:
            results = asserted(tests, run, stop)
        case Cases() as tests:
            results = called(tests, task.entry_point or "", run, stop)
        case PytestFile() as tests:
            results = collected(tests, run, stop)
        case None:
            return ()
    if stop is None or run.ended or any(result.status != "passed" for result in results):
        return results
    # All have passed, but what was to come after them is not known to have.
    return (
        *results,
        TestResult(name="the end of the tests", status="not_run", message=stop.message),
    )


def _failure(candidate: Candidate, run: Run, completed: Completed) -> Failure | None:
    """What went wrong in one program, as far as it can tell itself."""
    record = run.failure
    tested = isinstance(candidate.task.tests, Assertions | Cases | PytestFile)
    if record is None:
        stop = stop_of(completed, run, tested=tested)
        return stop or (None if tested else exit_failure(completed))
    line: int | None = record.get("line")
    lines = candidate.code.removeprefix("\ufeff").split("\n")
    return Failure(
        name=record["name"],
        message=bounded(record["message"], VALUE),
        traceback=bounded(record.get("traceback", ""), TRACEBACK),
        line=line,
        offset=record.get("offset"),
        text=bounded(lines[line - 1].rstrip("\r"), VALUE) if line and line <= len(lines) else "",
    )


def _first(
    candidate: Candidate, tests: Sequence[TestResult], failures: Sequence[Failure | None]
) -> Failure | None:
    """The first thing that went wrong: what a program raised, or a value that was wrong."""
    wrong = next((test for test in tests if test.status == "failed"), None)
    if isinstance(candidate.task.tests, Cases | StdioPairs):
        broken = next((test for test in tests if test.status != "passed"), None)
        if wrong is not None and broken is wrong:
            return _mismatch(wrong, printed=isinstance(candidate.task.tests, StdioPairs))
    failure = next((failure for failure in failures if failure is not None), None)
    if failure is None or failure.name != "AssertionError" or failure.message or wrong is None:
        return failure
    return replace(failure, message=in_words(wrong))


def _mismatch(wrong: TestResult, *, printed: bool) -> Failure:
    message = wrong.message and f" ({wrong.message})"
    message = f"{wrong.name}: {wrong.message}" if printed else in_words(wrong) + message
    return Failure(name="AssertionError", message=bounded(message, VALUE))


def _shown(completed: Sequence[Completed], tests: Sequence[TestResult]) -> Completed:
    """The run whose output is shown: the first whose test did not pass, else the last."""
    if len(completed) > 1:
        for one, test in zip(completed, tests, strict=False):
            if test.status != "passed":
                return one
    return completed[-1]


def _status(
    tests: Sequence[TestResult],
    failure: Failure | None,
    completed: Sequence[Completed],
    runs: Sequence[Run],
) -> Status:
    """How it ended, in one word: the first that holds.

    The candidate does not compile in the sandbox; a program was stopped at a limit; the first
    failure is for want of memory or stack; all tests passed; a program was killed; some tests
    passed; none did. Without tests: an exit code of 0.
    """
    limit = next((one.limit for one in completed if one.limit is not None), None)
    passed = [test.status == "passed" for test in tests]
    killed = any(one.signal is not None for one in completed)
    if any(run.failure is not None and run.failure.get("syntax") for run in runs):
        return Status.SYNTAX_ERROR
    if limit is not None:
        return Status.TIMEOUT if limit == "seconds" else Status.RESOURCE_LIMIT
    if failure is not None and failure.name in _EXHAUSTED:
        return Status.RESOURCE_LIMIT
    if failure is not None and failure.name == "Timeout":
        return Status.TIMEOUT
    if all(passed) and (tests or failure is None):
        return Status.SUCCESS
    return Status.PARTIAL_SUCCESS if any(passed) and not killed else Status.RUNTIME_ERROR
