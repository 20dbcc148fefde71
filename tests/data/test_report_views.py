"""A report as a summary, rows, CSV, Markdown and HTML, whatever the texts in it are."""

import csv
import io
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from tests.data.test_report import attempt, report

from planish import Report, Task
from planish.data import Branch, Finding, Usage
from planish.errors import NotPassedError, PlanishError, report_of

ANY_TEXT = st.text(max_size=40) | st.sampled_from(
    ["\x1b[31mred", "=cmd()", "a|b\n|c", "<script>alert(1)</script>", "\u202egnp", "[red]x[/red]"]
)


def with_problem(text: str, *, count: int = 1) -> Report:
    """Return a report whose attempts failed with a text of a program's."""
    failed = attempt(0)
    finding = Finding(message=text, expected=text, actual=text)
    verdict = replace(failed.verdict, findings=(finding,))
    history = tuple(replace(failed, index=i, verdict=verdict) for i in range(1, count + 1))
    branch = Branch(name=text, outcome="failed", attempts=(1,), error=text)
    return Report(
        task=Task(f"Do it. {text}", tests="assert f()"), history=history, branches=(branch,)
    )


def test_the_summary_says_how_it_ended_and_what_each_attempt_was() -> None:
    found = replace(
        report(0, 2, 4), stop_reason="success", usage=Usage(model_calls=3, input_tokens=1200)
    )
    lines = found.summary().splitlines()
    assert lines[0] == "passed after 3 attempts, score 1.00; stop reason 'success'"
    assert lines[1] == "task: Pass some checks."
    assert lines[4].split() == ["attempt", "status", "score", "tests", "problem"]
    assert lines[6].split()[:4] == ["2", "partial_success", "50%", "2/4"]
    assert lines[7].split() == ["3*", "success", "100%", "4/4"]
    assert "3 model calls, 1,200 tokens" in lines[-1]
    assert str(found) == found.summary()


def test_a_long_run_has_a_short_summary_that_says_what_it_leaves_out() -> None:
    long = replace(report(*[0] * 30, 3, *[1] * 30), stop_reason="max_attempts")
    lines = long.summary().splitlines()
    assert len(lines) < 30
    assert sum(line.strip() == "..." for line in lines) == 2
    assert any(line.startswith("31*") for line in lines)
    assert "61 attempts failed: the requirement may be unclear" in lines[-1]
    assert len(repr(long)) < 120
    assert len(str(report(*[0] * 1000))) < 3000


@pytest.mark.parametrize(
    ("passed", "advised"), [((0, 0), False), ((0, 0, 0), True), ((0, 0, 4), False)]
)
def test_an_unclear_requirement_is_named_after_three_failures(
    passed: tuple[int, ...], *, advised: bool
) -> None:
    assert ("may be unclear" in report(*passed).summary()) is advised


def test_a_report_without_attempts_has_a_summary() -> None:
    found = report()
    assert found.summary().startswith("no attempt; stop reason 'judged'")
    assert found.rows() == []
    assert found.to_csv() == ""


@given(ANY_TEXT)
def test_no_text_of_a_program_controls_a_terminal_or_a_page(text: str) -> None:
    found = with_problem(text, count=3)
    summary = found.summary()
    assert all(c.isprintable() or c == "\n" for c in summary)
    assert len(summary.splitlines()) == len(with_problem("x", count=3).summary().splitlines())
    assert max(map(len, summary.splitlines())) < 140
    page = found._repr_html_()  # pyright: ignore[reportPrivateUsage]  # as notebooks call it
    assert "<script" not in page
    assert page.count("<td>") == 15
    console = Console(file=io.StringIO(), width=200, force_terminal=False)
    console.print(found)
    printed = console.file.getvalue() if isinstance(console.file, io.StringIO) else ""
    assert printed.split() == summary.split()


@given(ANY_TEXT)
def test_csv_and_markdown_hold_any_text_as_text(text: str) -> None:
    found = with_problem(text, count=2)
    rows = list(csv.DictReader(io.StringIO(found.to_csv(), newline="")))
    assert [row["attempt"] for row in rows] == ["1", "2"]
    assert not any(cell.startswith(("=", "+", "-", "@")) for cell in rows[0].values())
    lines = found.to_markdown().splitlines()
    assert len(lines) == 4
    assert all(line.replace("\\\\", "").replace("\\|", "").count("|") == 6 for line in lines)
    assert "<script" not in found.to_markdown()


def test_rows_have_the_same_columns_and_one_is_the_best() -> None:
    rows = report(1, 3, 2).rows()
    assert [row["best"] for row in rows] == [False, True, False]
    assert [row["tests_passed"] for row in rows] == [1, 3, 2]
    assert {tuple(row) for row in rows} == {tuple(rows[0])}
    assert rows[0]["problem"]
    assert report(4).rows()[0]["problem"] == ""


def test_the_code_of_a_report_is_code_that_passed() -> None:
    found = report(1, 4)
    assert found.unwrap() is found.history[1]
    assert found.code == found.history[1].code


@pytest.mark.parametrize("passed", [(), (1, 3)])
def test_without_a_pass_there_is_no_code_but_the_report(passed: tuple[int, ...]) -> None:
    found = report(*passed)
    with pytest.raises(NotPassedError, match="no attempt passed") as caught:
        found.code  # noqa: B018
    assert report_of(caught.value) is found
    assert isinstance(caught.value, PlanishError)
    assert "stop reason" in str(caught.value)
    with pytest.raises(NotPassedError):
        found.unwrap()
