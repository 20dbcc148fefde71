"""Which judges are asked, and what becomes of a judge that cannot judge."""

import json
from typing import Any

import pytest
from tests.laws.kit import TASK, Player, Tally, evidence, grade

from planish import (
    Candidate,
    CodeExecution,
    CodeGenerator,
    Execution,
    Retry,
    Task,
    Validator,
    Verdict,
    step,
)
from planish.data import Completed, Feedback, Status
from planish.data.feedback import PreviousAttempt
from planish.errors import (
    AuthenticationError,
    ModelError,
    OverloadedError,
    PlanishError,
    RateLimitError,
    report_of,
)
from planish.judges import all_of, any_of, apply_judge, tests_pass
from planish.stop import max_usage
from planish.testing import ScriptedModel, ScriptedSandbox

EXECUTION = evidence(Candidate(task=TASK, code="PASSED = 2"))
UNSURE = Verdict(execution=EXECUTION, label="unverified", judge="unsure")


def untested() -> ScriptedSandbox:
    return ScriptedSandbox([Completed(exit_code=0, duration=0.1)] * 9)


def asked_judge(asked: list[str], opinion: Any, name: str) -> Any:
    async def judge(_: Execution) -> Any:
        asked.append(name)
        if isinstance(opinion, Exception):
            raise opinion
        return opinion

    judge.__name__ = name
    return judge


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("opinions", "asked_by_default", "label"),
    [
        ([True, True], ["0", "1"], "passed"),
        (["no", True], ["0"], "failed"),
        ([True, "no", True], ["0", "1"], "failed"),
        ([tests_pass, "no"], [], "failed"),
    ],
)
async def test_all_of_asks_no_judge_after_the_first_that_fails_the_code(
    opinions: list[Any], asked_by_default: list[str], label: str
) -> None:
    for stop_at_first in (True, False):
        asked: list[str] = []
        judges = [
            opinion if opinion is tests_pass else asked_judge(asked, opinion, str(number))
            for number, opinion in enumerate(opinions)
        ]
        verdict = await all_of(*judges, stop_at_first=stop_at_first)(EXECUTION)
        assert verdict.label == label
        everyone = [str(n) for n, opinion in enumerate(opinions) if opinion is not tests_pass]
        assert asked == (asked_by_default if stop_at_first else everyone)


@pytest.mark.anyio
async def test_an_unsure_judge_does_not_end_the_asking() -> None:
    asked: list[str] = []
    verdict = await all_of(
        asked_judge([], UNSURE, "unsure"), asked_judge(asked, "too long", "reviewer")
    )(EXECUTION)
    assert (asked, verdict.label) == (["reviewer"], "failed")


def unjudged(attempts: int) -> Execution:
    """The execution of the attempt after so many that could not be judged."""
    earlier = tuple(
        PreviousAttempt(
            attempt=n,
            digest=str(n),
            status=Status.SUCCESS,
            score=None,
            summary="could not judge: reviewer: prose",
            judge_raised=True,
        )
        for n in range(1, attempts + 1)
    )
    feedback = Feedback(attempt=attempts, previous_attempts=earlier)
    return evidence(Candidate(task=TASK.with_feedback(feedback), code="PASSED = 4"))


@pytest.mark.anyio
@pytest.mark.parametrize("combine", [None, all_of, any_of])
async def test_a_judge_whose_model_answers_nothing_usable_is_a_finding(combine: Any) -> None:
    reviewer = asked_judge([], ModelError("two replies are prose"), "reviewer")
    judge = reviewer if combine is None else combine(reviewer)
    for attempts in (0, 1):
        verdict = await apply_judge(judge, unjudged(attempts))
        assert (verdict.label, verdict.score) == ("unverified", None)
        (finding,) = verdict.findings
        assert finding.message == "could not judge: reviewer: two replies are prose"
    with pytest.raises(ModelError, match="prose"):
        await apply_judge(judge, unjudged(2))


def total(execution: Execution) -> bool:
    return bool(json.loads(execution.stdout)["total"] == 3)


@pytest.mark.anyio
async def test_a_judge_that_cannot_read_what_the_code_printed_is_a_finding() -> None:
    model = ScriptedModel(["```python\nprint(3)\n```", "```python\nprint(4)\n```"])
    outputs = [Completed(exit_code=0, stdout=text, duration=0.1) for text in (b"3", b'{"total":3}')]
    attempt = CodeGenerator(model) >> CodeExecution(ScriptedSandbox(outputs)) >> Validator(total)
    report = await Retry(attempt, attempts=3).run(Task("Print the total as JSON."))
    assert (report.passed, report.attempts) == (True, 2)
    (finding, *_) = report.history[0].verdict.findings
    assert finding.message == "could not judge: total: TypeError: 'int' object is not subscriptable"
    assert "could not judge: total" in model.requests[1].messages[-1].content


