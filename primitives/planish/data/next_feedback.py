"""Make the feedback for the next attempt from verdicts."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile

from planish.data.candidate import Candidate
from planish.data.execution import Execution, Failure
from planish.data.feedback import Feedback, Issue, PreviousAttempt
from planish.data.tests import PytestFile, StdioPairs
from planish.data.verdict import COULD_NOT_JUDGE, Finding, Verdict

__all__ = ["feedback_of"]

_TRACEBACK = 2_000  # characters
_STDOUT = 2_000
_STDOUT_LINES = (10, 20)  # at the beginning and at the end
_ISSUES = 10
_SUMMARY = 200
_FRAME = re.compile(r'^[ |]*File "([^"\n]*)", line ', re.MULTILINE)
_GROUP = "Exception Group Traceback (most recent call last):"
_CAPTURED = re.compile(r"(?ms)^-+ Captured stdout \w+ -+\n(.*?)(?=^[-=_]{3,} |\Z)")


def feedback_of(best: Verdict, verdicts: Sequence[Verdict]) -> Feedback:
    """Return the feedback for the next attempt: the evidence of one verdict.

    If its candidate has no code, because the reply was empty, prose or cut off, the code and the
    evidence of the attempt before it remain, with the finding on the reply first.

    Args:
        best: The verdict to describe.
        verdicts: All verdicts of the round, oldest first, `best` among them.
    """
    candidate = best.execution.candidate
    earlier = candidate.task.feedback or Feedback()
    attempt = max(one.execution.candidate.task.attempt for one in verdicts)
    previous = _previous_attempts(earlier.previous_attempts, verdicts)
    has_code = candidate.problem in (None, "refused")
    if not has_code and (earlier.previous_code or earlier.issues):
        issues = [issue for issue in earlier.issues if issue.exception not in _REPLY_PROBLEMS]
        return replace(
            earlier,
            text="",
            attempt=attempt,
            issues=(*_issues(best), *issues)[:_ISSUES],
            previous_attempts=previous,
            described=earlier.described or earlier.attempt,
        )
    execution, failure = best.execution, best.execution.failure
    return Feedback(
        attempt=attempt,
        described=0 if candidate.task.attempt == attempt else candidate.task.attempt,
        status=execution.status,
        score=best.score,
        issues=_issues(best),
        error=f"{failure.name}: {failure.message}" if failure else "",
        traceback=_traceback(failure, candidate) if failure else "",
        stdout=_stdout(execution),
        previous_code=candidate.code if has_code else "",
        previous_files=candidate.files if has_code else {},
        previous_attempts=previous,
        repeats=execution.repeats,
    )


_REPLY_PROBLEMS = ("EditFailed", "EmptyReply", "NoCode", "TruncatedReply")


def _previous_attempts(
    earlier: Sequence[PreviousAttempt], verdicts: Sequence[Verdict]
) -> tuple[PreviousAttempt, ...]:
    new = [
        PreviousAttempt(
            attempt=candidate.task.attempt,
            digest=candidate.digest,
            status=verdict.execution.status,
            score=verdict.score,
            summary=_summary(verdict),
            judge_raised=any(map(_says_that_a_judge_raised, verdict.findings)),
            execution=verdict.execution,
        )
        for verdict in verdicts
        if (candidate := verdict.execution.candidate).problem is None
    ]
    # Each round has higher numbers than the one before, so that only the last can be known.
    lowest = min((one.attempt for one in new), default=0)
    last = takewhile(lambda one: one.attempt >= lowest, reversed(earlier))
    known = {(one.attempt, one.digest) for one in last}
    return (*earlier, *(one for one in new if (one.attempt, one.digest) not in known))


def _says_that_a_judge_raised(finding: Finding) -> bool:
    # What the code shapes, such as the message of its exception, is a finding of another severity.
    return finding.severity == "warning" and finding.message.startswith(f"{COULD_NOT_JUDGE}: ")


def _summary(verdict: Verdict) -> str:
    failure = verdict.execution.failure
    if failure is not None:
        return f"{failure.name}: {failure.message}"[:_SUMMARY]
    return next((finding.message for finding in verdict.findings), "")[:_SUMMARY]


def _issues(verdict: Verdict) -> tuple[Issue, ...]:
    findings = verdict.findings
    issues = [_issue(finding) for finding in findings[:_ISSUES]]
    if len(findings) > _ISSUES:
        issues.append(Issue(issue=f"and {len(findings) - _ISSUES} more"))
    return tuple(issues)


def _issue(finding: Finding) -> Issue:
    return Issue(
        issue=finding.message,
        fix=finding.fix,
        test=finding.test,
        expected=finding.expected,
        actual=finding.actual,
        kind=finding.kind,
        place=finding.place,
        line=finding.line,
        exception=finding.exception,
        bases=finding.bases,
        signature=finding.signature,
        call=finding.call,
        diff=finding.diff,
    )


def _traceback(failure: Failure, candidate: Candidate) -> str:
    """Return the last part of a traceback; "" if the findings say all that is in it.

    They have the exception, and the line of the code at which it was raised. A traceback says
    more if it passes through several lines of the code, also those of an exception that led to
    it, or if it is that of a group. Frames of libraries alone say nothing of the code.
    """
    text = failure.traceback
    if _GROUP in text:
        return text[-_TRACEBACK:]
    tests = candidate.task.tests
    own = {path.rpartition("/")[2] for path in candidate.files}
    own.add(
        f"{tests.module.rpartition('.')[2]}.py" if isinstance(tests, PytestFile) else "solution.py"
    )
    frames = [file for file in _FRAME.findall(text) if file.rpartition("/")[2] in own]
    located = failure.line is not None or "tests.py" in text or isinstance(tests, PytestFile)
    return text[-_TRACEBACK:] if len(frames) > 1 or not located else ""


def _stdout(execution: Execution) -> str:
    """Return the first and last lines of what the candidate printed.

    What pytest printed is left out, and so is the output that pairs compare: it is in a finding.
    """
    text, tests = execution.stdout, execution.candidate.task.tests
    if isinstance(tests, PytestFile):
        text = "".join(_CAPTURED.findall(text))
    elif isinstance(tests, StdioPairs) and any(one.actual for one in execution.tests):
        return ""
    first, last = _STDOUT_LINES
    lines = text.split("\n")
    if len(lines) > first + last + 1:
        note = f"... {len(lines) - first - last} lines left out ..."
        text = "\n".join((*lines[:first], note, *lines[-last:]))
    if len(text) <= _STDOUT:
        return text
    return f"{text[: _STDOUT // 4]}\n...\n{text[-(_STDOUT * 3 // 4) + 5 :]}"
