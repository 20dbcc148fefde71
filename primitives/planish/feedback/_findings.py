"""Make findings of what an execution left behind: each fact once, most useful first."""

import shlex
from collections.abc import Sequence
from dataclasses import fields, replace

from planish.data.execution import Execution, Failure, TestResult
from planish.data.feedback import Issue
from planish.data.status import FailureKind, Place, Status
from planish.data.tests import StdioPairs
from planish.data.verdict import Finding
from planish.feedback._broken_tests import missing_plugin
from planish.feedback._kinds import cause_of, kind_of_status
from planish.feedback._missing_names import MissingNames, missing_name
from planish.feedback._raised import Raised
from planish.feedback._texts import shorten, signature_of
from planish.feedback._wrong_values import WRONG_VALUE, describe_wrong_value

__all__ = ["environment_findings", "execution_findings", "failure_kind"]

_RAISED = "it raised an exception"
_OF_HARNESS = ("CheckerError", "NotRun", "PreambleError", "Tampering")
_TAMPERING = ("Tampering", ())  # with the bases that an exception of this name would have
_LISTED_LACKS = 5  # system packages
_LACK_CHARS = 60
_STDIN = 300  # characters of input in a line that can be pasted
_ORDER: Sequence[FailureKind | None] = (
    *("infra", "test_error", "environment", "logic", "resource", "timeout"),
    None,
)


def execution_findings(execution: Execution) -> tuple[Finding, ...]:
    """Return the findings of a run: its failures, and remarks on its tests and its sandbox.

    Tests that fail with the same error at the same place make one finding. Each finding has its
    kind, its place and a hint if there is one for its exception.

    Returns:
        Findings, most useful first: that it repeats an earlier run; broken tests; what the
        environment lacks; errors and wrong values in the order of the tests; limits that were
        reached; tests that did not run, tests that do not count, notes of the sandbox.
    """
    missing = MissingNames(execution)
    failed = [test for test in execution.tests if test.status in ("failed", "error")]
    findings = _merge_equal([_test_finding(execution, test, missing) for test in failed])
    findings += [_refusal_finding(one) for one in execution.candidate.refusals]
    failure = execution.failure
    if failure is not None and (not findings or (failure.name, failure.bases) == _TAMPERING):
        findings.insert(0, _failure_finding(execution, failure))
    findings.sort(key=lambda finding: _ORDER.index(finding.kind))
    if execution.repeats is not None:
        findings.insert(
            0,
            Finding(
                message=f"the code is the same as in attempt {execution.repeats}: it was not run "
                "again, and this is the result of that run",
                severity="warning",
                fix="change the code: the same code gives the same result",
            ),
        )
    not_run = [test.name for test in execution.tests if test.status == "not_run"]
    plugin = missing_plugin(execution)
    if plugin:
        findings.append(Finding(message=plugin, kind="test_error", place="tests"))
    elif not_run and failure is None:
        message = f"{len(not_run)} tests did not run: {', '.join(not_run[:5])}"
        findings.append(Finding(message=message))
    findings += _neutral_findings(execution)
    findings += environment_findings(execution)
    return tuple(findings)


def failure_kind(execution: Execution) -> FailureKind | None:
    """Return what the first failure of a run is about; None if the run succeeded.

    The first failure is that of the first test that failed; without one, that of the whole
    program. It is decided by rules, without a model.

    Args:
        execution: The run.
    """
    if execution.status is Status.SUCCESS:
        return None
    failure = execution.failure
    first = next((test for test in execution.tests if test.status in ("failed", "error")), None)
    if first is not None and (failure is None or (failure.name, failure.bases) != _TAMPERING):
        return _test_finding(execution, first, MissingNames(execution)).kind
    if failure is not None:
        return _failure_finding(execution, failure).kind
    if missing_plugin(execution):
        return "test_error"
    return kind_of_status(execution.status)


def environment_findings(execution: Execution) -> tuple[Finding, ...]:
    """Return the notes of the sandbox as findings, for example that it refused a package."""
    notes = [Finding(message=text, severity="warning") for text in execution.findings]
    notes += [_lack_finding(execution, name) for name in execution.lacks[:_LISTED_LACKS]]
    return tuple(notes)


def _lack_finding(execution: Execution, package: str) -> Finding:
    """Return the finding that a system package which the candidate names was not installed."""
    return Finding(
        message=f"the sandbox {execution.sandbox or ''!r} has not installed the system package "
        f"{package[:_LACK_CHARS]!r}, which the answer names",
        severity="warning",
        fix="do without it",
        kind="environment",
    )


def _neutral_findings(execution: Execution) -> list[Finding]:
    """Return findings that name the tests that do not count."""
    findings: list[Finding] = []
    vacuous = [test.name for test in execution.tests if test.status == "no_evidence"]
    if vacuous:
        findings.append(
            Finding(
                message="tests that use nothing of the candidate are no evidence "
                f"({len(vacuous)}): {', '.join(vacuous[:5])}",
                severity="warning",
                fix="have each test call the code",
            )
        )
    skipped = [test.name for test in execution.tests if test.status == "skipped"]
    if skipped:
        findings.append(
            Finding(
                message=f"tests that their author skips ({len(skipped)}): {', '.join(skipped[:5])}",
                severity="info",
            )
        )
    return findings


