"""A report for a person: a text of at most some 30 lines, and the same as HTML."""

from typing import TYPE_CHECKING

from planish.data.report_rows import to_rows, visible

if TYPE_CHECKING:
    from planish.data.report import Branch, Report
    from planish.data.report_rows import Row

__all__ = ["headline", "to_html", "to_text"]

_WIDTH = 100  # characters of a line
_PROBLEM = 60  # characters of what went wrong, in the table
_FIRST, _LAST = 4, 6  # attempts that are listed
_BRANCHES = 6
_UNCLEAR_AFTER = 3  # failed attempts
_UNCLEAR = (
    "{} attempts failed: the requirement may be unclear, or the tests may expect what it does "
    "not say."
)
_BETWEEN = ("...", "", "", "", "")  # attempts that are not listed
_COLUMNS = ("attempt", "status", "score", "tests", "problem")


def headline(report: "Report") -> str:
    """Return how a run ended, in one line."""
    count = f"{report.attempts} attempt{'' if report.attempts == 1 else 's'}"
    best = report.best
    if best is None:
        return f"no attempt; stop reason {report.stop_reason!r}"
    result = "passed" if report.passed else best.verdict.label
    score = "" if best.score is None else f", score {best.score:.2f}"
    return f"{result} after {count}{score}; stop reason {report.stop_reason!r}"


def to_text(report: "Report") -> str:
    """Return a summary: the result, the attempts, the branches, the usage, and advice."""
    lines = [headline(report), f"task: {visible(report.task.requirement, _WIDTH - 6)}"]
    if report.best is not None:
        lines.append(f"evidence: {report.best.verdict.evidence}")
    if report.history:
        lines += ["", *_table(report)]
    if report.branches:
        lines += ["", *_branch_lines(report)]
    return "\n".join([*lines, "", f"usage: {_usage(report)}", *_advice(report)])


def _advice(report: "Report") -> list[str]:
    failed = report.attempts >= _UNCLEAR_AFTER and not report.passed
    return [_UNCLEAR.format(report.attempts)] if failed else []


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
    return name, str(row["status"]), score, tests, visible(str(row["problem"]), _PROBLEM)


def _table(report: "Report") -> list[str]:
    table = [_COLUMNS, *(_BETWEEN if row is None else _cells(row) for row in _listed(report))]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = ["  ".join(map(str.ljust, cells, widths)).rstrip() for cells in table]
    return [*lines, "(* the best)"]


def _branch_lines(report: "Report") -> list[str]:
    lines = [_branch_line(branch) for branch in report.branches[:_BRANCHES]]
    more = len(report.branches) - _BRANCHES
    return [*lines, f"... and {more} more branches"] if more > 0 else lines


def _branch_line(branch: "Branch") -> str:
    error = f": {branch.error}" if branch.error else ""
    return visible(f"branch {branch.name} {branch.outcome}{error}", _WIDTH)


def _usage(report: "Report") -> str:
    usage = report.usage
    money = f", ${usage.usd:.4f}" if usage.usd else ""
    return (
        f"{usage.model_calls} model calls, {usage.tokens:,} tokens{money}, "
        f"{usage.sandbox_runs} programs in {usage.sandbox_seconds:.1f} s"
    )


def to_html(report: "Report") -> str:
    """Return the summary as HTML for a notebook; every text is escaped."""
    from html import escape  # noqa: PLC0415 - loads the names of all characters

    head = "".join(f"<th>{name}</th>" for name in _COLUMNS)
    rows = [_BETWEEN if row is None else _cells(row) for row in _listed(report)]
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>" for cells in rows
    )
    lines = [f"task: {visible(report.task.requirement, _WIDTH)}"]
    lines += _branch_lines(report) if report.branches else []
    lines += [f"usage: {_usage(report)}", *_advice(report)]
    return (
        f"<p><b>{escape(headline(report))}</b></p>"
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        f"<p>{'<br>'.join(map(escape, lines))}</p>"
    )
