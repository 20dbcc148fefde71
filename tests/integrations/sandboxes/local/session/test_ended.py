"""A session that was ended from outside says why."""

import pytest

from planish.data import ResourceLimits
from planish.errors import SandboxLostError
from planish_integrations.local import LocalSandbox, LocalSession

pytestmark = pytest.mark.anyio

HOGS = """
import os, time
for _ in range(6):
    if os.fork() == 0:
        held = bytearray(60 << 20)
        for i in range(0, len(held), 4096): held[i] = 1
        time.sleep(30)
        os._exit(0)
time.sleep(30)
"""


async def test_a_session_says_which_limit_ended_it(sandbox: LocalSandbox) -> None:
    async with LocalSession(sandbox, limits=ResourceLimits(memory_mb=250)) as session:
        with pytest.raises(SandboxLostError, match="it passed its limit memory_mb"):
            await session.run(HOGS)


async def test_a_session_that_was_killed_passed_no_limit(sandbox: LocalSandbox) -> None:
    async with LocalSession(sandbox) as session:
        with pytest.raises(SandboxLostError, match="its program was killed"):
            await session.run("import os\nos.killpg(0, 9)\nos.kill(os.getppid(), 9)")
