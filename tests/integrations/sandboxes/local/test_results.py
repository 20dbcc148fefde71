"""The descriptor for results: what comes back of it, and who can reach it."""

from collections.abc import Callable

import pytest
from tests.integrations.sandboxes.test_results import PATHS

from planish.data.program import Program, ResourceLimits
from planish_integrations.local import InSession, LocalSandbox, LocalSession, Tier

pytestmark = pytest.mark.anyio

Python = Callable[..., Program]

REPORT = """
import os, sys, signal, ctypes, time
results = int(os.environ['PLANISH_RESULTS_FD'])
os.write(results, b'so far')
"""
EXITS = """
import atexit, threading
threading._register_atexit(lambda: 1 / 0)
atexit.register(os._exit, 5)
"""
ENDS = {
    "exit": ("sys.exit(3)", 3, None, None),
    "exception": ("1 / 0", 1, None, None),
    # Exit functions run, too, where the wait for threads has failed.
    "exit functions": (EXITS, 5, None, None),
    "signal": ("os.kill(os.getpid(), signal.SIGKILL)", None, 9, None),
    "time limit": ("time.sleep(60)", None, 9, "seconds"),
    "output limit": ("while True: print('x' * 4096)", None, 9, "output_bytes"),
}


async def test_programs_beside_a_session_report_too(tier: Tier, python: Python) -> None:
    async with LocalSandbox(tier=tier) as sandbox, LocalSession(sandbox) as session:
        beside = InSession(session)
        for source, exit_code, signal, limit in ENDS.values():
            seconds = 2 if limit == "seconds" else 30
            limits = ResourceLimits(seconds=seconds)
            done = await beside.run(python(REPORT + source, results=True, limits=limits))
            assert done.results == b"so far", done.stderr
            assert done.limit == limit
            assert limit or (done.exit_code, done.signal) == (exit_code, signal)
            assert "results" not in done.guarantees
        assert (await beside.run(python("pass"))).results is None


async def test_only_the_working_directory_is_imported_from_and_writable_in_a_fresh_interpreter(
    tier: Tier, python: Python
) -> None:
    async with LocalSandbox(tier=tier, fresh_interpreter=True) as sandbox:
        done = await sandbox.run(python(PATHS))
    assert done.stdout == b"True True\n", done.stderr
