"""The key and the tokens are nowhere to be read."""

import logging
import traceback

import pytest
from tests.integrations.sandboxes.e2b.support import connected, python

from planish.effects import execute
from planish.errors import PlanishError
from planish.testing.telemetry import Capture, capture
from planish_integrations.e2b import E2BSandbox
from planish_integrations.testing.e2b import LoopbackE2B

CANARY = "e2b_canary0123456789abcdef0123456789abcdef"


@pytest.mark.anyio
async def test_secrets_are_in_no_repr_log_span_or_error(
    server: LoopbackE2B, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    said: list[str] = []
    with LoopbackE2B(api_key=CANARY) as guarded, capture() as caught:
        async with connected(guarded, env={"A": "b"}) as sandbox:
            completed = await execute(sandbox, python("import os; print(dict(os.environ))"))
            async with sandbox.session() as session:
                await session.run("1 / 0")
                said += [repr(session), str(vars(session)), repr(sandbox)]
            said += [repr(completed), str(vars(sandbox)["_settings"])]
        said.append(_shown(caught))
    wrong = connected(server, api_key=CANARY)
    for status in (0, 400, 500):
        if status:
            server.fail("create", status, times=9)
        with pytest.raises(PlanishError) as raised:
            await connected(server, api_key=CANARY, options={"retries": 0}).run(python("pass"))
        said += traceback.format_exception(raised.value)
    said += [repr(wrong), *(record.getMessage() for record in caplog.records)]
    assert caplog.records, "nothing was logged: this would prove nothing"
    assert not [text for text in said if CANARY in text]


def _shown(caught: Capture) -> str:
    return "\n".join(span.to_json() for span in caught.spans)


def test_a_key_given_is_not_in_the_repr() -> None:
    assert CANARY not in repr(E2BSandbox(api_key=CANARY))


def test_variables_are_in_no_repr() -> None:
    sandbox = E2BSandbox(env={"TOKEN": CANARY}, options={"proxy": CANARY})
    settings = vars(sandbox)["_settings"]
    assert settings.env == {"TOKEN": CANARY}
    assert CANARY not in repr(sandbox) + repr(settings)
