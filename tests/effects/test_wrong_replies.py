"""What models and sandboxes of a user's own return is checked where it comes in."""

import math
from typing import Any

import pytest
from tests.laws.kit import TASK, answer

from planish import CodeExecution, CodeGenerator, Task, budget
from planish.data import Candidate, Completed, Reply, Usage
from planish.data.usage import FREE
from planish.errors import UnsupportedError, WiringError
from planish.testing import ScriptedModel, ScriptedSandbox
from planish_integrations.local import InSession, LocalSession

completed_of: Any = Completed
reply_of: Any = Reply
wrong_usage: Any = Usage  # without types: type checkers would refuse the wrong values
REPLIES: list[tuple[dict[str, Any], str]] = [
    ({"text": None}, "Reply(text=None): must be a text"),
    ({"text": b"x"}, "Reply(text=b'x'): must be a text"),
    ({"usage": None}, "Reply(usage=None): must be a planish.data.Usage(...)"),
    ({"failed_usage": 3}, "Reply(failed_usage=3): must be a planish.data.Usage(...)"),
    *(
        ({"usage": wrong_usage(**{name: value})}, f"Reply(usage=Usage({name}={value!r})): must be")
        for name, value in [
            ("usd", math.nan),
            ("usd", math.inf),
            ("usd", -0.1),
            ("input_tokens", math.nan),
            ("output_tokens", -5),
        ]
    ),
]


class Odd(ScriptedModel):
    """A model that returns what it is given, unchecked."""

    given: Any = None

    async def reply(self, request: Any, on_text: Any = None) -> Any:  # noqa: ARG002
        return self.given


@pytest.mark.anyio
@pytest.mark.parametrize(("fields", "message"), REPLIES)
async def test_a_reply_that_cannot_be_counted_is_the_models_fault(
    fields: dict[str, Any], message: str
) -> None:
    model = Odd([], price=FREE)
    model.given = reply_of(**{"text": answer(4), **fields})
    async with budget(usd=1.0, tokens=1_000) as allowance:
        with pytest.raises(WiringError) as caught:
            await CodeGenerator(model, max_tokens=10).run(TASK)
    assert str(caught.value).startswith(f"the model 'scripted' returned {message}")
    assert allowance.spent.usd == 0.0
    assert allowance.spent.tokens == 0


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"exit_code": "0"}, "Completed(exit_code='0'): must be a number"),
        ({"stdout": "text"}, "Completed(stdout='text'): must be bytes"),
        ({"stderr": None}, "Completed(stderr=None): must be bytes"),
        ({"results": "text"}, "Completed(results='text'): must be bytes"),
        ({"duration": None}, "Completed(duration=None): must be seconds, at least 0"),
        ({"duration": math.nan}, "Completed(duration=nan): must be seconds, at least 0"),
    ],
)
async def test_a_result_that_cannot_be_read_is_the_sandboxes_fault(
    fields: dict[str, Any], message: str
) -> None:
    sandbox = ScriptedSandbox([completed_of(**{"exit_code": 0, **fields})])
    with pytest.raises(WiringError) as caught:
        await CodeExecution(sandbox).run(Candidate(task=Task("Run."), code="x = 1"))
    assert str(caught.value) == f"the sandbox {sandbox.name!r} returned {message}"


@pytest.mark.anyio
@pytest.mark.parametrize("place", [LocalSession(), InSession(LocalSession())], ids=repr)
async def test_a_session_that_is_not_open_is_refused_before_a_model_is_asked(place: Any) -> None:
    model = ScriptedModel([answer(4)])
    with pytest.raises(UnsupportedError, match="the session is not open: use `async with`"):
        await (CodeGenerator(model) >> CodeExecution(place)).run(Task("Set x."))
    assert not model.requests
