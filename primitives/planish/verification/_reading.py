"""Read the results of programs, and make the `Execution` of a candidate."""

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
from planish.verification._contract import contract_failure, contract_results
from planish.verification._output import decode_output, shorten_paths
from planish.verification._pair_results import (
    checker_failure,
    pair_results,
    refuses_expected,
    time_failure,
)
from planish.verification._programs import PreparedPrograms
from planish.verification._pytest_results import failure_texts, pytest_results
from planish.verification._raised import preamble_failure, step_failure
from planish.verification._records import RunRecord, exit_failure, read_records, stop_failure
from planish.verification._results import assertion_results, case_results
from planish.verification._status import separation_of, status_of

__all__ = ["read_execution", "read_step", "reject"]


def reject(candidate: Candidate, failure: Failure) -> Execution:
    """Return the execution of a candidate that cannot be run; none of its tests has run.

    Args:
        candidate: The candidate.
        failure: The failure that `syntax_failure` returned.
    """
    return Execution(
        candidate=candidate,
        status=Status.SYNTAX_ERROR,
        tests=_results(candidate, (), [], []),
        failure=failure,
        findings=candidate.findings,
    )


def read_execution(
    prepared: PreparedPrograms,
    completed: Sequence[Completed],
    checker_runs: Sequence[Completed] = (),
) -> Execution:
    """Return the execution of a candidate, from the results of its programs.

    The caller sets `Execution.sandbox` and `Execution.key`.

    Args:
        prepared: The programs.
        completed: The results of the programs, in order. For `StdioPairs` there may be fewer,
            but at least one: pairs without a result are "not_run".
        checker_runs: The results of the programs that ran the checker of `StdioPairs`.

    Raises:
        SandboxError: the verifier did not start in the sandbox.
        UnsupportedError: the tests are a `PytestFile`, and the sandbox has no pytest.
        ValueError: `completed` is empty.
    """
    if not completed:
        raise ValueError("nothing was run: use reject() for a candidate that cannot be run")
    candidate = prepared.candidate
    python = candidate.task.language == "python"
    runs = [read_records(prepared, one) if python else RunRecord() for one in completed]
    failures = [_failure(candidate, *pair) for pair in zip(runs, completed, strict=True)]
    tests = _results(candidate, completed, runs, failures, checker_runs)
    tampering = next((run.tampering for run in runs if run.tampering), "")
    if tampering:
        tests = tuple(_as_tampered(test) for test in tests)
        failures = [Failure(name="Tampering", message=tampering), *failures]
    pairs = isinstance(candidate.task.tests, StdioPairs)
    if isinstance(candidate.task.tests, StdioPairs):
        failures += [checker_failure(checker_runs), time_failure(candidate.task.tests, completed)]
    representative = _representative(completed, tests)
    broken = () if tampering else contract_results(candidate, completed)
    failure = _first_failure(candidate, tests, failures) or contract_failure(broken)
    failure, tests = _with_preamble_blamed(candidate, failure, (*tests, *broken))
    status = status_of(tests, failure, completed, runs, pairs=pairs)
    if pairs and refuses_expected(checker_runs):
        status = Status.TEST_ERROR
    timed_out = any(run.timed_out for run in runs)
    separation, weakened_by = separation_of(candidate, completed, runs, checker_runs)
    return Execution(
        candidate=candidate,
        status=status,
        tests=tests,
        failure=None if status is Status.SUCCESS else failure,
        stdout=decode_output(representative.stdout, STREAM),
        stderr=shorten_paths(decode_output(representative.stderr, STREAM)),
        exit_code=representative.exit_code,
        signal=None if timed_out else representative.signal,
        limit=representative.limit or ("seconds" if timed_out else None),
        duration=sum(one.duration for one in (*completed, *checker_runs)),
        runs=len(completed) + len(checker_runs),
        isolation=representative.isolation,
        guarantees=_common_guarantees(completed),
        artifacts=representative.artifacts,
        displays=representative.displays,
        findings=tuple(_findings(candidate, completed, tests)),
        separation=separation,
        weakened_by=weakened_by,
        packages=tuple(sorted({name for run in runs for name in run.packages})),
        lacks=_not_installed(candidate, completed),
    )


def _not_installed(candidate: Candidate, completed: Sequence[Completed]) -> tuple[str, ...]:
    """Return the system packages that a candidate names and that some run did not have."""
    return tuple(
        name
        for name in dict.fromkeys(candidate.system_packages)
        if not all(name in one.installed for one in completed)
    )


def read_step(candidate: Candidate, completed: Completed) -> Execution:
    """Return the execution of a candidate that was run as a step of a session.

    There are no tests, and no records: the step says itself what it raised.

    Args:
        candidate: The candidate.
        completed: The result of the step.
    """
    failure = step_failure(completed)
    if failure is None:
        failure = stop_failure(completed, RunRecord(), has_results=False)
        failure = failure or exit_failure(completed)
    else:
        failure = replace(failure, text=_code_line(candidate, failure.line))
    separation, weakened_by = separation_of(candidate, [completed], [])
    return Execution(
        candidate=candidate,
        status=status_of((), failure, [completed], [], pairs=False),
        failure=failure,
        stdout=decode_output(completed.stdout, STREAM),
        stderr=shorten_paths(decode_output(completed.stderr, STREAM)),
        exit_code=completed.exit_code,
        signal=completed.signal,
        limit=completed.limit,
        duration=completed.duration,
        runs=1,
        isolation=completed.isolation,
        guarantees=completed.guarantees,
        displays=completed.displays,
        findings=(*candidate.findings, *completed.findings),
        separation=separation,
        weakened_by=weakened_by,
    )