@pytest.mark.anyio
async def test_words_of_the_code_do_not_count_as_a_judge_that_raised() -> None:
    replies = [f"```python\n{n}\n```" for n in range(3)]
    raised = Completed(exit_code=1, stderr=b"could not judge: total", duration=0.1)
    outputs = [raised, raised, Completed(exit_code=0, stdout=b"[", duration=0.1)]
    attempt = (
        CodeGenerator(ScriptedModel(replies))
        >> CodeExecution(ScriptedSandbox(outputs))
        >> Validator(all_of(tests_pass, total))
    )
    report = await Retry(attempt, attempts=3).run(Task("Print the total as JSON."))
    assert report.attempts == 3


@pytest.mark.anyio
@pytest.mark.parametrize("error", [KeyError("x"), ExceptionGroup("", [OverloadedError("busy")])])
async def test_a_judge_that_never_can_ends_the_loop(error: Exception) -> None:
    always = asked_judge([], error, "broken")
    if isinstance(error, KeyError):
        assert (await apply_judge(always, unjudged(1))).label == "unverified"
    with pytest.raises(type(error)):
        await apply_judge(always, unjudged(2 if isinstance(error, KeyError) else 0))


@pytest.mark.anyio
@pytest.mark.parametrize(
    "error", [OverloadedError("busy"), RateLimitError("slow down"), AuthenticationError("no key")]
)
async def test_an_outage_or_a_misuse_of_a_judge_is_raised(error: PlanishError) -> None:
    with pytest.raises(type(error)):
        await apply_judge(asked_judge([], error, "reviewer"), unjudged(0))


@pytest.mark.anyio
async def test_a_loop_goes_on_when_its_reviewer_cannot_judge_and_ends_if_it_never_can() -> None:
    tally = Tally()
    sick = asked_judge([], ModelError("prose"), "reviewer")
    generate_and_run = CodeGenerator(Player([4], tally=tally)) >> step(grade)
    loop = Retry(generate_and_run >> Validator(sick), stop=max_usage(model_calls=50))
    with pytest.raises(ModelError, match="prose") as caught:
        await loop.run(TASK)
    assert len(tally.requests) == 3
    report = report_of(caught.value)
    assert report is not None
    assert [attempt.verdict.label for attempt in report.history[:2]] == ["unverified"] * 2

    opinions = [ModelError("prose"), ModelError("prose"), True]

    async def recovers(_: Execution) -> Any:
        opinion = opinions.pop(0)
        if isinstance(opinion, Exception):
            raise opinion
        return opinion

    report = await Retry(generate_and_run >> Validator(recovers), attempts=9).run(TASK)
    assert (report.passed, report.attempts) == (True, 3)


@pytest.mark.anyio
async def test_a_loop_without_tests_stops_and_says_what_to_add() -> None:
    tally = Tally()
    attempt = CodeGenerator(Player([4], tally=tally)) >> CodeExecution(untested())
    loop = Retry(attempt >> Validator(), attempts=9)
    report = await loop.run(Task("Print 4."))
    assert (report.stop_reason, report.passed, report.attempts) == ("unverified", False, 1)
    assert len(tally.requests) == 1
    assert report.verdict is not None
    finding = report.verdict.findings[0]
    assert "the task has no tests" in finding.message
    assert "tests=" in finding.fix
    assert "Validator(judge)" in finding.fix
    outer = await Retry(loop, attempts=9).run(Task("Print 4."))
    assert (outer.stop_reason, outer.attempts) == ("unverified", 1)


@pytest.mark.anyio
async def test_a_loop_without_tests_and_with_a_reviewer_goes_on() -> None:
    for opinion in ("too long", UNSURE.label):
        tally = Tally()

        def judge(execution: Execution, opinion: str = opinion) -> Verdict | str:
            if opinion != "unverified":
                return opinion
            return Verdict(execution=execution, label="unverified")

        attempt = CodeGenerator(Player([4], tally=tally)) >> CodeExecution(untested())
        report = await Retry(attempt >> Validator(judge), attempts=3).run(Task("Print 4."))
        assert (report.stop_reason, len(tally.requests)) == ("max_attempts", 3)


@pytest.mark.anyio
@pytest.mark.parametrize("label", ["passed", "failed"])
async def test_a_verdict_without_evidence_is_a_review_by_the_judge_that_gave_it(label: Any) -> None:
    def short(execution: Execution) -> Verdict:
        return Verdict(execution=execution, label=label, score=0.5)

    ran = evidence(Candidate(task=TASK, code="PASSED = 4"))
    verdict = await apply_judge(short, ran)
    assert (verdict.judge, verdict.evidence.origin) == ("short", "review")
    assert (verdict.label, verdict.evidence.separation) == (label, ran.separation)
    combined = await apply_judge(all_of(short), ran)
    assert (combined.judge, combined.evidence) == ("all_of(short)", verdict.evidence)

    def again(execution: Execution) -> Verdict:
        return tests_pass(execution)

    assert await apply_judge(again, ran) == tests_pass(ran)
