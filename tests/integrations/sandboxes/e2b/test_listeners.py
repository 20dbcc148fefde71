"""Listeners receive what their run waits for; one that raises ends it, and no sandbox is left."""

import anyio
import pytest
from tests.integrations.sandboxes.e2b.support import FAST, connected, lose, python, states, until

from planish import Candidate, CodeExecution, Task
from planish.data import Completed
from planish.errors import SandboxError
from planish.events import Event, SandboxChanged, SandboxState, listen, watch
from planish_integrations.e2b import E2BSandbox
from planish_integrations.testing.e2b import LoopbackE2B

pytestmark = [pytest.mark.anyio, pytest.mark.both_loops]

PASS = python("pass")


class Broken:
    """A listener that raises at one state, and keeps all others."""

    def __init__(self, state: SandboxState) -> None:
        self.state = state
        self.heard: list[Event] = []

    def __call__(self, event: Event) -> None:
        if isinstance(event, SandboxChanged) and event.state == self.state:
            raise LookupError(f"no {event.state}")
        self.heard.append(event)


async def twice(sandbox: E2BSandbox) -> Completed:
    """Two runs in one branch."""
    await sandbox.run(PASS)
    return await sandbox.run(PASS)


@pytest.mark.parametrize("state", ["created", "reused", "released", "killed"])
async def test_a_listener_that_raises_ends_the_run_and_no_sandbox_is_left(
    server: LoopbackE2B, state: SandboxState
) -> None:
    broken = Broken(state)

    async def block() -> None:
        async with connected(server) as sandbox, listen(broken):
            with pytest.raises(LookupError, match=state):
                await twice(sandbox)
            if state != "released":  # that one waits for the next run
                assert not server.sandboxes
                assert states(broken.heard)[-1] == "killed"
            raise KeyError

    if state == "killed":
        async with listen(broken):
            with pytest.raises(LookupError, match="no killed"):
                await connected(server).run(PASS)
            with pytest.raises(LookupError, match="no killed"):
                async with connected(server) as sandbox:
                    await twice(sandbox)
    else:
        with pytest.raises(KeyError):
            await block()
    assert not server.sandboxes
    assert server.calls["create"] == server.calls["kill"]


async def test_listeners_of_the_block_that_raise_are_noted_at_its_end(server: LoopbackE2B) -> None:
    broken = Broken("created")
    with pytest.raises(LookupError, match="no created") as raised:
        async with listen(broken), connected(server, warm=2, plan=FAST):
            await until(lambda: len(server.sandboxes) == 2, "none is made")
    assert ["no created" in note for note in raised.value.__notes__] == [True]
    assert states(broken.heard) == ["killed", "killed"]

    async def fail() -> None:
        async with listen(broken), connected(server, warm=1):
            await until(lambda: server.sandboxes, "none is made")
            raise KeyError

    with pytest.raises(KeyError) as other:
        await fail()
    assert ["no created" in note for note in other.value.__notes__] == [True]


async def test_what_a_listener_raises_of_a_failed_run_is_a_note(server: LoopbackE2B) -> None:
    async with listen(Broken("killed")):
        server.fail("write", 507)
        with pytest.raises(SandboxError, match="NotEnoughSpace") as raised:
            await connected(server, retries=0).run(PASS)
        assert any("no killed" in note for note in raised.value.__notes__)
        with pytest.raises(KeyError) as other:
            async with connected(server).session():
                raise KeyError
        assert any("no killed" in note for note in other.value.__notes__)
    async with listen(Broken("lost")), connected(server, retries=0) as sandbox:
        await sandbox.run(PASS)
        await lose(server)
        with pytest.raises(LookupError, match="no lost"):
            await sandbox.run(PASS)  # it would have run in another one


async def test_a_cancelled_run_stays_cancelled(server: LoopbackE2B) -> None:
    broken = Broken("killed")
    async with listen(broken), connected(server) as sandbox:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(sandbox.run, python("import time; time.sleep(60)"))
            await until(lambda: server.calls.get("command"), "no program runs")
            tasks.cancel_scope.cancel()
        assert not server.sandboxes
    assert states(broken.heard) == ["created"]


async def test_watch_yields_the_changes_of_its_run(server: LoopbackE2B) -> None:
    candidate = Candidate(task=Task("Double a number."), code="print(2 * 21)")
    heard: list[Event] = []
    async with (
        listen(heard.append),
        connected(server, warm=1, plan=FAST, fresh="sandbox") as sandbox,
    ):
        await until(lambda: "created" in states(heard), "none is made")
        async with watch(CodeExecution(sandbox), candidate) as run:
            events = [event async for event in run]
        assert run.result.status.value == "success"
    assert states(events) == ["reused"]  # it is killed after the run
    async with watch(CodeExecution(connected(server)), candidate) as run:
        events = [event async for event in run]
    assert states(events) == ["created", "killed"]
