"""A report as a table: one row for each attempt, as dicts, CSV or Markdown."""

from typing import TYPE_CHECKING

from planish.data.status import NEUTRAL_STATUSES

if TYPE_CHECKING:
    from planish.data.attempt import Attempt
    from planish.data.report import Report

__all__ = ["Row", "to_csv", "to_markdown", "to_rows", "visible", "what_went_wrong"]

Row = dict[str, str | int | float | bool | None]
"""One attempt: column name to value. Every row of a report has the same columns."""

_LONGEST = 300  # characters of what went wrong
# Spreadsheets take a text that begins so for a formula, and may run it.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_IN_MARKDOWN = str.maketrans({c: f"\\{c}" for c in "\\`*_{}[]>#|!"} | {"<": "&lt;", "&": "&amp;"})


def to_rows(report: "Report") -> list[Row]:
    """Return one row for each attempt, in order."""
    best = report.best
    return [_row(attempt, is_best=attempt is best) for attempt in report.history]


def _row(attempt: "Attempt", *, is_best: bool) -> Row:
    execution, reply = attempt.execution, attempt.candidate.reply
    usage = attempt.usage
    if attempt.started is None and reply is not None:  # of no run, or of an older document
        usage = reply.usage
    counted = [test for test in execution.tests if test.status not in NEUTRAL_STATUSES]
    return {
        "attempt": attempt.index,
        "round": attempt.round,
        "cause": attempt.cause,
        "path": "/".join(attempt.path),
        "best": is_best,
        "passed": attempt.passed,
        "status": attempt.status.value,
        "score": attempt.score,
        "tests_passed": sum(test.status == "passed" for test in counted),
        "tests": len(counted),
        "problem": what_went_wrong(attempt),
        "evidence": str(attempt.verdict.evidence),
        "digest": attempt.candidate.digest,
        "characters": len(attempt.code),
        "model": reply.model if reply else None,
        "model_calls": usage.model_calls,
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "usd": usage.usd,
        "sandbox": execution.sandbox,
        "sandbox_seconds": execution.duration,
        "started": attempt.started,
        "seconds": attempt.seconds,
    }


def what_went_wrong(attempt: "Attempt") -> str:
    """Return the most important defect of an attempt in one line; "" if it passed."""
    if attempt.passed:
        return ""
    findings = attempt.verdict.findings
    failure = attempt.execution.failure
    text = attempt.candidate.problem or attempt.status.value
    if findings:
        first = findings[0]
        text = f"{first.test}: {first.message}" if first.test else first.message
        if first.expected is not None and first.actual is not None:
            text += f": expected {first.expected}, got {first.actual}"
    elif failure is not None:
        text = f"{failure.name}: {failure.message}"
    return visible(text, _LONGEST)


def visible(text: str, longest: int) -> str:
    """Return a text as one line without control characters, cut to a length.

    The text may be a program's. What a terminal would obey is written as its escape.
    """
    text = " ".join(text[: 2 * longest].split())
    line = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def to_csv(report: "Report") -> str:
    """Return the rows as CSV, with a first line of column names.

    A text that a spreadsheet would take for a formula has an apostrophe before it.
    """
    import csv  # noqa: PLC0415 - few programs write one
    import io  # noqa: PLC0415

    rows = to_rows(report)
    file = io.StringIO(newline="")
    if rows:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows({name: _harmless(value) for name, value in row.items()} for row in rows)
    return file.getvalue()


def _harmless(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def to_markdown(report: "Report") -> str:
    """Return the most important columns as a Markdown table; every text is escaped."""
    lines = [
        "| attempt | cause | status | score | tests | problem |",
        "|---:|---|---|---:|---:|---|",
    ]
    for row in to_rows(report):
        name = f"**{row['attempt']}**" if row["best"] else f"{row['attempt']}"
        score = "" if row["score"] is None else f"{row['score']:.0%}"
        problem = str(row["problem"]).translate(_IN_MARKDOWN)
        tests = f"{row['tests_passed']}/{row['tests']}"
        status = str(row["status"]).translate(_IN_MARKDOWN)
        cause = visible(str(row["cause"]), _LONGEST).translate(_IN_MARKDOWN)
        lines.append(f"| {name} | {cause} | {status} | {score} | {tests} | {problem} |")
    return "\n".join(lines)
