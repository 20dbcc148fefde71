"""A candidate that took part in its own verdict is not selected before a right one."""

import pytest
from tests.forging.places import sandbox_of
from tests.forging.subjects import SUBJECTS
from tests.forging.tricks import TRICKS

from planish import BestOf, CodeExecution, CodeGenerator, Task, Validator
from planish.testing import ScriptedModel

SQUARE = SUBJECTS["square"]
LIAR = TRICKS["object equal to every square"].candidate


@pytest.mark.anyio
@pytest.mark.parametrize("order", [(LIAR, SQUARE.right), (SQUARE.right, LIAR), (LIAR, LIAR)])
async def test_the_candidate_with_the_stronger_evidence_is_the_best(order: tuple[str, str]) -> None:
    model = ScriptedModel([f"```python\n{code}```" for code in order])
    task = Task("Square it.", tests=SQUARE.tests["checks"], entry_point="square")
    async with sandbox_of("landlock") as sandbox:
        attempt = CodeGenerator(model) >> CodeExecution(sandbox) >> Validator()
        report = await BestOf(attempt, n=2, concurrency=1).run(task)
    assert report.passed
    separation = "isolated" if SQUARE.right in order else "shared_process"
    assert report.evidence is not None
    assert report.evidence.separation == separation
    assert [one.verdict.evidence.separation for one in report.history].count("isolated") == (
        order.count(SQUARE.right)
    )
