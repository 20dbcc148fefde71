"""A report for a person: a text of at most some 30 lines, and the same as HTML."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from planish.data.report_rows import to_rows, visible
from planish.data.status import NEUTRAL_STATUSES, Status

if TYPE_CHECKING:
    from planish.data.attempt import Attempt, Branch
    from planish.data.report import Report
    from planish.data.report_rows import Row
    from planish.data.usage import Usage

__all__ = ["headline", "to_html", "to_text"]

_WIDTH = 100  # characters of a line
_PROBLEM = 48  # characters of what went wrong, in the table
_CAUSE = 12  # characters of why an attempt was made, in the table
_BRANCH = 40  # characters of a branch's name
_FIRST, _LAST = 4, 6  # attempts that are listed
_BRANCHES = 6
_ASSUMPTIONS = 5
_ADVICE_AFTER = 3  # attempts that failed for the same kind of reason
_NAMED = 5  # files, and displays, that are named
_NAME = 60  # characters of a name
_PICTURES = 4
_PICTURE_BYTES = 1_000_000  # of all pictures together
_PICTURE_TYPES = {
    "png": "image/png",
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "gif": "image/gif",
    "webp": "image/webp",
}
_COLUMNS = ("attempt", "cause", "status", "score", "tests", "problem")
_BETWEEN = ("...", *[""] * (len(_COLUMNS) - 1))  # attempts that are not listed

_KINDS = {
    Status.TIMEOUT: "timeout",
    Status.RESOURCE_LIMIT: "resource",
    Status.TEST_ERROR: "test_error",
    Status.INFRA_ERROR: "infra",
    Status.SYNTAX_ERROR: "syntax",
}
_ADVICE = {
    "logic": "{} attempts gave wrong results: the requirement may be unclear, or the tests may "
    "expect what it does not say.",
    "timeout": "{} attempts reached the time limit: it may be too short, or the requirement may "
    "be unclear about the size of inputs.",
    "resource": "{} attempts reached a limit of the sandbox: it may be too low, or the requirement "
    "may be unclear about the size of inputs.",
    "environment": "{} attempts lacked something of the environment: the requirement may be "
    "unclear about which packages there are.",
}


def headline(report: "Report") -> str:
    """Return how a run ended, in one line."""
    count = f"{report.attempts} attempt{'' if report.attempts == 1 else 's'}"
    best = report.best
    if best is None:
        return f"no attempt; stop reason {report.stop_reason!r}"
    score = "" if best.score is None else f", score {best.score:.2f}"
    return f"{_result(report, best)} after {count}{score}; stop reason {report.stop_reason!r}"


def _result(report: "Report", best: "Attempt") -> str:
    if report.passed:
        return "passed"
    if report.acceptance is not None:
        return f"{report.acceptance.label} by the held-out tests"
    return "not accepted" if report.task.accept is not None else best.verdict.label


def to_text(report: "Report") -> str:
    """Return a summary: the result, the attempts, the branches, the usage, and advice."""
    lines = [headline(report), f"task: {visible(report.task.requirement, _WIDTH - 6)}"]
    lines += [*_evidence(report), *_acceptance(report)]
    if report.best is not None:
        lines += _explanation(report.best)
    lines += _output_lines(report)
    if report.history:
        lines += ["", *_table(report)]
    if report.branches:
        lines += ["", *_branch_lines(report)]
    return "\n".join([*lines, "", f"usage: {_usage(report.usage)}", *_advice(report)])


def _evidence(report: "Report") -> list[str]:
    """Return a line on what the result rests on; a test that does not count is no evidence."""
    verdict = report.acceptance or (None if report.best is None else report.best.verdict)
    if report.evidence is None or verdict is None:
        return []
    text, execution = str(report.evidence), verdict.execution
    if verdict.label == "unverified" and execution.tests and report.evidence.origin != "review":
        if execution.status is Status.TEST_ERROR:
            text = "none, the tests are broken"
        elif all(test.status in NEUTRAL_STATUSES for test in execution.tests):
            text = "none, no test counts"
    return [f"evidence: {text}"]


def _acceptance(report: "Report") -> list[str]:
    """Return the result of the held-out tests as lines; none if the task has no such tests."""
    verdict = report.acceptance
    if verdict is None:
        return ["held-out tests: not run"] if report.task.accept is not None else []
    tests = [test for test in verdict.execution.tests if test.status not in NEUTRAL_STATUSES]
    passed = sum(test.status == "passed" for test in tests)
    ending = f"{verdict.label}, {verdict.execution.status.value}"
    return [f"held-out tests: {ending}, {passed}/{len(tests)} passed"]


def _explanation(attempt: "Attempt") -> list[str]:
    """Return the goal and the assumptions that the model stated with the code."""
    candidate = attempt.candidate
    lines = [f"goal: {visible(candidate.goal, _WIDTH - 6)}"] if candidate.goal else []
    first = candidate.assumptions[:_ASSUMPTIONS]
    lines += [f"assumption: {visible(text, _WIDTH - 12)}" for text in first]
    more = len(candidate.assumptions) - len(first)
    return [*lines, f"... and {more} more assumptions"] if more > 0 else lines


def _advice(report: "Report") -> list[str]:
    """Return what may be wrong with the task, if attempts failed again for one kind of reason."""
    if report.passed:
        return []
    kinds = Counter(_kind(attempt) for attempt in report.history if not attempt.passed)
    kind, count = next(iter(kinds.most_common(1)), ("", 0))
    advice = _ADVICE.get(kind)
    return [advice.format(count)] if advice and count >= _ADVICE_AFTER else []


def _kind(attempt: "Attempt") -> str:
    """Return the kind of reason that an attempt failed for."""
    if attempt.candidate.problem is not None:
        return attempt.candidate.problem
    kinds = (finding.kind for finding in attempt.verdict.findings if finding.severity == "error")
    return next(filter(None, kinds), None) or _KINDS.get(attempt.status, "logic")


def _listed(report: "Report") -> list["Row | None"]:
    """Return the first rows, the best and the last; None in the place of those between."""
    rows = to_rows(report)
    last = len(rows) - _LAST
    listed: list[Row | None] = []
    for index, row in enumerate(rows):
        if index < _FIRST or index >= last or row["best"]:
            listed.append(row)
        elif listed[-1] is not None:
            listed.append(None)
    return listed


def _cells(row: "Row") -> tuple[str, ...]:
    score = "" if row["score"] is None else f"{row['score']:.0%}"
    tests = f"{row['tests_passed']}/{row['tests']}" if row["tests"] else ""
    name = f"{row['attempt']}{'*' if row['best'] else ''}"
    cause = visible(str(row["cause"]), _CAUSE)
    return name, cause, str(row["status"]), score, tests, visible(str(row["problem"]), _PROBLEM)


def _table(report: "Report") -> list[str]:
    table = [_COLUMNS, *(_BETWEEN if row is None else _cells(row) for row in _listed(report))]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = ["  ".join(map(str.ljust, cells, widths)).rstrip() for cells in table]
    return [*lines, "(* the best)"]


def _branch_lines(report: "Report") -> list[str]:
    names = [visible(branch.name, _BRANCH) for branch in report.branches]
    times = Counter(names)
    names = [f"{i}: {name}" if times[name] > 1 else name for i, name in enumerate(names)]
    first = zip(report.branches[:_BRANCHES], names, strict=False)
    lines = [_branch_line(branch, name) for branch, name in first]
    more = len(report.branches) - _BRANCHES
    return [*lines, f"... and {more} more branches"] if more > 0 else lines


def _branch_line(branch: "Branch", name: str) -> str:
    usage = _usage(branch.usage) if branch.started is not None else "not started"
    error = f": {branch.error}" if branch.error else ""
    return visible(f"branch {name} {branch.outcome}; {usage}{error}", _WIDTH)


def _usage(usage: "Usage") -> str:
    money = f", ${usage.usd:.4f}" if usage.usd else ""
    return (
        f"{_count(usage.model_calls, 'model call')}, {usage.tokens:,} tokens{money}, "
        f"{_count(usage.sandbox_runs, 'program')} in {usage.sandbox_seconds:.1f} s"
    )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def to_html(report: "Report") -> str:
    """Return the summary as HTML for a notebook; every text is escaped."""
    from html import escape  # noqa: PLC0415 - loads the names of all characters

    head = "".join(f"<th>{name}</th>" for name in _COLUMNS)
    rows = [_BETWEEN if row is None else _cells(row) for row in _listed(report)]
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>" for cells in rows
    )
    lines = [f"task: {visible(report.task.requirement, _WIDTH)}", *_acceptance(report)]
    lines += [] if report.best is None else _explanation(report.best)
    lines += _output_lines(report)
    lines += _branch_lines(report) if report.branches else []
    lines += [f"usage: {_usage(report.usage)}", *_advice(report)]
    return (
        f"<p><b>{escape(headline(report))}</b></p>"
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        f"<p>{'<br>'.join(map(escape, lines))}</p>"
        f"{_pictures_as_html(report)}"
    )


def _output_lines(report: "Report") -> list[str]:
    """Return a line for the files and one for the displays, with sizes; none without any."""
    files = [(path, len(content)) for path, content in report.artifacts.items()]
    displays = [
        next(((kind, len(content)) for kind, content in display.forms.items()), ("nothing", 0))
        for display in report.displays
    ]
    return [*_line("file", files), *_line("display", displays)]


def _line(noun: str, items: Sequence[tuple[str, int]]) -> Iterator[str]:
    if not items:
        return
    parts = [f"{visible(name, _NAME)} ({size:,} bytes)" for name, size in items[:_NAMED]]
    rest = [f"... and {len(items) - _NAMED} more"] if len(items) > _NAMED else []
    yield visible(f"{_count(len(items), noun)}: {', '.join([*parts, *rest])}", 3 * _WIDTH)


def _pictures_as_html(report: "Report") -> str:
    """Return the first pictures as HTML, at most 4 and 1 MB; "" if there are none.

    Their content is in `data:` addresses, so that no text of a program becomes part of the page.
    """
    left = _PICTURE_BYTES
    tags: list[str] = []
    for kind, content in _pictures(report):
        if len(tags) == _PICTURES:
            break
        if len(content) <= left:
            left -= len(content)
            tags.append(_tag(kind, content))
    return f"<p>{''.join(tags)}</p>" if tags else ""


def _pictures(report: "Report") -> Iterator[tuple[str, bytes]]:
    """Yield the pictures of the displays, then those among the files, with their media types."""
    for display in report.displays:
        kinds = (kind for kind in _PICTURE_TYPES.values() if kind in display.forms)
        kind = next(kinds, None)
        if kind is not None:
            yield kind, display.forms[kind]
    for path, content in report.artifacts.items():
        kind = _PICTURE_TYPES.get(path.rpartition(".")[2].lower())
        if kind is not None:
            yield kind, content


def _tag(kind: str, content: bytes) -> str:
    from base64 import b64encode  # noqa: PLC0415 - few programs show pictures

    return f'<img src="data:{kind};base64,{b64encode(content).decode()}" style="max-width:100%">'