def _as_tampered(test: TestResult) -> TestResult:
    """Return a test's result as an error, because the records of its run are not genuine."""
    return replace(test, status="error", message="the record of the run was tampered with")


def _with_preamble_blamed(
    candidate: Candidate, failure: Failure | None, tests: tuple[TestResult, ...]
) -> tuple[Failure | None, tuple[TestResult, ...]]:
    """Return failure and results; if the task's preamble raised, its failure, and "not_run"."""
    of_preamble = preamble_failure(candidate, failure)
    if of_preamble is None:
        return failure, tests
    unrun = (
        TestResult(name=test.name, status="not_run", line=test.line)
        if test.status == "error"
        else test
        for test in tests
    )
    return of_preamble, tuple(unrun)


def _findings(
    candidate: Candidate, completed: Sequence[Completed], tests: Sequence[TestResult]
) -> Iterator[str]:
    """Yield the findings of the reply, of the sandbox, and of the tests."""
    yield from candidate.findings
    yield from dict.fromkeys(found for one in completed for found in one.findings)
    yield from _comparison_finding(candidate, tests)


def _comparison_finding(candidate: Candidate, tests: Sequence[TestResult]) -> Iterator[str]:
    """Yield a finding if all tests passed and none of them compares anything."""
    passed = [test for test in tests if test.status == "passed"]
    if passed and len(passed) == len(tests) and not compares(candidate.task.tests):
        yield "nothing was compared: the tests only call the code"


def _common_guarantees(completed: Sequence[Completed]) -> tuple[Guarantee, ...]:
    """Return the guarantees that held in every run."""
    first, *others = completed
    return tuple(g for g in first.guarantees if all(g in one.guarantees for one in others))


def _results(
    candidate: Candidate,
    completed: Sequence[Completed],
    runs: Sequence[RunRecord],
    failures: Sequence[Failure | None],
    checker_runs: Sequence[Completed] = (),
) -> tuple[TestResult, ...]:
    task = candidate.task
    if isinstance(task.tests, StdioPairs):
        return pair_results(task.tests, completed, failures, checker_runs)
    run = runs[0] if runs else RunRecord()
    stop = stop_failure(completed[0], run, has_results=True) if completed else None
    match task.tests:
        case Assertions() as tests:
            results = assertion_results(tests, run, stop)
        case Cases() as tests:
            results = case_results(tests, task.entry_point or "", run, stop)
        case PytestFile() as tests:
            results = pytest_results(tests, run, stop)
        case None:
            return ()
    acceptable = {"passed", *NEUTRAL_STATUSES}
    if stop is None or run.ended or any(result.status not in acceptable for result in results):
        return results
    # All tests passed, but the program was stopped before the end of the test code.
    return (
        *results,
        TestResult(name="the end of the tests", status="not_run", message=stop.message),
    )


def _failure(candidate: Candidate, run: RunRecord, completed: Completed) -> Failure | None:
    """Return the failure of one program by its records and its end; outputs are compared later."""
    record = run.failure
    tested = isinstance(candidate.task.tests, Assertions | Cases | PytestFile)
    if record is None:
        stop = stop_failure(completed, run, has_results=tested)
        if stop is not None:
            return replace(stop, text=_code_line(candidate, stop.line))
        return None if tested else exit_failure(completed)
    line: int | None = record.get("line")
    message, traceback = failure_texts(candidate.task.tests, record)
    return Failure(
        name=record["name"],
        message=bounded(message, VALUE),
        traceback=shorten_paths(bounded(traceback, TRACEBACK)),
        line=line,
        offset=record.get("offset"),
        text=_code_line(candidate, line),
        bases=tuple(record.get("bases", "").split()),
        loading=tested and bool(record.get("loading")),
    )


def _code_line(candidate: Candidate, line: int | None) -> str:
    """Return a line of the candidate's code; "" if it has no such line."""
    lines = candidate.code.removeprefix("\ufeff").split("\n")
    return bounded(lines[line - 1].rstrip("\r"), VALUE) if line and line <= len(lines) else ""


def _first_failure(
    candidate: Candidate, tests: Sequence[TestResult], failures: Sequence[Failure | None]
) -> Failure | None:
    """Return the first failure in time: of a program, or a wrong value found on the host."""
    wrong = next((test for test in tests if test.status == "failed"), None)
    if isinstance(candidate.task.tests, Cases | StdioPairs):
        broken = next((test for test in tests if test.status != "passed"), None)
        if wrong is not None and broken is wrong:
            return _mismatch(wrong, printed=isinstance(candidate.task.tests, StdioPairs))
    failure = next((failure for failure in failures if failure is not None), None)
    if failure is None or failure.name != "AssertionError" or failure.message or wrong is None:
        return failure
    return replace(failure, message=_describe(wrong))


def _mismatch(wrong: TestResult, *, printed: bool) -> Failure:
    message = wrong.message and f" ({wrong.message})"
    message = f"{wrong.name}: {wrong.message}" if printed else _describe(wrong) + message
    return Failure(name="AssertionError", message=bounded(message, VALUE))


def _representative(completed: Sequence[Completed], tests: Sequence[TestResult]) -> Completed:
    """Return the run whose output is reported: the first that did not pass, else the last."""
    if len(completed) > 1:
        for one, test in zip(completed, tests, strict=False):
            if test.status != "passed":
                return one
    return completed[-1]


def _describe(test: TestResult) -> str:
    """Describe a failed test by its values, for a failure without a message."""
    actual = "" if test.actual is None else f": got {test.actual}"
    expected = "" if test.expected is None else f", expected {test.expected}"
    return f"{test.name}{actual}{expected}"
