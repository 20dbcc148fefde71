"""The real SDK where each program has a sandbox of its own, and what results state.

That shared sandboxes conform is in `tests/integrations/sandboxes/test_contract.py`.
"""

import pytest
from tests.integrations.sandboxes.e2b.support import connected, python

from planish.data.sandbox import GUARANTEES
from planish.testing import check_sandbox
from planish_integrations.testing.e2b import LoopbackE2B


@pytest.mark.long
@pytest.mark.anyio
@pytest.mark.parametrize("fresh", ["sandbox", "unentered"])
async def test_it_keeps_the_contract_in_fresh_sandboxes(server: LoopbackE2B, fresh: str) -> None:
    if fresh == "unentered":
        await check_sandbox(connected(server), promptly=20.0)
    else:
        async with connected(server, fresh="sandbox", warm=2) as sandbox:
            await check_sandbox(sandbox, promptly=20.0)


@pytest.mark.anyio
async def test_a_result_says_where_it_ran_and_what_held(server: LoopbackE2B) -> None:
    completed = await connected(server).run(python("pass"))
    assert completed.isolation == "microvm"
    assert completed.sandbox_id is not None
    assert completed.sandbox_id.startswith("loopback")
    assert {"cleanup", "memory", "network", "processes"} <= set(completed.guarantees)
    assert set(completed.guarantees) <= set(GUARANTEES)
    async with connected(server, internet=True) as sandbox:
        shared = await sandbox.run(python("pass"))
    assert not {"cleanup", "network"} & set(shared.guarantees)