def _test_finding(execution: Execution, test: TestResult, missing: MissingNames) -> Finding:
    """Return the finding of a test that failed or raised."""
    finding = Finding(
        message=test.message or (WRONG_VALUE if test.status == "failed" else _RAISED),
        test=test.name,
        expected=test.expected,
        actual=test.actual,
        place=test.place,
        line=test.solution_line,
        exception=test.exception,
        bases=test.bases,
        call=_call(execution, test),
    )
    if test.status == "failed":
        return describe_wrong_value(execution, finding, test)
    finding = replace(finding, actual=None, expected=None) if test.actual is None else finding
    failure = execution.failure
    exception = test.exception or _stop_name(execution)
    message = test.message.removeprefix(f"{exception}: ")
    stop = exception if test.exception == "" and failure is not None else ""
    kind, fix = cause_of(
        Raised(
            execution=execution,
            exception=exception,
            message=message,
            bases=test.bases,
            place=test.place,
            source=_source_line(execution, test.solution_line),
            traceback=_traceback_of(failure, exception, message),
            statement=test.source,
        )
    )
    named = missing_name(missing, message) if test.place != "solution" else None
    if named is not None:
        if kind == "test_error" or missing.is_of_tests(named):
            kind, fix = "test_error", ""
            text = f"the tests use `{named}`, which neither they nor your code define"
        else:
            text, fix = missing.explain(named)
    else:
        text = f"it did not return: {message}" if stop == "Timeout" else finding.message
    text = text.rstrip(": ") + _code_line(execution, test.solution_line, exception)
    return replace(
        finding, message=text, fix=fix, kind=kind, exception=exception,
        place=test.place or _place_of_stop(stop), signature=signature_of(exception, message),
    )  # fmt: skip


def _failure_finding(execution: Execution, failure: Failure) -> Finding:
    """Return the finding of a failure that no test shows: of the code as a whole."""
    syntax = execution.status is Status.SYNTAX_ERROR
    place: Place | None = "solution" if failure.line or syntax else _place_of_stop(failure.name)
    column = f", column {failure.offset}" if failure.offset else ""
    where = f" (line {failure.line}{column}: {failure.text.strip()})" if failure.line else ""
    kind, fix = cause_of(
        Raised(
            execution=execution,
            exception=failure.name,
            message=failure.message,
            bases=failure.bases,
            place=place,
            source=failure.text,
            traceback=failure.traceback,
        )
    )
    return Finding(
        message=f"{failure.name}: {failure.message}{where}",
        fix=fix,
        kind=kind,
        place=place,
        line=failure.line,
        exception=failure.name,
        bases=failure.bases,
        signature=signature_of(failure.name, failure.message),
    )


def _refusal_finding(issue: Issue) -> Finding:
    """Return a step's reason to refuse a candidate; it is about the code if the step says no kind.

    `Issue` and `Finding` have the same fields.
    """
    known = {field.name: getattr(issue, field.name) for field in fields(Issue)}
    message = known.pop("issue")
    known |= {"kind": issue.kind or "logic", "place": issue.place or "solution"}
    return Finding(message=message, **known)


def _traceback_of(failure: Failure | None, exception: str, message: str) -> str:
    """Return the traceback of a test's exception, if it is the one that the run has."""
    if failure is None or (failure.name, failure.message) != (exception, message):
        return ""
    return failure.traceback


def _place_of_stop(name: str) -> Place | None:
    return "harness" if name in _OF_HARNESS else None


def _stop_name(execution: Execution) -> str:
    """Return the name of what stopped the program, for a test that it interrupted."""
    return execution.failure.name if execution.failure is not None else ""


def _source_line(execution: Execution, line: int | None) -> str:
    """Return a line of the candidate's code; "" if it has no such line."""
    lines = execution.candidate.code.removeprefix("\ufeff").split("\n")
    return lines[line - 1].strip() if line and line <= len(lines) else ""


def _code_line(execution: Execution, line: int | None, exception: str) -> str:
    source = shorten(_source_line(execution, line), 200)
    if not source:
        return ""
    return (
        f"; it was at line {line}: {source}"
        if exception == "Timeout"
        else f" (line {line}: {source})"
    )


def _call(execution: Execution, test: TestResult) -> str:
    """Return a line that repeats a failed test; "" if it is unknown, or is the test's name."""
    tests = execution.candidate.task.tests
    if not isinstance(tests, StdioPairs):
        return "" if test.source == test.name else test.source
    index = next((i for i, one in enumerate(execution.tests) if one is test), None)
    if index is None or index >= len(tests.pairs):
        return ""
    stdin = tests.pairs[index].stdin
    if len(stdin) > _STDIN or execution.candidate.task.language != "python":
        return ""
    escaped = stdin.replace("\\", "\\\\").replace("\n", "\\n").replace("%", "%%")
    return f"printf {shlex.quote(escaped)} | python solution.py"


def _merge_equal(findings: Sequence[Finding]) -> list[Finding]:
    """Return findings in which tests with one error at one place are one finding.

    Wrong values stay apart, because each says something else about the code.
    """
    merged: dict[object, Finding] = {}
    others: dict[object, list[str]] = {}
    for index, finding in enumerate(findings):
        wrong = finding.actual is not None or not finding.exception
        wrong = wrong or finding.signature.startswith("wrong value")
        key: object = index if wrong else (finding.signature, finding.line, finding.message)
        if key in merged:
            others.setdefault(key, []).append(finding.test or "")
        else:
            merged[key] = finding
    return [
        replace(finding, message=f"{finding.message}{_also(others.get(key, []))}")
        for key, finding in merged.items()
    ]


def _also(tests: Sequence[str]) -> str:
    if not tests:
        return ""
    return f"; the same in {len(tests)} other tests: {shorten(', '.join(tests[:3]), 200)}"
