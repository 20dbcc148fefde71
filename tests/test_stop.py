"""The stop rules, as tables of histories after which each one stops."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws.kit import TASK, Tally, answer, attempt, grade

from planish import (
    Candidate,
    CodeGenerator,
    Execution,
    Report,
    Retry,
    Validator,
    Verdict,
    budget,
    step,
)
from planish.data import Attempt, Finding, Status, Usage
from planish.stop import (
    Progress,
    Stop,
    confidence,
    confidence_of,
    deadline,
    max_attempts,
    max_usage,
    repeated_candidate,
    repeated_review,
    stagnation,
    success,
    when,
)
from planish.testing.scripted import ScriptedModel

S, R, P, T, L, W, X = (
    Status.SUCCESS,
    Status.RUNTIME_ERROR,
    Status.PARTIAL_SUCCESS,
    Status.TIMEOUT,
    Status.RESOURCE_LIMIT,
    Status.INFRA_ERROR,
    Status.SYNTAX_ERROR,
)


@dataclass(frozen=True)
class Round:
    """What a rule looks at."""

    score: float | None = None
    passed: bool = False
    status: Status | None = None
    digest: str | None = None


def fires_at(rule: Stop, rounds: Sequence[Any]) -> int | None:
    """The round after which a rule fires first, from 1."""
    for number in range(1, len(rounds) + 1):
        if rule.check(Progress(rounds[:number])) is not None:
            return number
    return None


def rounds_with(*scores: float | None) -> list[Round]:
    return [Round(score=score, passed=score == 1.0) for score in scores]


@pytest.mark.parametrize(
    ("scores", "at"),
    [
        ((0, 0.33, 0.33, 0.33), 4),
        ((0, 0.33, 0.33), None),
        ((0.5, 0.5, 0.5), 3),
        ((0, 0.33, 0.66, 0.7, 0.8), None),
        ((0, 0.33, 0, 0.33, 0), None),
        ((None, None, None), None),
        ((0.5, None, 0.5, 0.5), None),
        ((0.5, None, 0.5, 0.5, 0.5), 5),
        ((0, 0, 0.33, 0.33, 0.33, 0.33), 5),
    ],
)
def test_stagnation(scores: Sequence[float | None], at: int | None) -> None:
    assert fires_at(stagnation(3), rounds_with(*scores)) == at


def test_stagnation_over_other_numbers_of_rounds() -> None:
    scores = rounds_with(0, 0.5, 0.5, 0.5, 0.5)
    assert [fires_at(stagnation(n), scores) for n in (2, 3, 4, 5)] == [3, 4, 5, None]


@pytest.mark.parametrize("attempts", [1, 2, 5])
def test_max_attempts(attempts: int) -> None:
    assert fires_at(max_attempts(attempts), rounds_with(*[0.1] * 9)) == attempts


@pytest.mark.parametrize(
    ("statuses", "values"),
    [
        ([R, P, P, P, P, P], [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]),
        ([X, X, X], [0.0, 0.0, 0.0]),
        ([P, P, X, P, R, P], [0.2, 0.4, 0.2, 0.4, 0.3, 0.5]),
        ([P, T, P, L], [0.2, 0.1, 0.3, 0.2]),
        ([P, W, W], [0.2, 0.2, 0.2]),
        ([P] * 7, [0.2, 0.4, 0.6, 0.8, 1.0, 1.0, 1.0]),
        ([R, S], [0.0, 1.0]),
    ],
)
def test_confidence_walks_by_status(statuses: Sequence[Status], values: Sequence[float]) -> None:
    rounds = [Round(status=status, passed=status is S) for status in statuses]
    found = [confidence_of(rounds[:n]) for n in range(1, len(rounds) + 1)]
    assert found == pytest.approx(values)


@given(st.lists(st.sampled_from(Status), max_size=40))
def test_confidence_stays_within_bounds(statuses: list[Status]) -> None:
    assert 0.0 <= confidence_of([Round(status=status) for status in statuses]) <= 1.0


@pytest.mark.parametrize(("threshold", "at"), [(0.2, 2), (0.4, 3), (0.6, 4), (0.8, 5), (1.0, 6)])
def test_confidence_fires_exactly_when_the_sum_reaches_it(threshold: float, at: int) -> None:
    rounds = [Round(status=status) for status in [R, P, P, P, P, P]]
    assert fires_at(confidence(threshold), rounds) == at


def test_confidence_stops_a_loop() -> None:
    rule = max_attempts(10) | confidence(0.8)
    rounds = [Round(status=status, score=0.1) for status in [R, P, P, P, P, P]]
    reasons = [rule.check(Progress(rounds[:n])) for n in range(1, 6)]
    assert reasons == [None, None, None, None, "confidence"]


def report(*codes: str, findings: Sequence[Finding] = ()) -> Report:
    attempts: list[Attempt] = []
    for index, code in enumerate(codes, start=1):
        execution = Execution(candidate=Candidate(task=TASK, code=code), status=R)
        verdict = Verdict(execution=execution, label="failed", score=0, findings=tuple(findings))
        attempts.append(Attempt(index=index, verdict=verdict))
    return Report(task=TASK, history=tuple(attempts))


@pytest.mark.parametrize(
    ("rounds", "at"),
    [
        ([report("a"), report("b"), report("c")], None),
        ([report("a"), report("a")], 2),
        ([report("a"), report("b"), report("a")], 3),
        ([report('x = """a \nb"""'), report('x = """a\nb"""')], None),
        ([report("a", "b"), report("b", "a")], 2),
        ([report("a", "b"), report("b", "c")], None),
        ([report(), report()], None),
        ([Round(digest="1"), Round(digest="2"), Round(digest="1")], 3),
        ([Round(), Round()], None),
    ],
)
def test_repeated_candidate(rounds: Sequence[Any], at: int | None) -> None:
    assert fires_at(repeated_candidate(), rounds) == at


def test_a_reply_without_code_repeats_nothing() -> None:
    def without(code: str) -> Report:
        candidate = Candidate(task=TASK, code=code, problem="no_code")
        verdict = Verdict(execution=Execution(candidate=candidate, status=X), label="failed")
        return Report(task=TASK, history=(Attempt(index=1, verdict=verdict),))

    assert fires_at(repeated_candidate(), [without(""), without("")]) is None


ONE, OTHER = Finding(message="one"), Finding(message="other")


REVIEWS: list[tuple[list[list[Finding]], int | None]] = [
    ([[ONE], [OTHER], [ONE]], None),
    ([[ONE], [ONE]], 2),
    ([[ONE, OTHER], [OTHER, ONE]], 2),
    ([[ONE], [ONE, OTHER], [ONE]], None),
    ([[], []], None),
    ([[Finding(message="m", actual="1")], [Finding(message="m", actual="2")]], None),
]


@pytest.mark.parametrize(("reviews", "at"), REVIEWS)
def test_repeated_review(reviews: Sequence[Sequence[Finding]], at: int | None) -> None:
    rounds = [report(str(number), findings=found) for number, found in enumerate(reviews)]
    assert fires_at(repeated_review(), rounds) == at


@pytest.mark.anyio
async def test_a_reviewer_that_never_approves_is_stopped_before_the_last_attempt() -> None:
    def never(execution: Execution) -> str:
        return "I would have done it differently"

    model = ScriptedModel([answer(4, str(number)) for number in range(10)])
    inner = CodeGenerator(model) >> step(grade) >> Validator(never)
    found = await Retry(inner, attempts=10, stop=repeated_review()).run(TASK)
    assert found.stop_reason == "repeated_review"
    assert found.attempts == 2


def test_deadline_and_budget_look_at_what_was_used() -> None:
    rounds = rounds_with(0)
    for seconds, fires in ((9.99, False), (10, True), (11, True)):
        assert bool(deadline(10).check(Progress(rounds, seconds=seconds))) == fires
    used = Progress(rounds, usage=Usage(input_tokens=60, output_tokens=40, usd=0.5, model_calls=3))
    assert max_usage(tokens=100).check(used) == "budget"
    assert max_usage(tokens=101).check(used) is None
    assert max_usage(usd=0.5).check(used) == "budget"
    assert max_usage(usd=0.51, tokens=101).check(used) is None
    assert max_usage(usd=0.5, tokens=101).check(used) == "budget"
    assert max_usage(model_calls=3).check(used) == "budget"


@pytest.mark.anyio
async def test_a_budget_of_tokens_stops_the_loop_and_the_sum_is_that_of_the_answers() -> None:
    tally = Tally()
    by_rule = await Retry(attempt([3], tally=tally), stop=max_usage(tokens=20)).run(TASK)
    assert by_rule.stop_reason == "budget"
    assert by_rule.usage == tally.usage
    assert by_rule.usage.tokens >= 20

    async with budget(tokens=100):
        by_scope = await Retry(attempt([3]), attempts=99).run(TASK)
    assert by_scope.stop_reason == "budget"


@pytest.mark.anyio
async def test_ten_model_calls_are_the_most() -> None:
    tally = Tally()
    async with budget(model_calls=10):
        found = await Retry(attempt([1], tally=tally), attempts=99).run(TASK)
    assert (found.stop_reason, len(tally.requests)) == ("budget", 10)


ALWAYS, NEVER = when("always", lambda _: True), when("never", lambda _: False)
LATER = when("later", lambda progress: len(progress.history) > 1)


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        (ALWAYS | LATER, "always"),
        (NEVER | ALWAYS, "always"),
        (NEVER | LATER, None),
        (ALWAYS & LATER, None),
        (ALWAYS & ALWAYS, "always & always"),
        (NEVER | (ALWAYS & ALWAYS), "always & always"),
        ((NEVER | ALWAYS) & ALWAYS, "always & always"),
        (success() | ALWAYS, "always"),
    ],
)
def test_rules_combine_and_the_first_to_fire_is_the_reason(rule: Stop, reason: str | None) -> None:
    assert rule.check(Progress(rounds_with(0.5))) == reason


def test_success_comes_first_where_it_stands_first() -> None:
    assert (success() | ALWAYS).check(Progress(rounds_with(1.0))) == "success"
    assert (ALWAYS | success()).check(Progress(rounds_with(1.0))) == "always"


def test_rules_print_as_they_are_written() -> None:
    one, other, third = max_attempts(5), confidence(0.8), stagnation(3)
    assert repr(one | other | third) == "max_attempts(5) | confidence(0.8) | stagnation(3)"
    assert repr((one | other) & third) == "(max_attempts(5) | confidence(0.8)) & stagnation(3)"
    assert repr(one | other & third) == "max_attempts(5) | confidence(0.8) & stagnation(3)"
    assert repr((one & other) | third) == repr(one & other | third)
    assert repr(max_usage(tokens=5)) == "max_usage(tokens=5)"
    assert repr(deadline(2.5) | repeated_candidate()) == "deadline(2.5) | repeated_candidate()"


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: max_attempts(0),
        lambda: stagnation(1),
        lambda: confidence(0),
        lambda: confidence(1.1),
        lambda: deadline(-1),
        lambda: deadline(float("nan")),
        max_usage,
    ],
)
def test_numbers_that_make_no_sense_are_refused(wrong: Any) -> None:
    with pytest.raises(ValueError, match=r"must be|limits nothing"):
        wrong()
