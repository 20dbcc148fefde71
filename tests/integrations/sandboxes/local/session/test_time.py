"""Time limits of sessions count what a step does: the load of the machine decides nothing."""

import pytest
from tests.integrations.sandboxes.timed import (
    ENOUGH,
    IN_TURN,
    SECONDS,
    SPIN,
    TOO_MUCH,
    busy,
    program,
)

from planish_integrations.local import InSession, LocalSandbox, LocalSession, Tier

pytestmark = pytest.mark.anyio


@pytest.mark.clock(reason="busy processes beside it take what time they can get")
@pytest.mark.parametrize("anyio_backend", ["asyncio"])
@pytest.mark.parametrize("others", [1, 16])
async def test_a_session_keeps_the_same_time_where_it_can_see_its_processes(
    tier: Tier, others: int
) -> None:
    if tier != "namespaces":
        pytest.skip("there /proc is closed to it")
    async with LocalSandbox(tier=tier) as sandbox, LocalSession(sandbox) as session:
        beside = InSession(session)
        with busy(others):
            done = await beside.run(program(SPIN, ENOUGH))
            assert done.exit_code == 0, done
            assert (await beside.run(program(SPIN, TOO_MUCH))).limit == "seconds"
            step = await session.run(IN_TURN.format(ENOUGH * SECONDS), seconds=SECONDS)
            assert step.exit_code == 0, step
            step = await session.run(IN_TURN.format(TOO_MUCH * SECONDS), seconds=SECONDS)
            assert step.limit == "seconds"


async def test_a_session_that_is_open_long_has_used_nothing_of_a_step(tier: Tier) -> None:
    async with LocalSandbox(tier=tier) as sandbox, LocalSession(sandbox) as session:
        for _ in range(3):
            step = await session.run(SPIN.format(0) + "for _ in range(10**6): pass", seconds=30)
            assert step.exit_code == 0, step
            assert step.cpu_seconds is None or step.cpu_seconds < 20
