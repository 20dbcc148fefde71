from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from tests.laws.kit import TASK, Tally, answer, attempt, evidence, grade, player

from planish import Candidate, Escalate, Execution, Retry, Validator, step
from planish.errors import WiringError


@pytest.mark.anyio
@pytest.mark.parametrize("attempts", [1, 2, 3, 6])
async def test_the_nth_attempt_uses_the_nth_and_the_last_repeats(attempts: int) -> None:
    tallies = [Tally(), Tally(), Tally()]
    generators = [player([0], name=f"g{i}", tally=t) for i, t in enumerate(tallies)]
    loop = Retry(Escalate(*generators) >> step(grade) >> Validator(), attempts=attempts)
    report = await loop.run(TASK)
    requests = [len(tally.requests) for tally in tallies]
    assert requests == [1, min(1, attempts - 1), max(0, attempts - 2)]
    codes = Counter(one.code.split()[4] for one in report.history)
    assert [codes[f"g{i}"] for i in range(3)] == requests


@pytest.mark.anyio
async def test_whole_attempts_can_escalate_too() -> None:
    loop = Retry(Escalate(attempt([1], name="small"), attempt([1, 4], name="big")), attempts=4)
    report = await loop.run(TASK)
    assert ["small" in one.code for one in report.history] == [True, False]
    assert report.passed


def strict(execution: Execution) -> bool:
    return execution.score == 1.0


def lenient(execution: Execution) -> bool:
    return bool(execution.score)


@pytest.mark.anyio
async def test_it_works_anywhere_in_a_loop() -> None:
    def double(candidate: Candidate) -> Execution:
        return evidence(replace(candidate, code=answer(2)))

    run = Escalate(step(grade), step(double))
    report = await Retry(player([0]) >> run >> Validator(), attempts=3).run(TASK)
    assert report.trajectory == (0.0, 0.5, 0.5)
    check = Escalate(Validator(strict), Validator(strict), Validator(lenient))
    report = await Retry(player([1]) >> step(grade) >> check, attempts=5).run(TASK)
    assert [one.verdict.judge for one in report.history] == ["strict", "strict", "lenient"]
    assert report.passed


@pytest.mark.anyio
async def test_a_value_that_does_not_say_which_attempt_is_refused() -> None:
    def show(value: Any) -> str:
        return str(value)

    chosen: Any = Escalate(step(show))
    with pytest.raises(WiringError, match="needs `attempt`"):
        await chosen.run("text")
