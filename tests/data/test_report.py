"""Properties of a report, and reports of parts joined into one."""

from collections.abc import Sequence
from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws.kit import TASK, evidence

from planish import Candidate, Execution, Report, Task, Verdict
from planish.data import Attempt, Branch, Failure, Feedback, Finding, Status, Usage
from planish.judges import tests_pass
from planish.runtime.outcomes import best_index

MOVES = st.lists(st.integers(0, 4), max_size=5)


def attempt(passed: int, index: int = 1, number: int = 1) -> Attempt:
    task = TASK if number == 1 else TASK.with_feedback(Feedback(attempt=number - 1))
    candidate = Candidate(task=task, code=f"PASSED = {passed}  # {number} {index}")
    return Attempt(index=index, verdict=tests_pass(evidence(candidate)))


def report(*passed: int, selected: int | None = None, branches: Sequence[Branch] = ()) -> Report:
    history = tuple(attempt(p, i, i) for i, p in enumerate(passed, start=1))
    usage = Usage(model_calls=len(passed))
    return Report(
        task=TASK, history=history, selected=selected, branches=tuple(branches), usage=usage
    )


@given(MOVES)
def test_the_best_has_passed_then_scores_highest_then_came_first(moves: list[int]) -> None:
    found = report(*moves)
    assert found.trajectory == tuple(move / 4 for move in moves)
    assert found.attempts == len(moves)
    if not moves:
        assert (found.best, found.score, found.status, found.verdict) == (None,) * 4
        assert not found.passed
        return
    assert found.best is not None
    assert found.best.index == moves.index(max(moves)) + 1
    assert found.score == max(moves) / 4
    assert found.passed == (4 in moves)
    assert (found.status, found.verdict) == (found.best.status, found.best.verdict)


def test_a_pass_is_better_than_any_score_and_no_score_is_the_least() -> None:
    execution = evidence(Candidate(task=TASK, code="PASSED = 1"))
    verdicts = [
        Verdict(execution=execution, label="unverified"),
        Verdict(execution=execution, label="failed", score=0.9),
        Verdict(execution=execution, label="passed", score=0.1, judge="a reviewer"),
    ]
    history = tuple(Attempt(index=i, verdict=v) for i, v in enumerate(verdicts, start=1))
    assert [
        best.index for n in (1, 2, 3) if (best := Report(task=TASK, history=history[:n]).best)
    ] == [1, 2, 3]


def test_code_that_ran_and_lacks_only_tests_is_better_than_code_that_failed() -> None:
    task = Task("Print a line.")
    broken = Execution(candidate=Candidate(task=task, code="print("), status=Status.SYNTAX_ERROR)
    ran = Execution(candidate=Candidate(task=task, code="print(1)"), status=Status.SUCCESS, runs=1)
    verdicts = [
        tests_pass(broken),
        Verdict(execution=ran, label="failed", score=0.9),
        tests_pass(ran),
        Verdict(execution=ran, label="failed"),
    ]
    history = tuple(Attempt(index=i, verdict=v) for i, v in enumerate(verdicts, start=1))
    found = Report(task=task, history=history)
    assert found.best is not None
    assert found.best.index == 3
    assert found.summary().startswith("unverified after 4 attempts")
    single = [Report(task=task, history=(replace(one, index=1),)) for one in history]
    assert best_index(single) == 2


def test_what_was_chosen_is_the_best_whatever_its_rank() -> None:
    found = report(1, 4, 2, selected=3)
    assert found.best == found.history[2]
    assert not found.passed
    assert found.score == 0.5


@given(st.lists(MOVES, min_size=1, max_size=4), st.data())
def test_joining_keeps_every_attempt_in_order(parts: list[list[int]], data: st.DataObject) -> None:
    reports = [report(*moves) for moves in parts]
    chosen = data.draw(st.none() | st.integers(0, len(parts) - 1))
    usage = Usage(model_calls=7)
    joined = Report.join(reports, stop_reason="why", usage=usage, selected=chosen)
    flat = [move for moves in parts for move in moves]
    assert joined.trajectory == tuple(move / 4 for move in flat)
    assert [one.index for one in joined.history] == list(range(1, len(flat) + 1))
    assert (joined.stop_reason, joined.usage) == ("why", usage)
    if chosen is not None and parts[chosen]:
        start = sum(len(moves) for moves in parts[:chosen])
        best = parts[chosen].index(max(parts[chosen]))
        assert joined.best == joined.history[start + best]
    else:
        assert joined.selected is None


