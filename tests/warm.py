"""A local sandbox that the tests of one process share: its template process is started once."""

from collections.abc import Generator
from contextlib import contextmanager

from anyio import to_thread
from anyio.from_thread import BlockingPortal, start_blocking_portal

from planish.abc import Sandbox
from planish.data.program import Completed, Program
from planish_integrations.local import LocalSandbox

__all__ = ["WarmSandbox", "warm_sandbox"]


class WarmSandbox:
    """Run programs in a sandbox that is open in another thread, on an event loop of its own.

    A sandbox that each test opens starts a template process each time, which costs more than the
    programs of most tests.
    """

    def __init__(self, portal: BlockingPortal, sandbox: Sandbox) -> None:
        self._portal = portal
        self._sandbox = sandbox
        self.name: str = sandbox.name

    async def run(self, program: Program) -> Completed:
        """Run a program, on any event loop."""
        return await to_thread.run_sync(self.completed, program)

    def completed(self, program: Program) -> Completed:
        """Run a program, without an event loop."""
        return self._portal.call(self._sandbox.run, program)


@contextmanager
def warm_sandbox() -> Generator[WarmSandbox]:
    """Open a local sandbox for tests that share it."""
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(LocalSandbox(concurrency=1)) as sandbox,
    ):
        yield WarmSandbox(portal, sandbox)
