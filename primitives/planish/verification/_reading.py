"""Read how programs ended, and make the evidence of it."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from planish.data.candidate import Candidate
from planish.data.execution import Execution, Failure, TestResult
from planish.data.program import Completed
from planish.data.sandbox import Guarantee
from planish.data.status import NEUTRAL_STATUSES, Status
from planish.data.tests import Assertions, Cases, PytestFile, StdioPairs
from planish.guest.protocol import STREAM, TRACEBACK, VALUE, bounded
from planish.verification._analysis import compares
from planish.verification._output import text
from planish.verification._pair_results import checker_failure, is_broken, pairs_stop, printed
from planish.verification._programs import Prepared
from planish.verification._records import Run, exit_failure, run_of, stop_of
from planish.verification._results import asserted, called, collected
from planish.verification._status import separation_of, status_of

__all__ = ["not_run", "read"]


def not_run(candidate: Candidate, failure: Failure) -> Execution:
    """Make the evidence for a candidate that cannot be run: none of its tests has.

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
    prepared: Prepared, completed: Sequence[Completed], checked: Sequence[Completed] = ()
) -> Execution:
    """Read the evidence of a candidate's programs.

    `Execution.sandbox` and `.key` are left for the caller to fill in.

    Args:
        prepared: What was run.
        completed: How its programs ended, in their order. Of `StdioPairs` there may be fewer, if
            at least one: pairs without a run have not run.
        checked: How the programs ended that ran the checker of `StdioPairs`.

    Raises:
        SandboxError: the sandbox could not start the program that runs the tests.
        UnsupportedError: a `PytestFile`, and no pytest in the sandbox.
        ValueError: nothing was run.
    """
    if not completed:
        raise ValueError("nothing was run: a candidate that cannot be run is for not_run()")
    candidate = prepared.candidate
    python = candidate.task.language == "python"
    runs = [run_of(prepared, one) if python else Run() for one in completed]
    failures = [_failure(candidate, *pair) for pair in zip(runs, completed, strict=True)]
    tests = _results(candidate, completed, runs, failures, checked)
    tampering = next((run.tampering for run in runs if run.tampering), "")
    if tampering:
        tests = tuple(_discredited(test) for test in tests)
        failures = [Failure(name="Tampering", message=tampering), *failures]
    if isinstance(candidate.task.tests, StdioPairs):
        failures += [checker_failure(checked), pairs_stop(candidate.task.tests, completed)]
    failure = _first(candidate, tests, failures)
    pairs = isinstance(candidate.task.tests, StdioPairs)
    status = status_of(tests, failure, completed, runs, pairs=pairs)
    if is_broken(checked):
        status = Status.TEST_ERROR
    shown = _shown(completed, tests)
    timed_out = any(run.timed_out for run in runs)
    separation, weakened_by = separation_of(candidate, completed, runs)
    return Execution(
        candidate=candidate,
        status=status,
        tests=tests,
        failure=None if status is Status.SUCCESS else failure,
        stdout=text(shown.stdout, STREAM),
        stderr=text(shown.stderr, STREAM),
        exit_code=shown.exit_code,
        signal=None if timed_out else shown.signal,
        limit=shown.limit or ("seconds" if timed_out else None),
        duration=sum(one.duration for one in (*completed, *checked)),
        runs=len(completed) + len(checked),
        isolation=shown.isolation,
        guarantees=_held(completed),
        artifacts=shown.artifacts,
        displays=shown.displays,
        findings=(*_found(completed), *_nothing_compared(candidate, tests)),
        separation=separation,
        weakened_by=weakened_by,
        packages=tuple(sorted({name for run in runs for name in run.packages})),
    )


def _discredited(test: TestResult) -> TestResult:
    """A test of a run whose record was tampered with: what it says is not known."""
    return replace(test, status="error", message="the record of the run was tampered with")


def _found(completed: Sequence[Completed]) -> Iterator[str]:
    return iter(dict.fromkeys(found for one in completed for found in one.findings))


def _nothing_compared(candidate: Candidate, tests: Sequence[TestResult]) -> Iterator[str]:
    """Say that tests which all passed have only called the code."""
    passed = [test for test in tests if test.status == "passed"]
    if passed and len(passed) == len(tests) and not compares(candidate.task.tests):
        yield "nothing was compared: the tests only call the code"


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
    fine = {"passed", *NEUTRAL_STATUSES}
    if stop is None or run.ended or any(result.status not in fine for result in results):
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
    return replace(failure, message=_in_words(wrong))


def _mismatch(wrong: TestResult, *, printed: bool) -> Failure:
    message = wrong.message and f" ({wrong.message})"
    message = f"{wrong.name}: {wrong.message}" if printed else _in_words(wrong) + message
    return Failure(name="AssertionError", message=bounded(message, VALUE))


def _shown(completed: Sequence[Completed], tests: Sequence[TestResult]) -> Completed:
    """The run whose output is shown: the first whose test did not pass, else the last."""
    if len(completed) > 1:
        for one, test in zip(completed, tests, strict=False):
            if test.status != "passed":
                return one
    return completed[-1]


def _in_words(test: TestResult) -> str:
    """What is wrong with a failed test, for a failure that says nothing itself."""
    got = "" if test.actual is None else f": got {test.actual}"
    wanted = "" if test.expected is None else f", expected {test.expected}"
    return f"{test.name}{got}{wanted}"
