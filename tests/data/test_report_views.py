"""A report as a summary, rows, CSV, Markdown and HTML, whatever the texts in it are."""

import csv
import io
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from tests.data.test_report import attempt, report
from tests.laws.kit import TASK

from planish import Report, Task
from planish.data import Attempt, Branch, FailureKind, Finding, Usage
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
    assert lines[4].split() == ["attempt", "cause", "status", "score", "tests", "problem"]
    assert lines[6].split()[:5] == ["2", "first", "partial_success", "50%", "2/4"]
    assert lines[7].split() == ["3*", "first", "success", "100%", "4/4"]
    assert "3 model calls, 1,200 tokens, 0 programs" in lines[-1]
    one = replace(found, usage=Usage(model_calls=1, sandbox_runs=1))
    assert "1 model call, 0 tokens, 1 program in 0.0 s" in one.summary()
    assert str(found) == found.summary()


def test_a_long_run_has_a_short_summary_that_says_what_it_leaves_out() -> None:
    long = replace(report(*[0] * 30, 3, *[1] * 30), stop_reason="max_attempts")
    lines = long.summary().splitlines()
    assert len(lines) < 30
    assert sum(line.strip() == "..." for line in lines) == 2
    assert any(line.startswith("31*") for line in lines)
    assert "61 attempts gave wrong results: the requirement may be unclear" in lines[-1]
    assert len(repr(long)) < 120
    assert len(str(report(*[0] * 1000))) < 3000


def failing(*kinds: FailureKind | None) -> Report:
    """Return a report whose attempts failed for reasons of these kinds."""
    history: list[Attempt] = []
    for index, kind in enumerate(kinds, start=1):
        failed = attempt(0)
        finding = Finding(message="no", kind=kind)
        verdict = replace(failed.verdict, findings=(finding,))
        history.append(replace(failed, index=index, verdict=verdict))
    return Report(task=TASK, history=tuple(history))


@pytest.mark.parametrize(
    ("found", "advised"),
    [
        (report(0, 0), ""),
        (report(0, 0, 0), "3 attempts gave wrong results: the requirement may be unclear"),
        (report(0, 0, 4), ""),
        (failing("logic", "timeout", "logic"), ""),
        (failing("logic", "timeout", "logic", None), "3 attempts gave wrong results"),
        (failing("timeout", "timeout", "timeout"), "3 attempts reached the time limit"),
        (
            failing("logic", "environment", "environment", "environment"),
            "3 attempts lacked something",
        ),
        (failing("infra", "infra", "infra"), ""),
    ],
)
def test_three_failures_of_one_kind_say_what_may_be_unclear(found: Report, advised: str) -> None:
    assert ("may be unclear" in found.summary()) is bool(advised)
    assert advised in found.summary()


def held_out(passed: int | None) -> Report:
    """Return a report that passed the visible tests, with the verdict of held-out ones."""
    task = replace(TASK, accept=TASK.tests)
    verdict = None if passed is None else attempt(passed).verdict
    return replace(report(4), task=task, acceptance=verdict)


@pytest.mark.parametrize(
    ("passed", "head", "line"),
    [
        (4, "passed after 1 attempt", "held-out tests: passed, success, 4/4 passed"),
        (
            1,
            "failed by the held-out tests after 1 attempt",
            "held-out tests: failed, partial_success, 1/4 passed",
        ),
        (None, "not accepted after 1 attempt", "held-out tests: not run"),
    ],
)
def test_held_out_tests_decide_what_the_summary_says(
    passed: int | None, head: str, line: str
) -> None:
    found = held_out(passed)
    assert found.summary().startswith(head)
    assert line in found.summary().splitlines()
    assert line in found._repr_html_()  # pyright: ignore[reportPrivateUsage]


def test_the_summary_says_what_each_branch_used() -> None:
    used = Usage(model_calls=2, input_tokens=1500, usd=0.25)
    branches = [
        Branch(name="a" * 90, outcome="won", usage=used, started=1.0),
        Branch(name="b", outcome="failed", error="ModelError('no')", started=1.0),
        Branch(name="c", outcome="cancelled"),
    ]
    lines = report(4, branches=branches).summary().splitlines()
    won, failed, never = (line for line in lines if line.startswith("branch"))
    assert "won; 2 model calls, 1,500 tokens, $0.2500" in won
    assert failed.endswith("0 programs in 0.0 s: ModelError('no')")
    assert never == "branch c cancelled; not started"


def test_goal_and_assumptions_are_shown_with_the_best_attempt() -> None:
    best = attempt(3)
    candidate = replace(
        best.candidate, goal="Add.", assumptions=("ints only", "\x1b[31m", *"abcdef")
    )
    verdict = replace(best.verdict, execution=replace(best.execution, candidate=candidate))
    found = Report(task=TASK, history=(replace(best, verdict=verdict),))
    lines = found.summary().splitlines()
    assert "goal: Add." in lines
    assert "assumption: ints only" in lines
    assert "assumption: \\x1b[31m" in lines
    assert "... and 3 more assumptions" in lines


def test_rows_say_how_each_attempt_came_about() -> None:
    one = replace(
        attempt(1),
        usage=Usage(model_calls=2, input_tokens=7, usd=0.5),
        path=("Retry#2", "Race[0]"),
        round=2,
        cause="race",
        started=1.5,
        seconds=2.5,
    )
    [row] = Report(task=TASK, history=(one,)).rows()
    assert (row["round"], row["cause"], row["path"]) == (2, "race", "Retry#2/Race[0]")
    assert (row["model_calls"], row["input_tokens"], row["usd"]) == (2, 7, 0.5)
    assert (row["started"], row["seconds"]) == (1.5, 2.5)


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
    assert page.count("<td>") == 18
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
    assert all(line.replace("\\\\", "").replace("\\|", "").count("|") == 7 for line in lines)
    assert "<script" not in found.to_markdown()


def test_rows_have_the_same_columns_and_one_is_the_best() -> None:
    rows = report(1, 3, 2).rows()
    assert [row["best"] for row in rows] == [False, True, False]
    assert [row["tests_passed"] for row in rows] == [1, 3, 2]
    assert {tuple(row) for row in rows} == {tuple(rows[0])}
    assert rows[0]["problem"]
    assert report(4).rows()[0]["problem"] == ""


def test_rows_have_the_scores_of_the_trajectory() -> None:
    unverified = replace(attempt(0).verdict, label="unverified", score=None)
    found = report(1, 0, 2)
    history = (*found.history, Attempt(index=4, verdict=unverified))
    found = replace(found, history=history)
    assert [row["score"] for row in found.rows()] == [0.25, 0.0, 0.5, None]
    assert tuple(row["score"] for row in found.rows()) == found.trajectory


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