def test_joining_knows_whose_attempts_are_whose() -> None:
    inner = report(1, 2, branches=[Branch(name="deep", outcome="won", attempts=(2,))])
    joined = Report.join(
        [report(3), inner, report()],
        stop_reason="success",
        usage=Usage(),
        branches=[
            Branch(name="a", outcome="lost"),
            Branch(name="b", outcome="cancelled"),
            Branch(name="c", outcome="won"),
            Branch(name="d", outcome="failed", error="E"),
        ],
        branch_of_report=[2, 0, 1],
    )
    assert [(b.name, b.attempts) for b in joined.branches] == [
        ("a", (2, 3)),
        ("b", ()),
        ("c", (1,)),
        ("d", ()),
        ("deep", (3,)),
    ]
    assert joined.branches[3].error == "E"


def test_feedback_is_the_evidence_of_the_best_attempt() -> None:
    feedback = report(1, 3, 2).feedback
    assert feedback.attempt == 3
    assert feedback.score == 0.75
    assert feedback.status is Status.PARTIAL_SUCCESS
    assert feedback.previous_code == "PASSED = 3  # 2 2"
    assert [issue.test for issue in feedback.issues] == ["check 3"]
    assert [(one.attempt, one.score) for one in feedback.previous_attempts] == [
        (1, 0.25),
        (2, 0.75),
        (3, 0.5),
    ]


def test_feedback_is_bounded_and_keeps_the_end() -> None:
    one = attempt(0)
    failure = Failure(name="KeyError", message="3", traceback="a" * 9_000 + "END")
    execution = replace(one.execution, failure=failure, stdout="b" * 9_000 + "OUT")
    findings = tuple(Finding(message=f"finding {n}") for n in range(25))
    verdict = replace(one.verdict, execution=execution, findings=findings)
    feedback = Report(task=TASK, history=(Attempt(index=1, verdict=verdict),)).feedback
    assert feedback.error == "KeyError: 3"
    assert len(feedback.traceback) == 2_000
    assert feedback.traceback.endswith("END")
    assert len(feedback.stdout) == 2_000
    assert feedback.stdout.endswith("OUT")
    assert len(feedback.issues) == 11
    assert feedback.issues[-1].issue == "and 15 more"


def test_a_report_without_attempts_teaches_what_was_known() -> None:
    known = Feedback(attempt=2, text="known")
    assert Report(task=TASK.with_feedback(known)).feedback == known
    assert Report(task=TASK).feedback == Feedback()


def test_a_reply_without_code_was_not_tried() -> None:
    candidate = Candidate(task=TASK, code="", problem="no_code")
    verdict = tests_pass(evidence(candidate))
    found = Report(task=TASK, history=(Attempt(index=1, verdict=verdict),))
    assert found.feedback.previous_attempts == ()


@pytest.mark.parametrize(
    ("statuses", "count"),
    [
        ([Status.SUCCESS, Status.PARTIAL_SUCCESS], 0),
        ([Status.SYNTAX_ERROR, Status.SUCCESS, Status.TIMEOUT, Status.RUNTIME_ERROR], 3),
        ([Status.RESOURCE_LIMIT, Status.INFRA_ERROR], 2),
    ],
)
def test_errors_are_counted(statuses: Sequence[Status], count: int) -> None:
    execution = attempt(0).execution
    verdicts = [
        Verdict(execution=replace(execution, status=status), label="failed") for status in statuses
    ]
    history = tuple(Attempt(index=i, verdict=v) for i, v in enumerate(verdicts, start=1))
    assert Report(task=TASK, history=history).error_count == count


AMOUNTS = [field.name for field in fields(Usage)]
USAGES = st.builds(Usage, **dict.fromkeys(AMOUNTS, st.integers(0, 100)))


@given(st.lists(USAGES, max_size=4))
def test_usage_adds_up(usages: list[Usage]) -> None:
    total = sum(usages, start=Usage())
    assert total.tokens == sum(one.input_tokens + one.output_tokens for one in usages)
    sums = {name: sum(getattr(one, name) for one in usages) for name in AMOUNTS}
    assert {name: getattr(total, name) for name in AMOUNTS} == sums
